import { Button, Group, Skeleton, Stack } from '@mantine/core';
import { modals } from '@mantine/modals';
import {
  IconCircleCheck,
  IconPencilCheck,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconWorldShare,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Run, RunPlan } from '../../../../contract/index.ts';
import { failureOf } from '../../../api/failure.ts';
import { useExactMoney } from '../../../api/money.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { icon, smallIcon } from '../../../components/icon.ts';
import { Panel } from '../../../components/page.tsx';
import { LongWork } from '../../../components/status/long-work.tsx';
import { Fact } from '../../../components/values/fact.tsx';
import { Amount, Id } from '../../../components/values/values.tsx';
import { formatDuration, formatInteger } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import { Cancelled } from '../cancelled.tsx';
import jobClasses from '../jobs/job-view.module.css';
import mintClasses from '../mint.module.css';
import { RunGallery } from './map/run-gallery.tsx';
import { fileOf, RunMap } from './map/run-map.tsx';
import { PlanTree } from './plan/plan-tree.tsx';
import { RunCost } from './plan/run-cost.tsx';
import classes from './run.module.css';
import { stateOf } from './run-end.ts';
import { isMoving, phaseOf, stepsOfRun } from './run-states.ts';
import { type RunActions, useRunActions, useRunItems } from './use-run.ts';

function Actions({ run, actions }: { run: Run; actions: RunActions }) {
  const { t } = useTranslation();
  const { id } = run;
  // Paused while the person decides: otherwise the run might sign everything in the meantime.
  const confirmCancel = (): void => {
    const held = run.canPause
      ? actions.pause.mutateAsync({ id }).then(
          () => true,
          () => false,
        )
      : Promise.resolve(false);
    const release = async (): Promise<void> => {
      if (await held) actions.resume.mutate({ id });
    };
    let isDecided = false;
    modals.openConfirmModal({
      title: t('run.cancel.title'),
      children: `${t('run.cancel.text')}${run.canPause ? ` ${t('run.cancel.held')}` : ''}`,
      labels: { confirm: t('run.cancel.confirm'), cancel: t('common.back') },
      confirmProps: { color: 'red' },
      onConfirm: () => {
        isDecided = true;
        void held.then(() => actions.cancel.mutateAsync({ id })).catch(release);
      },
      onClose: () => {
        if (!isDecided) void release();
        isDecided = true;
      },
    });
  };
  return (
    <>
      {run.canCancel && (
        <Button variant="default" loading={actions.cancel.isPending} onClick={confirmCancel}>
          {t(run.approvedAt === null ? 'mint.cancelJob' : 'run.cancelRest')}
        </Button>
      )}
      {run.canPause && (
        <Button
          variant="default"
          leftSection={<IconPlayerPause {...smallIcon} />}
          loading={actions.pause.isPending}
          onClick={() => actions.pause.mutate({ id })}
        >
          {t('run.pause')}
        </Button>
      )}
      {run.canRetry && (
        <Button
          variant={run.canResume ? 'default' : 'filled'}
          leftSection={<IconRefresh {...smallIcon} />}
          loading={actions.retry.isPending}
          onClick={() => actions.retry.mutate({ id })}
        >
          {t('run.retry')}
        </Button>
      )}
      {run.canResume && (
        <Button
          leftSection={<IconPlayerPlay {...smallIcon} />}
          loading={actions.resume.isPending}
          onClick={() => actions.resume.mutate({ id })}
        >
          {t('run.resume')}
        </Button>
      )}
    </>
  );
}

function Approval({ run, plan, actions }: { run: Run; plan: RunPlan; actions: RunActions }) {
  const { t } = useTranslation();
  const money = useExactMoney();
  return (
    <div className={mintClasses.bar}>
      <span className={mintClasses.barNote}>{t('run.approveHint')}</span>
      <Actions run={run} actions={actions} />
      <Button
        leftSection={<IconPencilCheck {...icon} />}
        loading={actions.approve.isPending}
        onClick={() => actions.approve.mutate({ id: run.id, digest: plan.digest })}
      >
        {t('mint.approve', { total: money(plan.total) })}
      </Button>
    </div>
  );
}

function Progress({ run, plan, actions }: { run: Run; plan: RunPlan; actions: RunActions }) {
  const { t, i18n } = useTranslation();
  const { transactions } = run;
  const phase = phaseOf(run, plan);
  const number = (value: number): string => formatInteger(value, i18n.language);
  const isOver = run.state === 'done' || run.state === 'cancelled';
  return (
    <Panel>
      <LongWork
        phase={t(`run.phase.${phase}`)}
        amount={{
          done: run.minted,
          total: run.items,
          // Nothing is sent any more.
          rate: phase === 'confirming' ? null : run.rate,
          millisecondsLeft: run.millisecondsLeft,
        }}
        resting={run.state === 'paused'}
        steps={stepsOfRun(run, plan, (step) =>
          t(`run.step.${step}`, {
            count: transactions.total,
            done: number(step === 'sent' ? transactions.submitted : transactions.proven),
            total: number(transactions.total),
          }),
        )}
        startedAt={run.approvedAt ?? run.createdAt}
        {...(isOver && run.endedAt !== null ? { endedAt: run.endedAt } : {})}
        note={
          run.failure === null ? undefined : (
            <FailureNote failure={run.failure} tone={isMoving(run) ? 'wait' : 'fail'} />
          )
        }
        actions={isOver && !run.canRetry && !run.canCancel ? undefined : <Actions run={run} actions={actions} />}
      />
    </Panel>
  );
}

