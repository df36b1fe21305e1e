import { Progress, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { type Failure, type WriterStatus, writerStates } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useLive } from '../../../api/live/live-store.ts';
import { useMoney } from '../../../api/money.ts';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { Panel } from '../../../components/page.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import { CopyButton } from '../../../components/values/copy-button.tsx';
import { useNow } from '../../../components/values/use-now.ts';
import { Amount } from '../../../components/values/values.tsx';
import { formatBytes, formatDuration, formatInteger } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import { useNextAttempt } from '../use-next-attempt.ts';
import classes from './queue.module.css';
import { Usage } from './usage-charts.tsx';

/** A rate also falls while nothing happens, so it is polled as well as pushed. */
const REFRESH_MS = 2_000;

function rateOf(value: number, language: string): string {
  return new Intl.NumberFormat(language, { maximumFractionDigits: value < 10 ? 1 : 0 }).format(value);
}

function Figure({ label, value, note }: { label: string; value: ReactNode; note: ReactNode }) {
  return (
    <section className={classes.figure} aria-label={label}>
      <div className={classes.figureLabel}>{label}</div>
      <div className={classes.figureValue}>{value}</div>
      <div className={classes.figureNote}>{note}</div>
    </section>
  );
}

/** Why all documents wait, and when they are tried again. */
function Held({ failure, until }: { failure: Failure; until: number | null }) {
  const next = useNextAttempt(until);
  return <FailureNote failure={failure} tone="wait" {...(next !== null && { note: next })} />;
}

function Figures({ status }: { status: WriterStatus }) {
  const { t, i18n } = useTranslation();
  const money = useMoney();
  const now = useNow();
  const { oldestOpenSince: oldest, spentToday, dailySpend } = status;
  const percent = dailySpend === 0 ? 100 : Math.min(100, (spentToday / dailySpend) * 100);
  return (
    <div className={classes.figures}>
      <Figure
        label={t('writer.queue.rate')}
        value={t('writer.queue.perSecond', { rate: rateOf(status.writtenRate, i18n.language) })}
        note={t('writer.queue.rateNote', { rate: rateOf(status.acceptedRate, i18n.language) })}
      />
      <Figure
        label={t('writer.queue.oldest')}
        value={oldest === null ? t('writer.queue.oldestNone') : formatDuration(Math.max(0, now - oldest))}
        note={t(oldest === null ? 'writer.queue.oldestNoneNote' : 'writer.queue.oldestNote')}
      />
      <Figure
        label={t('writer.queue.spend')}
        value={<Amount satoshis={spentToday} />}
        note={
          <>
            <Progress.Root size={4} w="100%">
              <Progress.Section
                value={percent}
                color={percent >= 100 ? 'var(--pl-fail)' : percent >= 80 ? 'var(--pl-wait)' : undefined}
                aria-label={t('writer.queue.spendUsed', { percent: Math.round(percent) })}
              />
            </Progress.Root>
            <span>{t('writer.queue.spendOf', { cap: money(dailySpend) })}</span>
          </>
        }
      />
      <Figure
        label={t('writer.queue.total')}
        value={formatInteger(status.documents, i18n.language)}
        note={t('writer.queue.totalNote', {
          size: formatBytes(status.bytes, i18n.language),
          database: t(`writer.database.${status.database}`),
        })}
      />
    </div>
  );
}

function States({ status }: { status: WriterStatus }) {
  const { t, i18n } = useTranslation();
  return (
    <Panel title={t('writer.queue.title')} hint={t('writer.queue.hint')} flush>
      <ol className={classes.states}>
        {writerStates.names.map((state) => {
          const count = status.states[state];
          return (
            <li key={state} className={classes.state} data-state={state} data-empty={count === 0 || undefined}>
              <Link
                href={state === 'dead' ? routes.writerDead : routes.writerDocumentsIn(state)}
                className={classes.stateLink}
                aria-label={t('writer.queue.open', { state: t(`writer.state.${state}`), count })}
              >
                <span className={classes.stateName}>{t(`writer.state.${state}`)}</span>
                <span className={classes.stateCount}>{formatInteger(count, i18n.language)}</span>
                <span className={classes.stateHint}>{t(`writer.stateHint.${state}`)}</span>
              </Link>
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}

function Address({ status }: { status: WriterStatus }) {
  const { t } = useTranslation();
  const address = useLive((state) => state.app?.endpoints.writer) ?? null;
  return (
    <p className={classes.address}>
      <span>{t('writer.queue.endpoint')}</span>
      {address === null ? (
        <span>{t('writer.queue.notListening')}</span>
      ) : (
        <span className={classes.addressValue}>
          <span className="mono">{address}</span>
          <CopyButton value={address} what={t('writer.queue.endpointName')} />
        </span>
      )}
      <span aria-hidden>·</span>
      <span>
        {t('writer.queue.funding')} {t(`writer.funding.${status.funding}`)}
      </span>
    </p>
  );
}

/** The queue: figures, states, why it waits, and the usage of the last day. */
export function Queue() {
  const query = useQuery(api.writer.status.queryOptions({ refetchInterval: REFRESH_MS }));
  return (
    <QueryView
      query={query}
      skeleton={
        <Stack gap="md">
          <Skeleton height={116} />
          <Skeleton height={150} />
          <Skeleton height={260} />
        </Stack>
      }
    >
      {(status) => (
        <Stack gap="md">
          {status.degraded !== null && <Held failure={status.degraded} until={status.nextAttemptAt} />}
          <Figures status={status} />
          <States status={status} />
          <Usage />
          <Address status={status} />
        </Stack>
      )}
    </QueryView>
  );
}
