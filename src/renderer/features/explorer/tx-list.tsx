import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { List } from '../../components/list/list.tsx';
import type { ListColumn } from '../../components/list/rows.ts';
import { Id } from '../../components/values/values.tsx';
import { formatInteger } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';

interface Row {
  position: number;
  txid: string;
}

const idOf = (row: Row): string => row.txid;

/** Transactions by id, as many as there are. */
export function TxList({ txids, title }: { txids: readonly string[]; title: string }) {
  const { t, i18n } = useTranslation();
  const [, navigate] = useLocation();
  const rows = useMemo(() => txids.map((txid, position) => ({ position, txid })), [txids]);
  const columns = useMemo<readonly ListColumn<Row>[]>(
    () => [
      {
        key: 'position',
        title: t('explorer.position'),
        width: '112px',
        value: (row) => row.position,
        render: ({ position }) => formatInteger(position, i18n.language),
      },
      {
        key: 'txid',
        title: t('explorer.txid'),
        width: 'minmax(0, 1fr)',
        value: idOf,
        render: ({ txid }) => <Id value={txid} kind="transaction" keep={20} />,
      },
    ],
    [t, i18n.language],
  );
  return (
    <List
      name="mempool-transactions"
      label={title}
      title={title}
      rows={rows}
      idOf={idOf}
      columns={columns}
      initialSort={{ column: 'position', direction: 'asc' }}
      filter={t('explorer.filterTxids')}
      copies={{ label: t('explorer.copyTxids'), of: idOf }}
      onOpen={({ txid }) => navigate(routes.transaction(txid))}
    />
  );
}
