import { Skeleton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { type Described, MAX_BLOCK_ROWS, MAX_DESCRIBED } from '../../../../contract/index.ts';
import { List, ListFilter } from '../../../components/list/list.tsx';
import type { ListColumn } from '../../../components/list/rows.ts';
import { Amount, Id } from '../../../components/values/values.tsx';
import { formatBytes, formatInteger } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import classes from '../explorer.module.css';
import { blockPart, described } from './block-part.ts';
import { rateOf } from './fee-rate.ts';

/** Pause in typing before a search, in milliseconds. */
const TYPING_MS = 200;

interface Row {
  /** Among those that are wanted. */
  readonly index: number;
  /** Undefined until the row was in sight. */
  readonly found: { readonly position: number; readonly txid: string } | undefined;
  /** Undefined until then as well, and where the node does not tell them. */
  readonly figures: Described | undefined;
}

const idOf = ({ index }: Row): string => String(index);
const startOf = (index: number, length = MAX_BLOCK_ROWS): number => index - (index % length);
/** Where the groups of rows begin that are described at once. */
function groupsOf(first: number, end: number): number[] {
  const groups: number[] = [];
  for (let from = startOf(first, MAX_DESCRIBED); from < end; from += MAX_DESCRIBED) groups.push(from);
  return groups;
}

type Figure = 'inputs' | 'size' | 'value' | 'tokens' | 'fee' | 'rate';

/** A column of figures. They are read for the rows in sight alone, so nothing is exported of them. */
function figure(key: Figure, title: string, width: string, render: (figures: Described) => ReactNode): ListColumn<Row> {
  return {
    key,
    title,
    width,
    align: 'right',
    sortable: false,
    action: true,
    value: () => null,
    render: ({ figures }) => figures !== undefined && <span className="num">{render(figures)}</span>,
  };
}

/** What is in a block, as many as there are: the host is asked for the part in sight. */
export function BlockTransactions({ hash, total }: { hash: string; total: number }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text.trim(), TYPING_MS);
  const [inSight, setInSight] = useState<readonly number[]>([0]);
  const { data: head } = useQuery({ ...blockPart({ hash, search, from: 0 }), placeholderData: (before) => before });
  const starts = [...new Set(inSight.map((from) => startOf(from)))];
  const parts = useQueries({
    queries: starts.map((from) => blockPart({ hash, search, from })),
    combine: (results) => results.flatMap(({ data }, at) => (data ? [{ from: starts[at] as number, data }] : [])),
  });
  const count = head?.found ?? total;
  const listed = useMemo(() => {
    const list: Row['found'][] = Array.from({ length: count });
    for (const { from, data } of parts)
      for (const [at, found] of data.rows.entries()) if (from + at < count) list[from + at] = found;
    return list;
  }, [count, parts]);
  const figures = useQueries({
    queries: inSight
      .map((from) => listed.slice(from, from + MAX_DESCRIBED).flatMap((found) => found?.txid ?? []))
      .filter(({ length }) => length > 0)
      .map(described),
    combine: (results) => new Map(results.flatMap(({ data }) => data ?? []).map((one) => [one.txid, one])),
  });
  const rows = useMemo(
    () => listed.map((found, index): Row => ({ index, found, figures: found && figures.get(found.txid) })),
    [listed, figures],
  );
  const columns = useMemo<readonly ListColumn<Row>[]>(
    () => [
      {
        key: 'position',
        title: t('explorer.position'),
        width: '62px',
        sortable: false,
        value: ({ found }) => found?.position ?? null,
        render: ({ found }) =>
          found === undefined ? null : found.position === 0 ? (
            t('explorer.coinbase')
          ) : (
            <span className="num">{formatInteger(found.position, language)}</span>
          ),
      },
      {
        key: 'txid',
        title: t('explorer.txid'),
        width: 'minmax(88px, 1fr)',
        sortable: false,
        value: ({ found }) => found?.txid ?? null,
        render: ({ found }) =>
          found === undefined ? (
            <Skeleton height={12} className={classes.wait} />
          ) : (
            <Id value={found.txid} kind="transaction" keep={4} />
          ),
      },
      figure('inputs', t('explorer.inOut'), '60px', ({ inputs, outputs }) =>
        t('explorer.inOutValue', {
          inputs: formatInteger(inputs, language),
          outputs: formatInteger(outputs, language),
        }),
      ),
      figure('size', t('explorer.size'), '60px', ({ size }) => formatBytes(size, language)),
      figure('fee', t('explorer.fee'), 'minmax(72px, 0.7fr)', ({ fee }) =>
        fee === null ? '–' : <Amount satoshis={fee} />,
      ),
      figure('rate', t('explorer.rate'), '48px', (figures) => {
        const rate = rateOf(figures.fee, figures.size);
        return rate === null ? '–' : formatInteger(rate, language);
      }),
      figure('value', t('explorer.value'), 'minmax(120px, 0.9fr)', ({ value }) => <Amount satoshis={value} />),
      figure('tokens', t('explorer.ownTokens'), '46px', ({ tokens }) =>
        tokens === 0 ? '' : formatInteger(tokens, language),
      ),
    ],
    [t, language],
  );
  /** Also the rows that were never in sight. */
  const complete = async (wanted: readonly Row[]): Promise<Row[]> => {
    const wantedStarts = [...new Set(wanted.map(({ index }) => startOf(index)))];
    const found = new Map<number, Row['found']>();
    for (const from of wantedStarts) {
      const { rows: some } = await queries.fetchQuery(blockPart({ hash, search, from }));
      for (const [at, row] of some.entries()) found.set(from + at, row);
    }
    return wanted.map(({ index }) => ({ index, found: found.get(index), figures: undefined }));
  };
  return (
    <List
      name="block-transactions"
      label={t('explorer.transactions')}
      title={t('explorer.transactions')}
      rows={rows}
      idOf={idOf}
      columns={columns}
      tools={<ListFilter label={t('explorer.filterTxids')} value={text} onChange={setText} />}
      copies={{ label: t('explorer.copyTxids'), of: ({ found }) => found?.txid ?? '' }}
      complete={complete}
      empty={t('common.noMatches')}
      onOpen={({ found }) => found !== undefined && navigate(routes.transaction(found.txid))}
      onRange={(first, end) => {
        const shown = groupsOf(first, end);
        setInSight((before) => (before.join() === shown.join() ? before : shown));
      }}
    />
  );
}
