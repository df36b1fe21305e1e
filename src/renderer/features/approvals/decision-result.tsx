import { Group } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { type Approval, type ApprovalRecord, transactionStates } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { Callout } from '../../components/callouts/callout.tsx';
import layout from '../../components/styles/layout.module.css';
import { LinkedText } from '../../components/values/linked-text.tsx';
import { Amount, Badge, Id } from '../../components/values/values.tsx';
import { reasonWords } from '../../i18n/reason.ts';
import { routes } from '../../lib/routes.ts';

const queryOf = (txid: string) => api.tx.get.queryOptions({ input: { txid }, retry: false });

/** State of a transaction after its approval. */
function Sent({ txid }: { txid: string }) {
  const { t } = useTranslation();
  const tx = useQuery(queryOf(txid)).data;
  const row = tx && transactionStates.row(tx.state);
  return (
    <Group gap="xs">
      <Id value={txid} kind="transaction" to={routes.submittedTransaction(txid)} copyAlways />
      {row !== undefined && <Badge tone={row.tone}>{t(row.label)}</Badge>}
      {tx?.reason != null && (
        <span className={layout.dim}>
          <LinkedText text={reasonWords(tx.reason).text} />
        </span>
      )}
    </Group>
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

/** Scrolls into view, since the decided request may have been far below. */
function InSight({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'center' });
  }, []);
  return <div ref={box}>{children}</div>;
}

/** An approval whose transaction was not sent has the colour of its transaction. */
function Result({ record }: { record: ApprovalRecord }) {
  const { t } = useTranslation();
  const { outcome, txids = [] } = record;
  const states = useQueries({ queries: txids.map(queryOf) }).map(({ data }) => data?.state);
  const tones = states.map((state) => state && transactionStates.row(state).tone);
  const sent = tones.find((tone) => tone === 'fail') ?? tones.find((tone) => tone === 'wait') ?? 'done';
  return (
    <Callout role="status" tone={outcome === 'approved' ? sent : 'fail'} title={t(`approvals.${outcome}`)}>
      <DecisionResult record={record} />
    </Callout>
  );
}

interface NewResultsProps {
  waiting: readonly Approval[];
  records: readonly ApprovalRecord[];
}

/** The results of the requests that waited while the view was open. What a permission approved without waiting is not among them. */
export function NewResults({ waiting, records }: NewResultsProps) {
  const shown = useRef(new Set<string>());
  for (const { id } of waiting) shown.current.add(id);
  return records
    .filter(({ id }) => shown.current.has(id))
    .map((record) => (
      <InSight key={record.id}>
        <Result record={record} />
      </InSight>
    ));
}
