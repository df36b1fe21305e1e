import { Button, Select, Stack, TextInput, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import type { Failure, NodeCommand } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { ask } from '../../../api/node.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { Callout, FailureNote, Panel } from '../../../components/page.tsx';
import { QueryView, SkeletonRows } from '../../../components/query-view.tsx';
import layout from '../../../components/styles/layout.module.css';
import { usePreferences } from '../../../lib/preferences.ts';
import classes from '../gateway.module.css';
import { fieldsOf, type ParameterField } from './command-help.ts';
import { readLine, wordOf, writeLine, writeParameter } from './command-line.ts';

const KEPT = 100;

type Answer = { text: string } | { refusal: { code: number; message: string } } | { failure: Failure };

async function helpOf(command: string): Promise<string> {
  return ask(z.string(), 'help', command);
}

/** What a field shows for a parameter that stands in the line. */
function typedOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : writeParameter(value);
}

function Fields({
  fields,
  typed,
  onTyped,
}: {
  fields: readonly ParameterField[];
  typed: readonly string[];
  onTyped: (index: number, value: string) => void;
}) {
  const { t } = useTranslation();
  if (fields.length === 0) return <div className={layout.dim}>{t('gateway.noParameters')}</div>;
  return (
    <div className={classes.fields}>
      {fields.map((field, index) => (
        <TextInput
          key={field.name}
          label={field.name}
          withAsterisk={field.required}
          description={[t(`gateway.kinds.${field.kind}`), field.description].filter((text) => text !== '').join('. ')}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          classNames={{ input: 'mono' }}
          spellCheck={false}
          value={typed[index] ?? ''}
          onChange={(event) => onTyped(index, event.currentTarget.value)}
        />
      ))}
    </div>
  );
}

function AnswerView({ answer }: { answer: Answer }) {
  const { t } = useTranslation();
  if ('failure' in answer) return <FailureNote failure={answer.failure} />;
  if ('refusal' in answer) {
    const { code, message } = answer.refusal;
    return (
      <Callout tone="fail" role="alert" title={t('gateway.nodeError', { code })}>
        <div className={classes.said}>{message}</div>
      </Callout>
    );
  }
  return (
    <Panel
      flush
      title={t('gateway.result')}
      actions={<CopyButton value={answer.text} what={t('gateway.resultName')} />}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard. */}
      <pre className={`mono ${layout.text}`} tabIndex={0}>
        {answer.text}
      </pre>
    </Panel>
  );
}

/** Lines run before: the arrow keys walk through them, back to what was being typed. */
function useHistory(line: string, show: (line: string) => void) {
  const history = usePreferences((state) => state.consoleHistory);
  const save = usePreferences((state) => state.setConsoleHistory);
  const [at, setAt] = useState(-1);
  const [typed, setTyped] = useState('');
  return {
    history,
    remember: (ran: string): void => {
      setAt(-1);
      save([ran, ...history.filter((other) => other !== ran)].slice(0, KEPT));
    },
    forget: (): void => save([]),
    onKeyDown: (event: KeyboardEvent): void => {
      if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
      event.preventDefault();
      const next = event.key === 'ArrowUp' ? Math.min(history.length - 1, at + 1) : Math.max(-1, at - 1);
      if (next === at) return;
      if (at === -1) setTyped(line);
      setAt(next);
      show(next === -1 ? typed : (history[next] ?? ''));
    },
  };
}

