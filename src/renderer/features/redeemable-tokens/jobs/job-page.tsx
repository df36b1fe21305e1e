import { Button, Stack } from '@mantine/core';
import { IconPencilCheck } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import type { TokenJob } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useExactMoney } from '../../../api/money.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { Failures } from '../../../components/callouts/failures.tsx';
import { icon } from '../../../components/icon.ts';
import { Page } from '../../../components/page.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import { Review } from '../../../components/review/review.tsx';
import { JobBadge } from '../../../components/values/job-badge.tsx';
import { shortenId } from '../../../lib/format.ts';
import { newKey } from '../../../lib/new-key.ts';
import { routes } from '../../../lib/routes.ts';
import classes from '../redeemable-tokens.module.css';
import { useRedeemableTokens } from '../use-redeemable-tokens.ts';

/** What the transaction does, in a sentence. */
function useSentences(job: TokenJob, own: string | null | undefined): string {
  const { t } = useTranslation();
  const { request, review } = job;
  const money = useExactMoney();
  const destination = 'to' in request && typeof request.to === 'string' ? request.to : '';
  const what = t(`redeemableTokens.sentence.${request.action}`, {
    symbol: job.symbol,
    in: money(review.tokensIn),
    out: money(review.tokensOut),
    redeemed: money(review.redeemed),
    to: destination === own ? t('redeemableTokens.job.own') : shortenId(destination, 6),
    count: 'to' in request && Array.isArray(request.to) ? request.to.length : 1,
  });
  return `${what} ${t('redeemableTokens.sentence.fee', { fee: money(review.fee) })}`;
}

function Job({ job }: { job: TokenJob }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const own = useRedeemableTokens().data?.address;
  const onSuccess = (changed: TokenJob): void => {
    queries.setQueryData(api.redeemableTokens.get.queryKey({ input: { id: job.id } }), changed);
  };
  const approve = useMutation(api.redeemableTokens.approve.mutationOptions({ onSuccess }));
  const cancel = useMutation(api.redeemableTokens.cancel.mutationOptions({ onSuccess }));
  const retry = useMutation(api.redeemableTokens.retry.mutationOptions({ onSuccess }));
  const anew = useMutation(api.redeemableTokens.prepare.mutationOptions());
  const sentences = useSentences(job, own);
  // Every token gets its own name in the drawing and the tables.
  const review = {
    ...job.review,
    outputs: job.review.outputs.map((output) =>
      output.kind === 'token' ? { ...output, itemId: String(output.index) } : output,
    ),
  };
  const names = new Map(
    job.review.outputs.map(({ index, address }) => [
      String(index),
      t('redeemableTokens.job.tokenTo', {
        symbol: job.symbol,
        address: address === own ? t('redeemableTokens.job.own') : shortenId(address ?? '', 6),
      }),
    ]),
  );
  return (
    <>
      <Stack gap="md">
        {job.state === 'cancelled' && <Callout tone="info" title={t('redeemableTokens.job.cancelled')} />}
        {job.state === 'mined' && (
          <Callout
            tone="done"
            role="status"
            title={t('redeemableTokens.job.mined', { height: job.blockHeight ?? 0 })}
          />
        )}
        {job.active && job.failure === null && (
          <Callout tone="info" role="status" title={t('redeemableTokens.job.working')} />
        )}
        {job.failure !== null && <FailureNote failure={job.failure} tone={job.active ? 'wait' : 'fail'} />}
        <Failures of={[approve, cancel, retry, anew]} />
        <Review review={review} names={names} sentences={sentences} />
      </Stack>
      <div className={classes.bar}>
        <span className={classes.dim}>
          {job.awaitingApproval
            ? t('redeemableTokens.job.approveHint')
            : job.canRetry
              ? t('redeemableTokens.job.retryHint')
              : ''}
        </span>
        {job.awaitingApproval ? (
          <>
            <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate({ id: job.id })}>
              {t('redeemableTokens.job.cancel')}
            </Button>
            <Button
              leftSection={<IconPencilCheck {...icon} />}
              disabled={!job.canApprove}
              loading={approve.isPending}
              onClick={() => approve.mutate({ id: job.id, digest: job.review.digest })}
            >
              {t('redeemableTokens.job.approve')}
            </Button>
          </>
        ) : job.canRetry ? (
          <>
            <Button
              variant="default"
              loading={anew.isPending}
              onClick={() =>
                anew.mutate(
                  { request: job.request, idempotencyKey: newKey() },
                  { onSuccess: ({ id }) => navigate(routes.tokenJob(id)) },
                )
              }
            >
              {t('redeemableTokens.job.anew')}
            </Button>
            <Button loading={retry.isPending} onClick={() => retry.mutate({ id: job.id })}>
              {t('redeemableTokens.job.retry')}
            </Button>
          </>
        ) : (
          <>
            {job.txid !== null && (
              <Button variant="default" component={Link} href={routes.transaction(job.txid)}>
                {t('redeemableTokens.job.transaction')}
              </Button>
            )}
            <Button component={Link} href={routes.redeemableTokens}>
              {t('redeemableTokens.job.back')}
            </Button>
          </>
        )}
      </div>
    </>
  );
}

/** One transaction of a token's life: review and approval first, then what became of it. */
export function TokenJobPage({ id }: { id: string }) {
  const { t } = useTranslation();
  const query = useQuery(api.redeemableTokens.get.queryOptions({ input: { id } }));
  const job = query.data;
  return (
    <Page
      title={
        job === undefined
          ? t('redeemableTokens.title')
          : t(`redeemableTokens.dialog.${job.request.action}`, { symbol: job.symbol })
      }
      purpose={job?.awaitingApproval === false ? undefined : t('redeemableTokens.job.purpose')}
      aside={job && <JobBadge job={job} />}
      crumbs={[{ label: t('redeemableTokens.title'), to: routes.redeemableTokens }]}
    >
      <QueryView query={query}>{(loaded) => <Job job={loaded} />}</QueryView>
    </Page>
  );
}
