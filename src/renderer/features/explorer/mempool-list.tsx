import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import type { TrackedTransaction, Waiting } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { amountColumn, figureColumn, timeColumn } from '../../components/list/columns.tsx';
import { List } from '../../components/list/list.tsx';
import type { ListColumn } from '../../components/list/rows.ts';
import { useSteady } from '../../components/list/use-steady.ts';
import { Badge, Id } from '../../components/values/values.tsx';
import { formatBytes, formatInteger } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';
import { rateOf } from './blocks/fee-rate.ts';

interface Row extends Waiting {
  /** What Planchet sent it for; null for what others sent. */
  readonly origin: TrackedTransaction['origin'] | null;
}

const idOf = ({ txid }: Row): string => txid;

/** What Planchet sent and no block holds, by txid. */
function useOwn(): ReadonlyMap<string, TrackedTransaction['origin']> {
  const { data } = useQuery(
    api.tx.list.queryOptions({ input: { states: ['queued', 'submitted', 'seen', 'stale'], limit: 500 } }),
  );
  return useMemo(() => new Map(data?.transactions.map(({ txid, origin }) => [txid, origin])), [data]);
}

function useColumns(): readonly ListColumn<Row>[] {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  return useMemo<readonly ListColumn<Row>[]>(
    () => [
      {
        key: 'txid',
        title: t('explorer.txid'),
        width: 'minmax(140px, 1fr)',
        sortable: false,
        value: idOf,
        render: ({ txid }) => <Id value={txid} kind="transaction" keep={10} />,
      },
      {
        key: 'own',
        title: t('explorer.yours'),
        width: 'minmax(84px, 0.6fr)',
        value: ({ origin }) => (origin === null ? null : t(`common.origin.${origin}`)),
        render: ({ origin }) => origin !== null && <Badge tone="info">{t(`common.origin.${origin}`)}</Badge>,
      },
      figureColumn(
        { key: 'rate', title: t('explorer.rate'), width: '92px' },
        ({ fee, size }) => rateOf(fee, size),
        (rate) => <span className="num">{formatInteger(rate, language)}</span>,
      ),
      amountColumn({ key: 'fee', title: t('explorer.fee'), width: '92px' }, ({ fee }) => fee),
      figureColumn(
        { key: 'size', title: t('explorer.size'), width: '84px' },
        ({ size }) => size,
        (size) => <span className="num">{formatBytes(size, language)}</span>,
      ),
      timeColumn({ key: 'age', title: t('explorer.waits'), width: '104px' }, ({ time }) => time && time * 1_000),
    ],
    [t, language],
  );
}

/** What waits for a block: what pays best first, as miners take it. */
export function MempoolList({ waiting }: { waiting: readonly Waiting[] }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const own = useOwn();
  const columns = useColumns();
  const { shown, isHeld, handlers } = useSteady(waiting);
  const rows = useMemo(() => shown.map((one): Row => ({ ...one, origin: own.get(one.txid) ?? null })), [shown, own]);
  const title = t('explorer.mempoolCount', { count: waiting.length });
  return (
    <div {...handlers}>
      <List
        name="mempool-transactions"
        label={t('explorer.mempool')}
        title={title}
        hint={isHeld ? t('common.list.held') : undefined}
        rows={rows}
        idOf={idOf}
        columns={columns}
        initialSort={{ column: 'rate', direction: 'desc' }}
        filter={t('explorer.filterTxids')}
        copies={{ label: t('explorer.copyTxids'), of: idOf }}
        onOpen={({ txid }) => navigate(routes.transaction(txid))}
      />
    </div>
  );
}
