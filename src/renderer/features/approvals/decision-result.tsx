import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type ApprovalRecord, transactionStates } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import layout from '../../components/styles/layout.module.css';
import { Amount, Badge, Id } from '../../components/values/values.tsx';
import { reasonWords } from '../../i18n/reason.ts';
import { routes } from '../../lib/routes.ts';

/** State of a transaction after its approval. */
function Sent({ txid }: { txid: string }) {
  const { t } = useTranslation();
  const tx = useQuery(api.tx.get.queryOptions({ input: { txid }, retry: false })).data;
  const row = tx && transactionStates.row(tx.state);
  return (
    <div>
      <Id value={txid} kind="transaction" to={routes.submittedTransaction(txid)} copyAlways />{' '}
      {row !== undefined && <Badge tone={row.tone}>{t(row.label)}</Badge>}{' '}
      {tx?.reason != null && <span className={layout.dim}>{reasonWords(tx.reason).text}</span>}
    </div>
  );
}

/** The result of a decision: its reason, the transaction sent and its state. */
export function DecisionResult({ record }: { record: ApprovalRecord }) {
  const { t } = useTranslation();
  const { kind, outcome, reason, amount, txids = [] } = record;
  return (
    <>
      <span className={layout.dim}>{t(`approvals.reason.${reason}`)}</span>
      {kind === 'budget' && outcome === 'approved' && (
        <div className={layout.dim}>
          {t('approvals.mayWrite')} <Amount satoshis={amount} />
        </div>
      )}
      {txids.map((txid) => (
        <Sent key={txid} txid={txid} />
      ))}
    </>
  );
}
