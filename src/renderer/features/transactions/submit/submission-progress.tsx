import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { SUBMISSION_PART } from '../../../../contract/index.ts';
import { failureOf } from '../../../api/failure.ts';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { Panel } from '../../../components/page.tsx';
import { LongWork } from '../../../components/status/long-work.tsx';
import type { RunningSubmission } from './use-submission.ts';

/** Progress of a submission in several parts, with the buttons to stop and to resume it. Nothing where one part is enough. */
export function SubmissionProgress({ submission }: { submission: RunningSubmission }) {
  const { t } = useTranslation();
  const { work, running, stop, goOn } = submission;
  const failure = running.isError ? <FailureNote failure={failureOf(running.error)} /> : undefined;
  if (work === undefined || (work.total <= SUBMISSION_PART && work.rest.length === 0)) return failure ?? null;
  const { total, done, before, startedAt, endedAt, rest } = work;
  const now = done - before;
  const isOver = endedAt !== undefined;
  const isHeld = isOver && rest.length > 0;
  const elapsed = Math.max(1, (endedAt ?? Date.now()) - startedAt);
  const phase = isHeld ? 'stopped' : isOver ? 'sent' : 'sending';
  return (
    <Panel>
      <LongWork
        phase={t(`submitted.submit.work.${phase}`)}
        steps={[
          {
            key: 'send',
            label: t('submitted.submit.work.step'),
            state: isHeld ? 'failed' : isOver ? 'done' : 'now',
            took: elapsed,
          },
        ]}
        amount={{
          done,
          total,
          rate: now === 0 ? null : (now * 1_000) / elapsed,
          millisecondsLeft: now === 0 || isOver ? null : ((total - done) * elapsed) / now,
        }}
        resting={isHeld}
        startedAt={startedAt}
        {...(isOver && { endedAt })}
        note={failure}
        actions={
          isHeld ? (
            <Button size="xs" onClick={goOn}>
              {t('submitted.submit.work.goOn')}
            </Button>
          ) : (
            !isOver && (
              <Button size="xs" variant="default" onClick={stop}>
                {t('submitted.submit.work.stop')}
              </Button>
            )
          )
        }
      />
    </Panel>
  );
}
