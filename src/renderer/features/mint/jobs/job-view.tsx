import { Button, Loader, Stack } from '@mantine/core';
import { IconCircleCheck, IconPencilCheck, IconRefresh } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type Item, type MintJob, mintStates } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useExactMoney } from '../../../api/money.ts';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { Failures } from '../../../components/callouts/failures.tsx';
import { icon, smallIcon } from '../../../components/icon.ts';
import { Panel } from '../../../components/page.tsx';
import { Review } from '../../../components/review/review.tsx';
import { sum } from '../../../components/review/sum.ts';
import { LongWork } from '../../../components/status/long-work.tsx';
import layout from '../../../components/styles/layout.module.css';
import { useNow } from '../../../components/values/use-now.ts';
import { formatDuration } from '../../../lib/format.ts';
import { Cancelled } from '../cancelled.tsx';
import mintClasses from '../mint.module.css';
import { JobResult } from './job-result.tsx';
import { endOf, isUnsigned, stepsOf } from './job-steps.ts';
import classes from './job-view.module.css';

/** Approve, cancel and retry of one job; each answer is the job as it stands after it. */
function useJobActions() {
  const queries = useQueryClient();
  const onSuccess = (job: MintJob): void => {
    queries.setQueryData(api.mint.get.queryKey({ input: { id: job.id } }), job);
  };
  return {
    approve: useMutation(api.mint.approve.mutationOptions({ onSuccess })),
    cancel: useMutation(api.mint.cancel.mutationOptions({ onSuccess })),
    retry: useMutation(api.mint.retry.mutationOptions({ onSuccess })),
  };
}

type Actions = ReturnType<typeof useJobActions>;

function CancelButton({ job, actions }: { job: MintJob; actions: Actions }) {
  const { t } = useTranslation();
  if (!job.canCancel) return null;
  return (
    <Button variant="default" loading={actions.cancel.isPending} onClick={() => actions.cancel.mutate({ id: job.id })}>
      {t('mint.cancelJob')}
    </Button>
  );
}

/** Whether a job can be retried is told by the host, not by the code of its failure. */
function RetryButton({ job, actions, quiet = false }: { job: MintJob; actions: Actions; quiet?: boolean }) {
  const { t } = useTranslation();
  return (
    <Button
      size={quiet ? 'xs' : 'sm'}
      variant={quiet ? 'default' : 'filled'}
      leftSection={<IconRefresh {...smallIcon} />}
      loading={actions.retry.isPending}
      onClick={() => actions.retry.mutate({ id: job.id })}
    >
      {t('common.retry')}
    </Button>
  );
}

function Approval({ job, items, actions }: { job: MintJob; items: readonly Item[]; actions: Actions }) {
  const { t } = useTranslation();
  const money = useExactMoney();
  const { review } = job;
  if (review === null) return null;
  const names = new Map(items.map((item) => [item.id, item.metadata.name]));
  const files = new Map(items.map((item) => [item.id, item.file]));
  const total = review.fee + sum(review.outputs.filter((output) => output.kind !== 'change'));
  return (
    <>
      <Stack gap="md">
        {job.failure !== null && <FailureNote failure={job.failure} />}
        <Failures of={Object.values(actions)} />
        <Review review={review} names={names} files={files} explained={job.failure !== null} />
      </Stack>
      <div className={mintClasses.bar}>
        <span className={mintClasses.barNote}>{job.canApprove ? t('mint.approveHint') : undefined}</span>
        <CancelButton job={job} actions={actions} />
        {job.canRetry && <RetryButton job={job} actions={actions} />}
        <Button
          leftSection={<IconPencilCheck {...icon} />}
          disabled={!job.canApprove}
          loading={actions.approve.isPending}
          onClick={() => actions.approve.mutate({ id: job.id, digest: review.digest })}
        >
          {t('mint.approve', { total: money(total) })}
        </Button>
      </div>
    </>
  );
}

/** When a step that failed is tried again by itself. */
function NextTry({ at }: { at: number | null }) {
  const { t } = useTranslation();
  const now = useNow();
  const left = (at ?? 0) - now;
  return (
    <span className="num">
      {left > 0 ? t('mint.nextTry', { time: formatDuration(Math.max(1_000, left)) }) : t('mint.tryingAgain')}
    </span>
  );
}

function ProgressView({ job, items, actions }: { job: MintJob; items: readonly Item[]; actions: Actions }) {
  const { t } = useTranslation();
  const count = job.itemIds.length;
  const finished = mintStates.is(job.state, 'mined');
  const failed = job.failure !== null;
  return (
    <div className={mintClasses.columns}>
      <Stack gap="md">
        {finished && (
          <div className={classes.resultTitle} role="status">
            <span className={classes.resultIcon}>
              <IconCircleCheck {...icon} size={22} />
            </span>
            {job.state === 'proven' ? t('mint.result.provenTitle', { count }) : t('mint.result.title', { count })}
          </div>
        )}
        <Failures of={Object.values(actions)} />
        <Panel>
          <LongWork
            phase={
              failed ? t(job.active ? 'mint.waitingToRetry' : 'common.state.failed') : t(`mint.phase.${job.state}`)
            }
            steps={stepsOf(job, (state) => t(`mint.timeline.${state}`))}
            startedAt={job.createdAt}
            endedAt={endOf(job)}
            note={
              job.failure === null ? undefined : (
                <FailureNote
                  failure={job.failure}
                  tone={job.active ? 'wait' : 'fail'}
                  actions={job.canRetry ? <RetryButton job={job} actions={actions} quiet /> : undefined}
                  note={job.active ? <NextTry at={job.retryAt} /> : undefined}
                />
              )
            }
            actions={job.canCancel ? <CancelButton job={job} actions={actions} /> : undefined}
          />
        </Panel>
      </Stack>
      <JobResult job={job} items={items} />
    </div>
  );
}

/** One job, whatever it is at: being built, waiting for approval, on its way, failed, cancelled or done. */
export function JobView({ job, items }: { job: MintJob; items: readonly Item[] }) {
  const { t } = useTranslation();
  const actions = useJobActions();
  if (job.state === 'cancelled') return <Cancelled projectUid={job.projectUid} />;
  if (isUnsigned(job) && job.review !== null && (job.awaitingApproval || job.failure !== null)) {
    return <Approval job={job} items={items} actions={actions} />;
  }
  if (isUnsigned(job) && job.failure === null) {
    return (
      <Stack gap="md">
        <Failures of={Object.values(actions)} />
        <Panel>
          <div className={classes.waiting} role="status">
            <Loader size="sm" />
            <b data-step-start>{t('mint.building')}</b>
            <span className={layout.dim} style={{ maxWidth: '60ch' }}>
              {t(job.direct ? 'mint.buildingDirectHint' : 'mint.buildingHint')}
            </span>
            <CancelButton job={job} actions={actions} />
          </div>
        </Panel>
      </Stack>
    );
  }
  return <ProgressView job={job} items={items} actions={actions} />;
}
