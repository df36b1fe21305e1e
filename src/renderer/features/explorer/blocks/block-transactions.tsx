import { Skeleton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { MAX_BLOCK_ROWS } from '../../../../contract/index.ts';
import { List, ListFilter } from '../../../components/list/list.tsx';
import type { ListColumn } from '../../../components/list/rows.ts';
import { Id } from '../../../components/values/values.tsx';
import { formatInteger } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import classes from '../explorer.module.css';
import { blockPart } from './block-part.ts';

/** Long enough for one more letter, in milliseconds. */
const TYPING_MS = 200;

interface Row {
  /** Among those that are wanted. */
  readonly index: number;
  /** Undefined until the row was in sight. */
  readonly found: { readonly position: number; readonly txid: string } | undefined;
}

const idOf = ({ index }: Row): string => String(index);
const startOf = (index: number): number => index - (index % MAX_BLOCK_ROWS);

/** What is in a block, as many as there are: the host is asked for the part in sight. */
export function BlockTransactions({ hash, total }: { hash: string; total: number }) {
  const { t, i18n } = useTranslation();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text.trim(), TYPING_MS);
  const [inSight, setInSight] = useState<readonly number[]>([0]);
  const { data: head } = useQuery({ ...blockPart({ hash, search, from: 0 }), placeholderData: (before) => before });
  const parts = useQueries({
    queries: inSight.map((from) => blockPart({ hash, search, from })),
    combine: (results) => results.flatMap(({ data }, at) => (data ? [{ from: inSight[at] as number, data }] : [])),
  });
  const count = head?.found ?? total;
  const rows = useMemo(() => {
    const list: Row[] = Array.from({ length: count }, (_, index) => ({ index, found: undefined }));
    for (const { from, data } of parts)
      for (const [at, found] of data.rows.entries())
        if (from + at < count) list[from + at] = { index: from + at, found };
    return list;
  }, [count, parts]);
  const columns = useMemo<readonly ListColumn<Row>[]>(
    () => [
      {
        key: 'position',
        title: t('explorer.position'),
        width: '112px',
        sortable: false,
        value: ({ found }) => found?.position ?? null,
        render: ({ found }) =>
          found === undefined ? null : found.position === 0 ? (
            t('explorer.coinbase')
          ) : (
            <span className="num">{formatInteger(found.position, i18n.language)}</span>
          ),
      },
      {
        key: 'txid',
        title: t('explorer.txid'),
        width: 'minmax(0, 1fr)',
        sortable: false,
        value: ({ found }) => found?.txid ?? null,
        render: ({ found }) =>
          found === undefined ? (
            <Skeleton height={12} className={classes.wait} />
          ) : (
            <Id value={found.txid} kind="transaction" keep={20} />
          ),
      },
    ],
    [t, i18n.language],
  );
  /** Also the rows that were never in sight. */
  const complete = async (wanted: readonly Row[]): Promise<Row[]> => {
    const starts = [...new Set(wanted.map(({ index }) => startOf(index)))];
    const found = new Map<number, Row['found']>();
    for (const from of starts) {
      const { rows: some } = await queries.fetchQuery(blockPart({ hash, search, from }));
      for (const [at, row] of some.entries()) found.set(from + at, row);
    }
    return wanted.map(({ index }) => ({ index, found: found.get(index) }));
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
        const starts: number[] = [];
        for (let from = startOf(first); from < end; from += MAX_BLOCK_ROWS) starts.push(from);
        setInSight((before) => (before.join() === starts.join() ? before : starts));
      }}
    />
  );
}
