import { Progress } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatDuration, formatInteger, formatRate } from '../../lib/format.ts';
import { smallIcon } from '../icon.ts';
import { useNow } from '../values/use-now.ts';
import { Ago } from '../values/values.tsx';
import classes from './long-work.module.css';
import { TimeLeft } from './time-left.tsx';

export interface WorkStep {
  key: string;
  label: string;
  state: 'done' | 'now' | 'next' | 'failed';
  /** When it was completed. */
  at?: number;
  /** How long it took, in milliseconds. */
  took?: number;
}

interface LongWorkProps {
  /** The current activity in words. */
  phase: string;
  steps: readonly WorkStep[];
  /** Progress, if it can be counted; without it the completed steps are counted. */
  amount?: { done: number; total: number; rate: number | null; millisecondsLeft: number | null };
  /** Work is paused by a person or a failure. */
  resting?: boolean;
  /** Undefined if it was not recorded. */
  startedAt?: number;
  /** Undefined while it runs. */
  endedAt?: number;
  /** Above the steps: a failure with its fix. */
  note?: ReactNode;
  /** Cancel, retry. */
  actions?: ReactNode;
}

/** Work that takes a while: its current step, n of m, its duration, its log, and its actions. */
export function LongWork({ phase, steps, amount, resting = false, startedAt, endedAt, note, actions }: LongWorkProps) {
  const { t, i18n } = useTranslation();
  const number = (value: number): string => formatInteger(value, i18n.language);
  const now = useNow();
  const done = steps.filter((step) => step.state === 'done').length;
  const failed = steps.some((step) => step.state === 'failed');
  const finished = done === steps.length;
  const elapsed = startedAt === undefined ? undefined : formatDuration(Math.max(1_000, (endedAt ?? now) - startedAt));
  return (
    <div className={classes.work}>
      <div className={classes.head}>
        <span className={classes.phase} role="status" data-step-start>
          {phase}
        </span>
        <span className={classes.figures}>
          {amount === undefined ? (
            <span>{t('mint.work.step', { n: Math.min(done + 1, steps.length), total: steps.length })}</span>
          ) : (
            <span>{t('mint.work.amount', { n: number(amount.done), total: number(amount.total) })}</span>
          )}
          {amount?.rate != null && endedAt === undefined && !resting && (
            <span>{t('mint.work.rate', { rate: formatRate(amount.rate, i18n.language) })}</span>
          )}
          {amount?.millisecondsLeft != null && (
            <span>
              <TimeLeft milliseconds={amount.millisecondsLeft} />
            </span>
          )}
          {elapsed !== undefined && (
            <span>
              {endedAt === undefined ? `${elapsed} ${t('mint.work.elapsed')}` : t('mint.work.took', { time: elapsed })}
            </span>
          )}
        </span>
      </div>
      <Progress.Root size={6}>
        <Progress.Section
          value={amount === undefined ? (done / steps.length) * 100 : (amount.done / Math.max(1, amount.total)) * 100}
          color={failed ? 'var(--pl-fail)' : finished ? 'var(--pl-done)' : undefined}
          animated={!failed && !finished && !resting}
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
