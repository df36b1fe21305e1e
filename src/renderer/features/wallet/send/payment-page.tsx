import { Button, Stack } from '@mantine/core';
import { IconPencilCheck } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import {
  askedReceivers,
  askedRequest,
  type SentToken,
  sentTokens,
  type WalletSend,
  type WalletSendRequest,
} from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useLive } from '../../../api/live/live-store.ts';
import { useExactMoney } from '../../../api/money.ts';
import { followJob } from '../../../api/transactions/follow-job.ts';
import { useAddressWithName } from '../../../components/address/address-with-name.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { Failures } from '../../../components/callouts/failures.tsx';
import { icon } from '../../../components/icon.ts';
import { Page } from '../../../components/page.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import { Review } from '../../../components/review/review.tsx';
import layout from '../../../components/styles/layout.module.css';
import { JobBadge } from '../../../components/values/job-badge.tsx';
import { Id } from '../../../components/values/values.tsx';
import { inPageLanguage } from '../../../i18n/errors.ts';
import { checkInPageLanguage } from '../../../i18n/phrases.ts';
import { formatInteger, shortAddress } from '../../../lib/format.ts';
import { newKey } from '../../../lib/new-key.ts';
import { routes } from '../../../lib/routes.ts';
import classes from '../wallet.module.css';
import { AcceptKeys } from './keys/accept-keys.tsx';
import { paidBy } from './paid.ts';
import { useSendDraft } from './send-draft.ts';
import { SentList } from './sent-list.tsx';
import { isHalfSent, SeriesProgress } from './series/series-progress.tsx';

const names: ReadonlyMap<string, string> = new Map();
/** Checks whose findings are part of the sentences once they passed; failed ones are shown above. */
const TOLD = ['paymail', 'paymail-key', 'transactions', 'dust', 'later'];

/** What the payment does, in plain words. */
function useSentences({ request, review, transactions }: WalletSend): string {
  const { t, i18n } = useTranslation();
  const money = useExactMoney();
  const own = useLive(({ wallet }) => wallet?.address);
  const { payments, sum, change, isMove } = paidBy(review, own);
  const told = review.checks.filter(({ id, passed }) => passed && TOLD.includes(id)).map(checkInPageLanguage);
  if (review.checks.some(({ id, passed }) => id === 'replaces' && passed)) told.push(t('wallet.payment.replaces'));
  // Where hosts of paymail addresses chose the outputs, those addresses are what a person asked for.
  const receivers = request.paymails === undefined ? payments : askedReceivers(request);
  const [receiver] = receivers;
  const addressWithName = useAddressWithName(receiver?.address ?? '');
  const tokens = sentTokens({ request, txid: null, state: 'reviewed', transactions });
  const cost = { fee: money(review.fee), total: money(sum + review.fee) };
  if (isMove) {
    const into = formatInteger(payments.length, i18n.language);
    const move = payments.length > 1 ? 'wallet.payment.moveInto' : 'wallet.payment.move';
    const moved = t(move, { count: review.inputs.length, amount: money(sum), into });
    return [moved, t('wallet.payment.moveFee', cost), ...told].join(' ');
  }
  if (tokens.length > 0) {
    const people = new Set(tokens.map(({ address }) => address)).size;
    return [
      t('wallet.payment.sendTokens', { count: tokens.length, receivers: formatInteger(people, i18n.language) }),
      t('wallet.payment.moveFee', cost),
      ...told,
    ].join(' ');
  }
  const sent =
    receiver !== undefined && receivers.every(({ address }) => address === receiver.address)
      ? t('wallet.payment.send', { amount: money(sum), address: addressWithName })
      : t('wallet.payment.sendMany', { amount: money(sum), count: receivers.length });
  return [
    sent,
    t('wallet.payment.fee', cost),
    change > 0 ? t('wallet.payment.change', { amount: money(change) }) : t('review.noChangeSentence'),
    ...told,
  ].join(' ');
}

function Progress({ payment }: { payment: WalletSend }) {
  const { t } = useTranslation();
  const { state, failure, active, blockHeight, transactions = [payment] } = payment;
  const link = transactions.map(
    ({ txid }) =>
      txid !== null && (
        <div key={txid}>
          {t('wallet.payment.txid')} <Id value={txid} kind="transaction" keep={8} copyAlways />
        </div>
      ),
  );
  if (state === 'cancelled') return <Callout tone="info" role="status" title={t('wallet.payment.cancelled')} />;
  if (state === 'mined') {
    return (
      <Callout tone="done" role="status" title={t('wallet.payment.mined', { height: blockHeight ?? 0 })}>
        {link}
        {failure && inPageLanguage(failure).message}
      </Callout>
    );
  }
  if (failure !== null) return <FailureNote failure={failure} tone={active ? 'wait' : 'fail'} />;
  if (state === 'submitted') {
    return (
      <Callout tone="done" role="status" title={t('wallet.payment.submitted')}>
        {link}
      </Callout>
    );
  }
  return active || state === 'signed' ? (
    <Callout tone="info" role="status" title={t('wallet.payment.working')}>
      {link}
    </Callout>
  ) : null;
}

