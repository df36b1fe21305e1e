import { Button, Stack } from '@mantine/core';
import { IconPencilCheck } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import type { TokenCard, WalletSend } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useLive } from '../../../api/live/live-store.ts';
import { useExactMoney } from '../../../api/money.ts';
import { followJob } from '../../../api/transactions/follow-job.ts';
import { useAddressWithName } from '../../../components/address/address-with-name.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { Failures } from '../../../components/callouts/failures.tsx';
import { icon } from '../../../components/icon.ts';
import { Page, Panel } from '../../../components/page.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import { Review } from '../../../components/review/review.tsx';
import { sum } from '../../../components/review/sum.ts';
import { JobBadge } from '../../../components/values/job-badge.tsx';
import { Id } from '../../../components/values/values.tsx';
import { formatInteger, shortenId } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import classes from './send.module.css';
import { WhatMoves } from './what-moves.tsx';

const names: ReadonlyMap<string, string> = new Map();

function receiverOf({ request }: WalletSend): string {
  return request.to[0]?.address ?? '';
}

function Progress({ sending }: { sending: WalletSend }) {
  const { t, i18n } = useTranslation();
  const { state, failure, active, txid, blockHeight } = sending;
  const link = txid !== null && <Id value={txid} kind="transaction" keep={8} copyAlways />;
  if (state === 'cancelled') return <Callout tone="info" role="status" title={t('tokens.send.cancelled')} />;
  if (state === 'mined') {
    const height = formatInteger(blockHeight ?? 0, i18n.language);
    return (
      <Callout tone="done" role="status" title={t('tokens.send.mined', { height })}>
        {link}
      </Callout>
    );
  }
  if (failure !== null) return <FailureNote failure={failure} tone={active ? 'wait' : 'fail'} />;
  if (state === 'reviewed') return null;
  return (
    <Callout
      tone={state === 'submitted' ? 'done' : 'info'}
      role="status"
      title={t(state === 'submitted' ? 'tokens.send.submitted' : 'tokens.send.working')}
    >
      {link}
    </Callout>
  );
}

function Sentences({ sending: { review }, receiver, name }: { sending: WalletSend; receiver: string; name: string }) {
  const { t } = useTranslation();
  const own = useLive(({ wallet }) => wallet?.address);
  const money = useExactMoney();
  const change = sum(review.outputs.filter(({ kind }) => kind === 'change'));
  const address = useAddressWithName(receiver);
  return (
    <>
      {t(own === receiver ? 'tokens.send.sentenceOwn' : 'tokens.send.sentence', { name, address })}{' '}
      {t('tokens.send.feeSentence', { fee: money(review.fee) })}{' '}
      {change > 0 ? t('tokens.send.changeSentence', { amount: money(change) }) : t('review.noChangeSentence')}
    </>
  );
}

function Sending({
  sending,
  token,
  outpoint,
}: {
  sending: WalletSend;
  token: TokenCard | undefined;
  outpoint: string;
}) {
  const { t } = useTranslation();
  const money = useExactMoney();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const onSuccess = async (changed: WalletSend): Promise<void> => {
    queries.setQueryData(api.tokens.send.get.queryKey({ input: { id: sending.id } }), changed);
    await queries.invalidateQueries({ queryKey: api.tokens.list.key() });
  };
  const approve = useMutation(api.tokens.send.approve.mutationOptions({ onSuccess }));
  const cancel = useMutation(api.tokens.send.cancel.mutationOptions({ onSuccess }));
  const retry = useMutation(api.wallet.send.retry.mutationOptions({ onSuccess }));
  const { id, review, awaitingApproval, canApprove, canCancel, canRetry, txid } = sending;
  const receiver = receiverOf(sending);
  const own = useLive(({ wallet }) => wallet?.address) === receiver;
  const name = token?.name || t('tokens.send.thisToken');
  const top = useRef<HTMLDivElement>(null);
  const approved = useRef(awaitingApproval);
  useEffect(() => {
    // The button stands below the review, what becomes of it above.
    if (approved.current && !awaitingApproval) top.current?.scrollIntoView({ block: 'center' });
    approved.current = awaitingApproval;
  }, [awaitingApproval]);
  return (
    <>
      <Stack gap="md">
        <div ref={top} className={classes.progress}>
          <Progress sending={sending} />
        </div>
        <Failures of={[approve, cancel, retry]} />
        {token !== undefined && (
          <Panel title={t('tokens.send.what')}>
            <WhatMoves token={token} receiver={receiver} own={own} />
          </Panel>
        )}
        <Review
          review={review}
          names={names}
          receiverShown={token !== undefined}
          sentences={<Sentences sending={sending} receiver={receiver} name={name} />}
        />
      </Stack>
      <div className={classes.bar}>
        <span className={classes.dim}>{awaitingApproval && t('tokens.send.approveHint')}</span>
        {canCancel && (
          <Button
            variant="default"
            loading={cancel.isPending}
            onClick={() => cancel.mutate({ id }, { onSuccess: () => navigate(routes.token(outpoint)) })}
          >
            {t('tokens.send.discard')}
          </Button>
        )}
        {awaitingApproval && (
          <Button
            leftSection={<IconPencilCheck {...icon} />}
            disabled={!canApprove}
            loading={approve.isPending}
            onClick={() => approve.mutate({ id, digest: review.digest })}
          >
            {t('tokens.send.approve', { fee: money(review.fee) })}
          </Button>
        )}
        {!awaitingApproval && canRetry && (
          <Button loading={retry.isPending} onClick={() => retry.mutate({ id })}>
            {t('tokens.send.retry')}
          </Button>
        )}
        {!awaitingApproval && !canRetry && (
          <>
            {txid !== null && (
              <Button variant="default" component={Link} href={routes.transaction(txid)}>
                {t('tokenSheet.transaction')}
              </Button>
            )}
            <Button component={Link} href={routes.tokens}>
              {t('tokens.send.back')}
            </Button>
          </>
        )}
      </div>
    </>
  );
}

/** A token on its way: the review and the approval first, then what became of it. */
export function SendingTokenPage({ outpoint, id }: { outpoint: string; id: string }) {
  const { t } = useTranslation();
  const query = useQuery(api.tokens.send.get.queryOptions({ input: { id }, refetchInterval: followJob }));
  const token = useQuery(api.tokens.get.queryOptions({ input: { outpoint }, retry: false })).data?.token;
  const sending = query.data;
  return (
    <Page
      title={token?.name ? t('tokens.send.title', { name: token.name }) : t('tokens.send.titleUnnamed')}
      purpose={sending?.awaitingApproval === false ? undefined : t('tokens.send.reviewPurpose')}
      aside={sending && <JobBadge job={sending} />}
      crumbs={[
        { label: t('tokens.title'), to: routes.tokens },
        { label: token?.name || shortenId(outpoint, 6), to: routes.token(outpoint) },
      ]}
    >
      <QueryView query={query}>{(loaded) => <Sending sending={loaded} token={token} outpoint={outpoint} />}</QueryView>
    </Page>
  );
}
