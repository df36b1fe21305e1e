import { Skeleton, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { failureOf } from '../../../api/failure.ts';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { Page, Panel } from '../../../components/page.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import { Drawing, useTokenNames } from '../../../components/transaction-parts/drawing.tsx';
import { Inscriptions } from '../../../components/transaction-parts/inscription/inscriptions.tsx';
import { Inputs, Outputs, TransactionSkeleton, TxidLine } from '../../../components/transaction-parts/parts.tsx';
import { Spend, useSpends } from '../../../components/transaction-parts/spends.tsx';
import { Badge } from '../../../components/values/values.tsx';
import { formatInteger } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import { TransactionBadge } from '../state-line.tsx';
import { Ancestors } from './ancestors.tsx';
import { Facts } from './facts.tsx';
import classes from './page.module.css';
import { Proof } from './proof.tsx';
import { RawForms } from './raw-forms.tsx';
import { Answers } from './submission/answers.tsx';
import { DoubleSpend } from './submission/double-spend.tsx';
import { Reason } from './submission/reason.tsx';
import { Timeline } from './submission/timeline.tsx';
import { Unusual } from './unusual.tsx';
import { type KnownTransaction, useTransaction } from './use-transaction.ts';

function Status({ own, onChain }: KnownTransaction) {
  const { t } = useTranslation();
  if (own !== null) return <TransactionBadge state={own.state} />;
  const isMined = (onChain?.confirmations ?? 0) > 0;
  return (
    <Badge tone={isMined ? 'done' : 'info'} busy={!isMined}>
      {t(isMined ? 'transactions.confirmed' : 'transactions.unconfirmed')}
    </Badge>
  );
}

function usePurpose({ own, onChain }: KnownTransaction): string {
  const { t, i18n } = useTranslation();
  if (own !== null) return t(`submitted.page.purpose.${own.state}`);
  if (onChain === null || onChain.blockHeight === null) return t('transactions.purposeWaiting');
  const height = formatInteger(onChain.blockHeight, i18n.language);
  return t('transactions.purposeMined', { count: onChain.confirmations, height });
}

/** What it spends and makes, with what became of each output. */
function Moves({ txid, parts, onChain }: KnownTransaction & { txid: string }) {
  const spends = useSpends(txid, onChain?.outputs);
  const names = useTokenNames(parts?.outputs ?? []);
  if (parts === null) return <Skeleton height={160} />;
  return (
    <>
      <Inputs tx={parts} />
      <Outputs
        tx={parts}
        names={names}
        {...(onChain !== null && { more: (output) => <Spend output={output} spends={spends.data} /> })}
      />
      {spends.error !== null && (
        <FailureNote
          failure={failureOf(spends.error)}
          tone="wait"
          retrying={spends.isFetching}
          onRetry={() => void spends.refetch()}
        />
      )}
    </>
  );
}

function Detail({ txid, known }: { txid: string; known: KnownTransaction }) {
  const { t } = useTranslation();
  const { own, onChain, parts } = known;
  const drawing = parts === null ? null : <Drawing tx={parts} title={t('submitted.page.drawing')} />;
  return (
    <>
      {own !== null && <Reason transaction={own} />}
      {own !== null && <DoubleSpend transaction={own} />}
      <Panel>
        <Facts {...known} />
      </Panel>
      {onChain !== null && <Unusual tx={onChain} />}
      {/* The content of a transaction that was never sent cannot be read from the chain. */}
      {onChain !== null && parts !== null && <Inscriptions txid={txid} outputs={parts.outputs} />}
      {own === null ? (
        drawing
      ) : (
        <div className={classes.columns}>
          <Timeline transaction={own} />
          <Stack gap="md">
            {drawing}
            <Answers events={own.events} />
          </Stack>
        </div>
      )}
      {onChain?.blockHash === null && <Ancestors tx={onChain} />}
      <Moves txid={txid} {...known} />
      <Proof {...known} />
      <RawForms {...known} />
    </>
  );
}

/** One transaction, whoever sent it: where it stands and why, what it moves and what spent that, what proves it, and its bytes. */
export function TransactionPage({ txid, home }: { txid: string; home: 'explorer' | 'submitted' }) {
  const { t } = useTranslation();
  const query = useTransaction(txid);
  const { data, unanswered } = query;
  const purpose = usePurpose(data ?? { own: null, onChain: null, parts: null });
  const own = data?.own ?? null;
  return (
    <Page
      title={own === null || own.label === '' ? t('transactions.title') : own.label}
      aside={data === undefined ? undefined : <Status {...data} />}
      purpose={data === undefined ? undefined : purpose}
      crumbs={[{ label: t(`${home}.title`), to: routes[home] }]}
    >
      <TxidLine txid={txid} />
      <QueryView query={query} skeleton={<TransactionSkeleton />}>
        {(known) => (
          <Stack gap="md">
            {unanswered !== undefined && <FailureNote failure={unanswered} tone="wait" onRetry={query.refetch} />}
            <Detail txid={txid} known={known} />
          </Stack>
        )}
      </QueryView>
    </Page>
  );
}
