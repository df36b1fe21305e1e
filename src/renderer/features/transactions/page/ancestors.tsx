import { useQueries, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { TransactionView } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { Panel } from '../../../components/page.tsx';
import layout from '../../../components/styles/layout.module.css';
import { Amount, Id } from '../../../components/values/values.tsx';
import { formatBytes, formatInteger } from '../../../lib/format.ts';

/** Ancestors whose fees are read. */
const READ = 25;

const rateOf = (fee: number, size: number): number => Math.round((fee / size) * 1_000);

/** What a waiting transaction builds on that waits as well: a miner takes all of them or none. Nothing where all its parents are mined. */
export function Ancestors({ tx }: { tx: TransactionView }) {
  const { t, i18n } = useTranslation();
  const query = useQuery(api.transactions.ancestors.queryOptions({ input: { txid: tx.txid }, staleTime: 0 }));
  const { txids = [], isComplete = true } = query.data ?? {};
  const read = useQueries({
    queries: txids.slice(0, READ).map((txid) => api.transactions.get.queryOptions({ input: { txid }, retry: false })),
  });
  if (query.error !== null)
    return <FailureNote failure={failureOf(query.error)} tone="wait" onRetry={() => void query.refetch()} />;
  if (txids.length === 0) return null;
  const family = [tx, ...read.flatMap(({ data }) => (data === undefined ? [] : [data]))];
  const isWhole = isComplete && family.length === txids.length + 1 && family.every(({ fee }) => fee !== null);
  const fee = family.reduce((sum, one) => sum + (one.fee ?? 0), 0);
  const size = family.reduce((sum, one) => sum + one.size, 0);
  return (
    <Panel
      flush
      title={t('transactions.ancestors.title', { count: txids.length })}
      hint={
        isWhole
          ? t('transactions.ancestors.rate', { rate: formatInteger(rateOf(fee, size), i18n.language) })
          : t('transactions.ancestors.hint')
      }
    >
      {txids.slice(0, READ).map((txid, at) => {
        const ancestor = read[at]?.data;
        return (
          <div key={txid} className={layout.line}>
            <span className={layout.value}>
              <Id value={txid} kind="transaction" keep={8} />
            </span>
            {ancestor !== undefined && (
              <>
                <span className={`${layout.dim} num`}>{formatBytes(ancestor.size, i18n.language)}</span>
                {ancestor.fee !== null && (
                  <>
                    <span className={`${layout.dim} num`}>
                      {t('review.rateValue', {
                        rate: formatInteger(rateOf(ancestor.fee, ancestor.size), i18n.language),
                      })}
                    </span>
                    <Amount satoshis={ancestor.fee} />
                  </>
                )}
              </>
            )}
          </div>
        );
      })}
      {(!isComplete || txids.length > READ) && (
        <p className={`${layout.dim} ${layout.pad}`}>
          {t('transactions.ancestors.more', { first: Math.min(READ, txids.length) })}
        </p>
      )}
    </Panel>
  );
}