/** Hosts of paymail addresses that were not notified of the payment. The payment is sent all the same. */
function Untold({ untold = [] }: Pick<WalletSend, 'untold'>) {
  const { t } = useTranslation();
  return untold.map(({ paymail, failure, isOver }) => (
    <Callout
      key={paymail}
      tone={isOver ? 'fail' : 'wait'}
      role="status"
      title={t(isOver ? 'wallet.sendPage.neverTold' : 'wallet.sendPage.untold', { paymail })}
    >
      {failure && inPageLanguage(failure).message}
    </Callout>
  ));
}

/** Who gets each token, for the drawing. */
function receiversOf(tokens: readonly SentToken[]): ReadonlyMap<string, string> {
  return new Map(tokens.map(({ outpoint, address }) => [outpoint, shortAddress(address)]));
}

/** The same review with the outputs of tokens marked as tokens, so that the drawing folds them. */
function asTokens(review: WalletSend['review'], tokens: readonly SentToken[]): WalletSend['review'] {
  const places = review.outputs.flatMap(({ kind, index }) => (kind === 'payment' ? index : []));
  if (places.length !== tokens.length) return review;
  const tokenAt = new Map(places.map((index, n) => [index, tokens[n]?.outpoint ?? null]));
  const outputs = review.outputs.map((output) =>
    output.kind === 'payment'
      ? { ...output, kind: 'token' as const, itemId: tokenAt.get(output.index) ?? null }
      : output,
  );
  return { ...review, outputs };
}

