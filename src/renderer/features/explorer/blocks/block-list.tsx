import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import type { BlockRow } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { figureColumn } from '../../../components/list/columns.tsx';
import { List } from '../../../components/list/list.tsx';
import type { ListColumn } from '../../../components/list/rows.ts';
import { useSteady } from '../../../components/list/use-steady.ts';
import layout from '../../../components/styles/layout.module.css';
import { showToast } from '../../../components/toasts/toast-store.ts';
import { Ago, Amount, Id } from '../../../components/values/values.tsx';
import { formatBytes, formatInteger, isoTime } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import classes from '../explorer.module.css';
import { rateOf } from './fee-rate.ts';
import { HeaderRows, type HeaderRow as Row } from './header-rows.ts';

/** As many rows as every browser can scroll over. */
const MOST_ROWS = 400_000;
/** Rows whose headers are fetched for one export. */
const MOST_EXPORTED = 2_000;

const idOf = (row: Row): string => String(row.height);

function useColumns(failed: boolean, tokens: ReadonlyMap<number, number>): readonly ListColumn<Row>[] {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  return useMemo(() => {
    const when =
      (draw: (header: BlockRow) => React.ReactNode) =>
      ({ header }: Row) => {
        if (header !== undefined) return draw(header);
        return failed ? <span className={layout.dim}>–</span> : <Skeleton height={12} className={classes.wait} />;
      };
    const figure = (
      key: 'transactions' | 'size' | 'fees' | 'value',
      title: string,
      width: string,
      draw: (value: number) => React.ReactNode,
    ): ListColumn<Row> => ({
      key,
      title,
      width,
      align: 'right',
      sortable: false,
      value: ({ header }) => header?.[key] ?? null,
      render: when((header) => {
        const value = header[key];
        return value === null ? '–' : draw(value);
      }),
    });
    return [
      {
        key: 'height',
        title: t('explorer.height'),
        width: '56px',
        value: (row) => row.height,
        render: ({ height, header }) => {
          const text = formatInteger(height, language);
          return header === undefined ? (
            <span className="num">{text}</span>
          ) : (
            <Link href={routes.block(header.hash)} className="link num">
              {text}
            </Link>
          );
        },
      },
      {
        key: 'hash',
        title: t('explorer.hash'),
        width: 'minmax(96px, 1fr)',
        sortable: false,
        extra: true,
        value: ({ header }) => header?.hash ?? null,
        render: when((header) => <Id value={header.hash} kind="block" keep={4} />),
      },
      {
        key: 'mined',
        title: t('explorer.mined'),
        width: '92px',
        sortable: false,
        value: ({ header }) => (header === undefined ? null : isoTime(header.time * 1_000)),
        render: when((header) => <Ago at={header.time * 1_000} />),
      },
      figure('transactions', t('explorer.txs'), '44px', (count) => formatInteger(count, language)),
      figure('size', t('explorer.size'), '64px', (bytes) => formatBytes(bytes, language)),
      figure('fees', t('explorer.fees'), 'minmax(84px, 1fr)', (satoshis) => <Amount satoshis={satoshis} />),
      {
        key: 'rate',
        title: t('explorer.rate'),
        width: 'minmax(64px, 1fr)',
        align: 'right',
        sortable: false,
        value: ({ header }) => rateOf(header?.fees, header?.payingBytes),
        render: when((header) => {
          const rate = rateOf(header.fees, header.payingBytes);
          return rate === null ? '–' : <span className="num">{formatInteger(rate, language)}</span>;
        }),
      },
      figure('value', t('explorer.value'), 'minmax(132px, 1.4fr)', (satoshis) => <Amount satoshis={satoshis} />),
      figureColumn<Row>(
        { key: 'tokens', title: t('explorer.ownTokens'), width: '56px', sortable: false },
        ({ height }) => tokens.get(height) ?? null,
        (count) => <span className="num">{formatInteger(count, language)}</span>,
        null,
      ),
      {
        key: 'merkleRoot',
        title: t('explorer.merkleRoot'),
        width: '150px',
        sortable: false,
        extra: true,
        value: ({ header }) => header?.merkleRoot ?? null,
        render: when((header) => <Id value={header.merkleRoot} what={t('explorer.merkleRoot')} />),
      },
    ];
  }, [t, language, failed, tokens]);
}