function Runner({ commands }: { commands: readonly NodeCommand[] }) {
  const { t } = useTranslation();
  const [line, setLine] = useState('getblockchaininfo');
  /** What stands in the fields while they are typed in; the line follows them, and they follow a line that is typed. */
  const [typed, setTyped] = useState<readonly string[]>([]);
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<Answer>();
  const { command, parameters } = readLine(line);
  const known = commands.find(({ name }) => name === command);
  const help = useQuery({
    queryKey: ['gateway', 'help', command],
    queryFn: () => helpOf(command),
    enabled: known !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const fields = known === undefined ? [] : fieldsOf(known, help.data ?? '');
  const show = (next: string): void => {
    setLine(next);
    const read = readLine(next).parameters;
    if (read !== undefined) setTyped(read.map(typedOf));
  };
  const { history, remember, forget, onKeyDown } = useHistory(line, show);
  const onTyped = (index: number, value: string): void => {
    const next = fields.map((_, other) => (other === index ? value : (typed[other] ?? '')));
    setTyped(next);
    setLine(
      writeLine(
        command,
        fields.map(({ kind }, other) => wordOf(next[other] ?? '', kind)),
      ),
    );
  };
  const run = async (): Promise<void> => {
    if (parameters === undefined || command === '') return;
    setBusy(true);
    remember(line.trim());
    try {
      const { result, error } = await client.node.call({ method: command, params: parameters });
      setAnswer(
        error === null
          ? { text: typeof result === 'string' ? result : JSON.stringify(result, null, 2) }
          : { refusal: error },
      );
    } catch (error) {
      setAnswer({ failure: failureOf(error) });
    }
    setBusy(false);
  };

  return (
    <Stack gap="md">
      <Panel title={t('gateway.tabs.console')} hint={t('gateway.consoleHint')}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void run();
          }}
        >
          <Select
            label={t('gateway.command')}
            maw={320}
            searchable
            spellCheck={false}
            nothingFoundMessage={t('common.noMatches')}
            data={commands.map(({ name }) => name)}
            value={known?.name ?? null}
            onChange={(name) => name !== null && show(name)}
          />
          {known !== undefined && <Fields fields={fields} typed={typed} onTyped={onTyped} />}
          <div className={classes.prompt}>
            <TextInput
              label={t('gateway.line')}
              description={t('gateway.lineHint')}
              // The button beside the field stays level with it.
              inputWrapperOrder={['label', 'description', 'error', 'input']}
              classNames={{ input: 'mono' }}
              autoComplete="off"
              spellCheck={false}
              error={parameters === undefined ? t('gateway.parametersInvalid') : undefined}
              value={line}
              onKeyDown={onKeyDown}
              onChange={(event) => show(event.currentTarget.value)}
            />
            <Button type="submit" loading={busy} disabled={command === '' || parameters === undefined}>
              {t('gateway.run')}
            </Button>
          </div>
        </form>
      </Panel>
      {answer !== undefined && <AnswerView answer={answer} />}
      <div className={layout.columns}>
        <Panel flush={known === undefined || help.data !== undefined} title={t('gateway.help')}>
          {known === undefined ? (
            <div className={`${layout.pad} ${layout.dim}`}>{t('gateway.helpEmpty')}</div>
          ) : (
            <QueryView query={help} skeleton={<SkeletonRows rows={3} height={20} />}>
              {(text) => (
                // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard.
                <pre className={`mono ${layout.text}`} tabIndex={0}>
                  {text}
                </pre>
              )}
            </QueryView>
          )}
        </Panel>
        <Panel
          flush
          title={t('gateway.history')}
          actions={
            history.length === 0 ? undefined : (
              <Button size="compact-sm" variant="subtle" color="gray" onClick={forget}>
                {t('gateway.forget')}
              </Button>
            )
          }
        >
          {history.length === 0 && <div className={`${layout.pad} ${layout.dim}`}>{t('gateway.historyEmpty')}</div>}
          {history.slice(0, 20).map((past) => (
            <UnstyledButton key={past} className={`mono ${classes.historyLine}`} onClick={() => show(past)}>
              {past}
            </UnstyledButton>
          ))}
        </Panel>
      </div>
    </Stack>
  );
}

/** Runs any command of the node: by its fields or as a line, with its help beside it. */
export function Console() {
  const query = useQuery(api.gateway.commands.queryOptions({ staleTime: Number.POSITIVE_INFINITY }));
  return <QueryView query={query}>{(commands) => <Runner commands={commands} />}</QueryView>;
}
