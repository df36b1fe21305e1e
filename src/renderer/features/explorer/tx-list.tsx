import { useTranslation } from 'react-i18next';
import { routes } from '../../app/routes.ts';
import { Panel } from '../../components/page.tsx';
import { Id } from '../../components/values.tsx';
import { VirtualRows } from '../../components/virtual-rows.tsx';
import { formatInteger } from '../../lib/format.ts';

/** Transactions by id, as many as there are. */
export function TxList({ txids, title, inBlock }: { txids: readonly string[]; title: string; inBlock: boolean }) {
  const { t, i18n } = useTranslation();
  return (
    <Panel flush title={title}>
      <VirtualRows
        label={t('explorer.tableLabel', { name: title })}
        count={txids.length}
        keyOf={(index) => txids[index] ?? index}
        columns={[
          { key: 'position', title: t('explorer.position'), width: '112px' },
          { key: 'txid', title: t('explorer.txid'), width: 'minmax(0, 1fr)' },
        ]}
        cell={(index, column) => {
          const txid = txids[index] ?? '';
          if (column === 'txid') {
            return <Id value={txid} what={t('common.txidName')} to={routes.transaction(txid)} keep={20} />;
          }
          return inBlock && index === 0 ? t('explorer.coinbase') : formatInteger(index, i18n.language);
        }}
      />
    </Panel>
  );
}