/** Every block of the best chain, the newest first; headers are fetched for the visible rows. */
export function BlockList({ tip: current }: { tip: { height: number; hash: string } }) {
  const { shown: tip, isHeld, handlers } = useSteady(current);
  const { t, i18n } = useTranslation();
  const [, navigate] = useLocation();
  const [headerRows] = useState(() => new HeaderRows((height) => client.explorer.blockAt({ height })));
  const [version, setVersion] = useState(0);
  const [error, setError] = useState<unknown>();
  const { data: blocks } = useQuery(api.tokens.blocks.queryOptions());
  const tokens = useMemo(() => new Map(blocks?.map(({ height, tokens: count }) => [height, count])), [blocks]);
  const columns = useColumns(error !== undefined, tokens);
  const seen = useRef<readonly number[]>([]);
  const count = Math.min(tip.height + 1, MOST_ROWS);

  const reading = useRef(false);
  // One round of requests at a time, always for the rows that are visible by then: a fast wheel passes thousands.
  const read = useCallback(async (): Promise<void> => {
    if (reading.current) return;
    reading.current = true;
    let wanted: readonly number[];
    do {
      wanted = seen.current;
      const { changed, error: lost } = await headerRows.read(wanted);
      setError(lost);
      if (changed) setVersion((before) => before + 1);
    } while (wanted !== seen.current);
    reading.current = false;
  }, [headerRows]);
  // Headers that a new tip may have replaced are dropped before the rows are drawn.
  headerRows.tipMoved(tip);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version says that the headerRows has more in it.
  const rows = useMemo<readonly Row[]>(
    () => Array.from({ length: count }, (_, index) => headerRows.row(tip.height - index)),
    [headerRows, tip, count, version],
  );
  const lookAt = (_first: number, _end: number, inSight: readonly Row[]): void => {
    seen.current = inSight.map(({ height }) => height);
    void read();
  };
  // A new tip may have replaced what is in sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: they are read again for each tip.
  useEffect(() => {
    // A round under way began for the tip before, and goes on with what is in sight now.
    seen.current = [...seen.current];
    void read();
  }, [tip]);
  // The failure is shown once above the rows, not in each row.
  const cause = error === undefined ? undefined : failureOf(error);
  const list = (
    <List
      name="blocks"
      label={t('explorer.blocks')}
      title={t('explorer.blocks')}
      hint={
        isHeld
          ? t('common.list.held')
          : count === tip.height + 1
            ? t('explorer.blocksHintAll', { total: formatInteger(count, i18n.language) })
            : t('explorer.blocksHint', {
                total: formatInteger(tip.height + 1, i18n.language),
                visible: formatInteger(count, i18n.language),
              })
      }
      rows={rows}
      idOf={idOf}
      columns={columns}
      copies={{ label: t('explorer.copyHashes'), of: ({ header }) => header?.hash ?? '' }}
      complete={async (wanted) => {
        const all = await headerRows.complete(wanted.slice(0, MOST_EXPORTED).map(({ height }) => height));
        if (all.length < wanted.length) {
          const visible = formatInteger(all.length, i18n.language);
          showToast({ id: 'blocks-taken', tone: 'info', title: t('explorer.blocksTaken', { visible }) });
        }
        return all;
      }}
      onOpen={({ header }) => header !== undefined && navigate(routes.block(header.hash))}
      onRange={lookAt}
      maxHeight="max(320px, calc(100vh - 320px))"
    />
  );
  return (
    <>
      {cause !== undefined && (
        <FailureNote failure={cause} onRetry={() => void read()} note={t('explorer.rowsFailed')} />
      )}
      <div {...handlers}>{list}</div>
    </>
  );
}