function Facts({ run }: { run: Run }) {
  const { t } = useTranslation();
  return (
    <dl className={classes.figures}>
      <Fact name={t('mint.result.fee')}>
        <Amount satoshis={run.fee} />
      </Fact>
      <Fact name={t('run.facts.planned')}>
        <Amount satoshis={run.plannedFee} />
      </Fact>
      {run.approvedAt !== null && run.endedAt !== null && (
        <Fact name={t('run.facts.took')} num>
          {formatDuration(Math.max(1_000, run.endedAt - run.approvedAt))}
        </Fact>
      )}
      {run.splitTxid !== null && (
        <Fact name={t('run.facts.split')}>
          <Id value={run.splitTxid} kind="transaction" />
        </Fact>
      )}
      <Fact name={t('mint.result.destination')}>
        <Id value={run.destination} kind="address" keep={6} />
      </Fact>
    </dl>
  );
}

function Outcome({ run }: { run: Run }) {
  const { t, i18n } = useTranslation();
  const count = run.minted;
  if (run.state === 'cancelled') return <Cancelled projectUid={run.projectUid} fee={run.fee} />;
  if (run.state !== 'done') return null;
  if (stateOf(run) === 'partly') {
    const [minted, failed, cancelled, total] = [count, run.failed, run.cancelled, run.items].map((value) =>
      formatInteger(value, i18n.language),
    );
    if (run.cancelled > 0) {
      return (
        <Callout tone="fail" title={t('run.partlyBothTitle', { minted, failed, cancelled })}>
          {`${t('run.partlyText')} ${t('run.partlyBothText')}`}
        </Callout>
      );
    }
    return (
      <Callout tone="fail" title={t('run.partlyTitle', { count: run.items, failed, total })}>
        {t('run.partlyText')}
        {run.canCancel && ` ${t('run.partlyOrCancel')}`}
      </Callout>
    );
  }
  if (run.cancelled > 0) {
    const [minted, cancelled] = [count, run.cancelled].map((value) => formatInteger(value, i18n.language));
    return (
      <Callout
        tone="info"
        title={t('run.partlyCancelledTitle', { minted, cancelled })}
        actions={
          <Button size="xs" component={Link} href={routes.mint(run.projectUid)}>
            {t('run.mintOthers', { count: run.cancelled, others: cancelled })}
          </Button>
        }
      >
        {t('run.partlyCancelledText')}
      </Callout>
    );
  }
  return (
    <Group justify="space-between">
      <div className={jobClasses.resultTitle} role="status">
        <span className={jobClasses.resultIcon}>
          <IconCircleCheck {...icon} size={22} />
        </span>
        {t('run.doneTitle', { count, tokens: formatInteger(count, i18n.language) })}
      </div>
      <Button component={Link} href={routes.publish(run.projectUid)} leftSection={<IconWorldShare {...icon} />}>
        {t('projects.publish.open')}
      </Button>
    </Group>
  );
}

/** One run as plan, progress and result in turn: the plan at the left, at the right what matters now. */
export function RunView({ run, plan }: { run: Run; plan: RunPlan }) {
  const { t } = useTranslation();
  const actions = useRunActions(run.id);
  const map = useRunItems(run);
  const items = map.data ?? [];
  const moving = isMoving(run);
  const started = run.approvedAt !== null;
  // What needs a person is shown above the results.
  const isStuck = run.state === 'paused' || stateOf(run) === 'partly';
  // Once nothing is left to pause, to resume or to cancel, nobody needs to hear why that failed.
  const isOver = (run.state === 'done' || run.state === 'cancelled') && !run.canCancel;
  const failed = [
    actions.approve,
    actions.retry,
    ...(isOver ? [] : [actions.pause, actions.resume, actions.cancel]),
  ].find(({ isError }) => isError);
  const gallery = started && (
    <>
      <RunGallery items={items} />
      <Panel>
        <Facts run={run} />
      </Panel>
    </>
  );
  return (
    <>
      <div className={classes.page}>
        <PlanTree plan={plan} run={run} />
        <Stack gap="md">
          <Outcome run={run} />
          {run.state === 'done' && isOver && actions.cancel.isError && (
            <Callout tone="info" title={t('run.cancel.nothingLeft')} />
          )}
          {failed !== undefined && <FailureNote failure={failureOf(failed.error)} />}
          {run.canApprove && (
            <RunCost
              plan={plan}
              files={items.length > 0 ? items.slice(0, 8).map(fileOf) : run.art.map(({ file }) => file)}
            />
          )}
          {!moving && !isStuck && gallery}
          {started && <Progress run={run} plan={plan} actions={actions} />}
          {started &&
            (map.data === undefined && !map.isError ? (
              <Skeleton height={160} />
            ) : (
              <RunMap
                items={items}
                moving={moving}
                retrying={actions.retry.isPending}
                onRetry={run.canRetry ? (jobId) => actions.retry.mutate({ id: run.id, jobId }) : undefined}
              />
            ))}
          {isStuck && gallery}
        </Stack>
      </div>
      {run.canApprove && <Approval run={run} plan={plan} actions={actions} />}
    </>
  );
}
