import { Progress } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDuration } from '../lib/format.ts';
import { smallIcon } from './icon.ts';
import classes from './long-work.module.css';
import { useNow } from './use-now.ts';
import { Ago } from './values.tsx';

export interface WorkStep {
  key: string;
  label: string;
  state: 'done' | 'now' | 'next' | 'failed';
  /** When it was reached. */
  at?: number;
  /** How long it took, in milliseconds. */
  took?: number;
}

interface LongWorkProps {
  /** What is being done right now, in words. */
  phase: string;
  steps: readonly WorkStep[];
  startedAt: number;
  /** Left out while it runs. */
  endedAt?: number;
  /** Above the steps: a failure with its fix. */
  note?: ReactNode;
  /** Cancel, retry. */
  actions?: ReactNode;
}

/** Work that takes a while: what it is at, n of m, how long it has taken, its log, and what can be done about it. */
export function LongWork({ phase, steps, startedAt, endedAt, note, actions }: LongWorkProps) {
  const { t } = useTranslation();
  const now = useNow();
  const done = steps.filter((step) => step.state === 'done').length;
  const failed = steps.some((step) => step.state === 'failed');
  const finished = done === steps.length;
  const elapsed = formatDuration(Math.max(1_000, (endedAt ?? now) - startedAt));
  return (
    <div className={classes.work}>
      <div className={classes.head}>
        <span className={classes.phase} role="status">
          {phase}
        </span>
        <span className={classes.figures}>
          <span>{t('mint.work.step', { n: Math.min(done + 1, steps.length), total: steps.length })}</span>
          <span>
            {endedAt === undefined ? `${elapsed} ${t('mint.work.elapsed')}` : t('mint.work.took', { time: elapsed })}
          </span>
        </span>
      </div>
      <Progress.Root size={6}>
        <Progress.Section
          value={(done / steps.length) * 100}
          color={failed ? 'var(--pl-fail)' : finished ? 'var(--pl-done)' : undefined}
          animated={!failed && !finished}
          aria-label={t('mint.work.progress')}
        />
      </Progress.Root>
      {note}
      <ol className={classes.steps} aria-label={t('mint.work.log')}>
        {steps.map((step) => (
          <li key={step.key} className={classes.step} data-state={step.state}>
            <span className={classes.mark} aria-hidden>
              {step.state === 'done' && <IconCheck {...smallIcon} size={13} stroke={2.25} />}
              {step.state === 'failed' && <IconX {...smallIcon} size={13} stroke={2.25} />}
            </span>
            <span>{step.label}</span>
            <span className={classes.when}>
              {step.state === 'now' && t('mint.work.now')}
              {step.state === 'failed' && t('mint.work.failedHere')}
              {step.state === 'done' &&
                step.took !== undefined &&
                t('mint.work.took', { time: formatDuration(step.took) })}
              {step.state === 'done' && step.took === undefined && step.at !== undefined && <Ago at={step.at} />}
            </span>
          </li>
        ))}
      </ol>
      {actions !== undefined && <div className={classes.actions}>{actions}</div>}
    </div>
  );
}
