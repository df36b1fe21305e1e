import { ActionIcon, Group, UnstyledButton } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { create } from 'zustand';
import type { Failure } from '../../../../contract/index.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { smallIcon } from '../../../components/icon.ts';
import { JsonTree } from '../../../components/json/json-tree.tsx';
import { CopyButton } from '../../../components/values/copy-button.tsx';
import { formatMilliseconds } from '../../../lib/format.ts';
import classes from './console.module.css';

const KEPT = 30;

type Answer = { result: unknown } | { refusal: { code: number; message: string } } | { failure: Failure };

export interface Run {
  readonly id: number;
  readonly network: string;
  readonly line: string;
  readonly command: string;
  readonly milliseconds: number;
  readonly answer: Answer;
}

/** Commands run since the window was opened, newest first. */
export const useRuns = create<{ runs: readonly Run[] }>(() => ({ runs: [] }));

export function addRun(run: Omit<Run, 'id'>): void {
  useRuns.setState(({ runs }) => ({ runs: [{ ...run, id: (runs[0]?.id ?? 0) + 1 }, ...runs].slice(0, KEPT) }));
}

function removeRun(id: number): void {
  useRuns.setState(({ runs }) => ({ runs: runs.filter((run) => run.id !== id) }));
}

function AnswerView({ run: { answer, command } }: { run: Run }) {
  const { t } = useTranslation();
  if ('failure' in answer) return <FailureNote failure={answer.failure} />;
  if ('refusal' in answer) {
    const { code, message } = answer.refusal;
    return (
      <Callout tone="fail" role="alert" title={t('gateway.nodeError', { code })}>
        <div className={classes.message}>{message}</div>
      </Callout>
    );
  }
  // Help and hex with line breaks are shown as they are.
  if (typeof answer.result === 'string' && answer.result.includes('\n')) {
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content has to be reachable by keyboard.
      <pre className={`mono ${classes.help}`} tabIndex={0}>
        {answer.result}
      </pre>
    );
  }
  return <JsonTree value={answer.result} of={command} label={t('gateway.result')} />;
}

function textOf(answer: Answer): string {
  if ('failure' in answer) return answer.failure.message;
  if ('refusal' in answer) return answer.refusal.message;
  return typeof answer.result === 'string' ? answer.result : JSON.stringify(answer.result, null, 2);
}

/** Replies in a list, each below its command. */
export function Transcript({ runs, onTake }: { runs: readonly Run[]; onTake: (line: string) => void }) {
  const { t, i18n } = useTranslation();
  return (
    <ol className={classes.runs} aria-label={t('gateway.answers')}>
      {runs.map((run) => (
        <li key={run.id} className={classes.run}>
          <div className={classes.runHead}>
            <UnstyledButton className={`mono ${classes.ran}`} onClick={() => onTake(run.line)}>
              {run.line}
            </UnstyledButton>
            <Group gap={4} wrap="nowrap">
              <span className={`num ${classes.ms}`}>
                {t('gateway.milliseconds', { ms: formatMilliseconds(run.milliseconds, i18n.language) })}
              </span>
              <CopyButton value={textOf(run.answer)} what={t('gateway.resultName')} />
              <ActionIcon
                variant="subtle"
                color="gray"
                size={24}
                aria-label={t('gateway.removeAnswer', { line: run.line })}
                onClick={() => removeRun(run.id)}
              >
                <IconX {...smallIcon} />
              </ActionIcon>
            </Group>
          </div>
          <AnswerView run={run} />
        </li>
      ))}
    </ol>
  );
}