function Payment({ payment }: { payment: WalletSend }) {
  const { t } = useTranslation();
  const money = useExactMoney();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const sentences = useSentences(payment);
  const onSuccess = async (changed: WalletSend): Promise<void> => {
    queries.setQueryData(api.wallet.send.get.queryKey({ input: { id: payment.id } }), changed);
    await queries.invalidateQueries({ queryKey: api.wallet.key() });
  };
  const approve = useMutation(api.wallet.send.approve.mutationOptions({ onSuccess }));
  const cancel = useMutation(api.wallet.send.cancel.mutationOptions({ onSuccess }));
  const pause = useMutation(api.wallet.send.pause.mutationOptions({ onSuccess }));
  const retry = useMutation(api.wallet.send.retry.mutationOptions({ onSuccess }));
  const anew = useMutation(api.wallet.send.prepare.mutationOptions());
  const openMade = { onSuccess: (made: WalletSend) => navigate(routes.walletPayment(made.id)) };
  // The hosts of paymail addresses are asked again, so that they learn of the new outputs.
  const prepare = (replacing: WalletSendRequest): void =>
    anew.mutate({ request: { ...askedRequest(replacing), replaces: id }, idempotencyKey: newKey() }, openMade);
  const {
    id,
    review,
    request,
    awaitingApproval,
    canApprove,
    canCancel,
    canRetry,
    txid,
    transactions = [payment],
  } = payment;
  const own = useLive(({ wallet }) => wallet?.address);
  const { sum, isMove } = paidBy(review, own);
  const tokens = sentTokens(payment);
  const movesTokens = tokens.length > 0 && !isMove;
  const total = money(movesTokens ? review.fee : sum + review.fee);
  const halfSent = isHalfSent(payment);
  const dropped = transactions.filter(({ state }) => state === 'cancelled').length;
  // Sending the same bytes again does not help where the fee was refused.
  const helpsAgain = payment.failure?.id !== 'merchant.refused-fee';
  return (
    <>
      <Stack gap="md">
        {!halfSent && <Progress payment={payment} />}
        {halfSent && (
          <SeriesProgress
            payment={payment}
            pause={{ isPending: pause.isPending, run: () => pause.mutate({ id }) }}
            resume={{ isPending: approve.isPending, run: () => approve.mutate({ id, digest: review.digest }) }}
            cancel={{ isPending: cancel.isPending, run: () => cancel.mutate({ id }) }}
          />
        )}
        {dropped > 0 && dropped < transactions.length && (
          <Callout
            tone="info"
            role="status"
            title={t('paymentSeries.cancelled', { count: dropped, of: transactions.length })}
          />
        )}
        {(payment.state === 'submitted' || payment.state === 'mined') && <Untold untold={payment.untold} />}
        <Failures of={[approve, pause, cancel, retry, anew]} />
        <Review
          review={movesTokens ? asTokens(review, tokens) : review}
          names={movesTokens ? receiversOf(tokens) : names}
          sentences={sentences}
        />
        <SentList payment={payment} />
      </Stack>
      {!halfSent && (
        <div className={classes.bar}>
          <span className={layout.dim}>
            {awaitingApproval
              ? t(transactions.length > 1 ? 'wallet.payment.approveHints' : 'wallet.payment.approveHint', {
                  count: transactions.length,
                })
              : canRetry
                ? t('wallet.payment.retryHint')
                : ''}
          </span>
          <AcceptKeys
            payment={payment}
            onAccepted={() =>
              cancel.mutate(
                { id },
                {
                  onSuccess: () => anew.mutate({ request: askedRequest(request), idempotencyKey: newKey() }, openMade),
                },
              )
            }
          />
          {canCancel && (
            <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate({ id })}>
              {t('wallet.payment.cancel')}
            </Button>
          )}
          {awaitingApproval && (
            <>
              {canCancel && !isMove && !movesTokens && (
                <Button
                  variant="default"
                  disabled={cancel.isPending}
                  onClick={() =>
                    cancel.mutate(
                      { id },
                      {
                        onSuccess: () => {
                          useSendDraft.getState().load(request);
                          navigate(routes.walletSend);
                        },
                      },
                    )
                  }
                >
                  {t('wallet.payment.edit')}
                </Button>
              )}
              <Button
                leftSection={<IconPencilCheck {...icon} />}
                disabled={!canApprove}
                loading={approve.isPending}
                onClick={() => approve.mutate({ id, digest: review.digest })}
              >
                {t(
                  movesTokens
                    ? 'wallet.payment.approveTokens'
                    : isMove
                      ? 'wallet.payment.approveMove'
                      : 'wallet.payment.approve',
                  { total, count: tokens.length },
                )}
              </Button>
            </>
          )}
          {!awaitingApproval && (
            <>
              {txid !== null && (
                <Button variant="default" component={Link} href={routes.transaction(txid)}>
                  {t('wallet.payment.transaction')}
                </Button>
              )}
              {canRetry && own && request.token === undefined && request.tokens === undefined && (
                <Button
                  variant="default"
                  loading={anew.isPending}
                  onClick={() =>
                    prepare({
                      to: [{ address: own, satoshis: 'all' }],
                      coins: review.inputs.map((input) => `${input.txid}_${input.vout}`),
                    })
                  }
                >
                  {t('wallet.payment.takeBack')}
                </Button>
              )}
              {canRetry ? (
                <>
                  {!movesTokens && (
                    <Button
                      variant={helpsAgain ? 'default' : 'filled'}
                      loading={anew.isPending}
                      onClick={() => prepare(request)}
                    >
                      {t('wallet.payment.anew')}
                    </Button>
                  )}
                  <Button
                    variant={helpsAgain ? 'filled' : 'default'}
                    loading={retry.isPending}
                    onClick={() => retry.mutate({ id })}
                  >
                    {t('wallet.payment.retry')}
                  </Button>
                </>
              ) : (
                <Button component={Link} href={routes.wallet}>
                  {t('wallet.payment.back')}
                </Button>
              )}
            </>
          )}
        </div>
      )}
    </>
  );
}

/** One payment: the review and the approval first, then what became of it. */
export function PaymentPage({ id }: { id: string }) {
  const { t } = useTranslation();
  const query = useQuery(api.wallet.send.get.queryOptions({ input: { id }, refetchInterval: followJob }));
  const payment = query.data;
  const count = payment === undefined ? 0 : sentTokens(payment).length;
  return (
    <Page
      title={
        payment?.request.label || (count > 1 ? t('wallet.payment.titleTokens', { count }) : t('wallet.payment.title'))
      }
      purpose={
        payment !== undefined && (!payment.awaitingApproval || isHalfSent(payment))
          ? undefined
          : t('wallet.payment.purpose')
      }
      aside={payment && <JobBadge job={payment} />}
      crumbs={[{ label: t('wallet.title'), to: routes.wallet }]}
    >
      <QueryView query={query}>{(loaded) => <Payment payment={loaded} />}</QueryView>
    </Page>
  );
}
