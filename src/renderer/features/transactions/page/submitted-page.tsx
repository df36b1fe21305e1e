import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { type TrackedDetail, transactionStates } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { Panel } from '../../../components/page.tsx';
import { Drawing } from '../../../components/transaction-parts/drawing.tsx';
import { TransactionFrame } from '../../../components/transaction-parts/transaction-frame.tsx';
import { routes } from '../../../lib/routes.ts';
import { TransactionBadge } from '../state-line.tsx';
import { Answers } from './answers.tsx';
import { DoubleSpend } from './double-spend.tsx';
import { Facts } from './facts.tsx';
import classes from './page.module.css';
import { StoredProof } from './proof.tsx';
import { RawForms } from './raw-forms.tsx';
import { Reason } from './reason.tsx';
import { Timeline } from './timeline.tsx';

/** Answers that change no state are not told by an event. */
const POLL_MS = 2_000;

/** What it moves, where the node knows the transaction and what it spends. */
function Moves({ txid }: { txid: string }) {
  const { t } = useTranslation();
  const tx = useQuery(api.transactions.get.queryOptions({ input: { txid }, retry: false })).data;
  return tx === undefined ? null : <Drawing tx={tx} title={t('submitted.page.drawing')} />;
}

function Detail({ transaction }: { transaction: TrackedDetail }) {
  return (
    <>
      <Reason transaction={transaction} />
      <DoubleSpend transaction={transaction} />
      <Panel>
        <Facts transaction={transaction} />
      </Panel>
      <div className={classes.columns}>
        <Timeline transaction={transaction} />
        <Stack gap="md">
          <Moves txid={transaction.txid} />
          <Answers events={transaction.events} />
        </Stack>
      </div>
      {transaction.proof !== null && <StoredProof txid={transaction.txid} proof={transaction.proof} />}
      <RawForms transaction={transaction} />
    </>
  );
}

/** One submitted transaction: how far it has come, what each miner said of it, what proves it. */
export function SubmittedPage({ txid }: { txid: string }) {
  const { t } = useTranslation();
  const query = useQuery(
    api.tx.get.queryOptions({
      input: { txid },
      refetchInterval: ({ state: { data } }) =>
        data !== undefined && !transactionStates.is(data.state, 'final') && POLL_MS,
    }),
  );
  const { data } = query;
  return (
    <TransactionFrame
      txid={txid}
      query={query}
      title={data === undefined || data.label === '' ? t('submitted.page.title') : data.label}
      aside={data === undefined ? undefined : <TransactionBadge state={data.state} />}
      purpose={data === undefined ? undefined : t(`submitted.page.purpose.${data.state}`)}
      crumbs={[{ label: t('submitted.title'), to: routes.submitted }]}
      actions={
        <Button component={Link} href={routes.transaction(txid)} variant="default">
          {t('submitted.page.explorer')}
        </Button>
      }
    >
      {(transaction) => <Detail transaction={transaction} />}
    </TransactionFrame>
  );
}
