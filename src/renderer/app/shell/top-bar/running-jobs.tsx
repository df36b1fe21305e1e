import { Tooltip } from '@mantine/core';
import { IconHourglass } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { type MintJobSummary, mintStates, type Run } from '../../../../contract/index.ts';
import { useLive } from '../../../api/live/live-store.ts';
import { useRuns } from '../../../api/run-list.ts';
import { smallIcon } from '../../../components/icon.ts';
import { routes } from '../../../lib/routes.ts';
import classes from './top-bar.module.css';

/** The last step of a mint. */
const LAST_STEP = mintStates.indexOf('proven');

function shareOfJob({ state }: MintJobSummary): number {
  return mintStates.indexOf(state) / LAST_STEP;
}

function shareOfRun({ items, minted, failed, cancelled }: Run): number {
  return items === 0 ? 0 : (minted + failed + cancelled) / items;
}

/** Running jobs and their progress, or the jobs that wait for the person, which take precedence. */
export function RunningJobs() {
  const { t } = useTranslation();
  const jobs = useLive((state) => state.jobs);
  const runs = useRuns();
  const waiting = [
    ...jobs.filter((job) => job.awaitingApproval).map((job) => routes.job(job.id)),
    ...runs.filter((run) => run.canApprove).map((run) => routes.run(run.id)),
  ];
  const running = [
    ...jobs
      .filter((job) => job.active && !job.awaitingApproval)
      .map((job) => ({ to: routes.job(job.id), share: shareOfJob(job) })),
    ...runs
      .filter((run) => run.state === 'minting' || run.waits)
      .map((run) => ({ to: routes.run(run.id), share: shareOfRun(run) })),
  ];
  const isWaiting = waiting.length > 0;
  const targets = isWaiting ? waiting : running.map(({ to }) => to);
  const first = targets[0];
  if (first === undefined) return null;
  const percent = Math.floor((100 * running.reduce((sum, { share }) => sum + share, 0)) / Math.max(1, running.length));
  const label = isWaiting
    ? t('app.running.waiting', { count: waiting.length })
    : t('app.running.progress', { count: running.length, percent });
  return (
    <Tooltip label={label}>
      <Link
        href={targets.length === 1 ? first : routes.jobs}
        className={classes.running}
        data-waiting={isWaiting || undefined}
        aria-label={label}
      >
        {isWaiting ? (
          <IconHourglass {...smallIcon} />
        ) : (
          <span className={classes.ring} style={{ '--done': `${percent}%` } as React.CSSProperties} aria-hidden />
        )}
        <span className="num">{targets.length}</span>
      </Link>
    </Tooltip>
  );
}
