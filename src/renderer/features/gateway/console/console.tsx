import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { IconForms, IconHistory } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearch } from 'wouter';
import type { NodeCommand } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { useLive, useNetwork } from '../../../api/live/live-store.ts';
import { smallIcon } from '../../../components/icon.ts';
import { hashRoute } from '../../../components/json/hash-links.ts';
import { Panel } from '../../../components/page.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import layout from '../../../components/styles/layout.module.css';
import { routes } from '../../../lib/routes.ts';
import { fieldsOf, type ParameterField } from './command-help.ts';
import { readLine, splitWords, wordOf, writeLine } from './command-line.ts';
import { addSeen, complete, type SeenHash } from './completion.ts';
import classes from './console.module.css';
import { HistorySearch } from './history-search.tsx';
import { type Problem, readTyped } from './parameter-types.ts';
import { Prompt } from './prompt.tsx';
import { addRun, type Run, Transcript, useRuns } from './transcript.tsx';
import { useHistory } from './use-history.ts';

const NO_HASHES: readonly SeenHash[] = [];

/** What a hash belongs to, by the page that a link to it opens: undefined if its field does not say, `none` if there is no page. */
function kindOf(hash: string, field: string): SeenHash['of'] | 'none' {
  const route = hashRoute(hash, field);
  if (route === undefined) return 'none';
  if (route === routes.block(hash)) return 'block';
  return route === routes.transaction(hash) ? 'transaction' : undefined;
}

/** Hashes in the replies so far, newest first, and the tip. */
function seenIn(runs: readonly Run[], tip: string | undefined): readonly SeenHash[] {
  const seen = runs.reduceRight<readonly SeenHash[]>(
    (before, { answer, command }) => ('result' in answer ? addSeen(before, answer.result, command, kindOf) : before),
    NO_HASHES,
  );
  return tip === undefined || seen.some(({ hash }) => hash === tip) ? seen : [...seen, { hash: tip, of: 'block' }];
}

/** The text of a field for a word of the line. */
function typedOf(word: string): string {
  if (word === 'null') return '';
  if (!word.startsWith('"')) return word;
  try {
    return String(JSON.parse(word));
  } catch {
    return word;
  }
}

interface FormProps {
  commands: readonly NodeCommand[];
  command: string;
  fields: readonly ParameterField[] | undefined;
  behind: string;
  onLine: (line: string) => void;
}

function Form({ commands, command, fields, behind, onLine }: FormProps) {
  const { t } = useTranslation();
  const words = splitWords(behind) ?? [];
  const [typed, setTyped] = useState<{ line: string; values: readonly string[] }>({ line: '', values: [] });
  const line = `${command}${behind}`;
  // The text of a field stays as typed as long as it means the same word of the line.
  const values = typed.line === line ? typed.values : words.map(typedOf);
  const onTyped = (index: number, value: string): void => {
    if (fields === undefined) return;
    const next = fields.map((_, other) => (other === index ? value : (values[other] ?? '')));
    const written = writeLine(
      command,
      fields.map(({ kind }, other) => wordOf(next[other] ?? '', kind)),
    );
    setTyped({ line: written, values: next });
    onLine(written);
  };
  return (
    <>
      <Select
        mt="sm"
        label={t('gateway.command')}
        maw={320}
        searchable
        spellCheck={false}
        nothingFoundMessage={t('common.noMatches')}
        data={commands.map(({ name }) => name)}
        value={fields === undefined ? null : command}
        onChange={(name) => name !== null && onLine(name)}
      />
      {fields?.length === 0 && <div className={layout.dim}>{t('gateway.noParameters')}</div>}
      <div className={classes.fields}>
        {fields?.map((field, index) => (
          <TextInput
            key={field.name}
            label={field.name}
            withAsterisk={field.required}
            description={[t(`gateway.kinds.${field.kind}`), field.description].filter((text) => text !== '').join('. ')}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            classNames={{ input: 'mono' }}
            spellCheck={false}
            value={values[index] ?? ''}
            onChange={(event) => onTyped(index, event.currentTarget.value)}
          />
        ))}
      </div>
    </>
  );
}

function useProblemWords(): (problem: Problem) => string {
  const { t } = useTranslation();
  return (problem) => {
    switch (problem.kind) {
      case 'open':
        return t('gateway.parametersInvalid');
      case 'missing':
        return t('gateway.parameterMissing', { name: problem.name });
      case 'tooMany':
        return t('gateway.tooManyParameters', { count: problem.most });
      case 'type':
        return t('gateway.parameterWrong', { name: problem.name, what: t(`gateway.types.${problem.type}`) });
    }
  };
}

function Runner({ commands, begun }: { commands: readonly NodeCommand[]; begun: string }) {
  const { t } = useTranslation();
  const network = useNetwork();
  const tip = useLive((state) => state.tip?.hash);
  const all = useRuns((state) => state.runs);
  const runs = all.filter((run) => run.network === network);
  const input = useRef<HTMLInputElement>(null);
  const [line, setLine] = useState(begun);
  /** The line that was run with missing parameters. */
  const [tried, setTried] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [form, setForm] = useState(false);
  const [searching, setSearching] = useState(false);
  const history = useHistory(line, setLine);
  const words = useProblemWords();
  const { command, behind } = readLine(line);
  const known = commands.find(({ name }) => name === command);
  const help = useQuery({
    queryKey: ['gateway', 'help', command],
    queryFn: () => client.node.call({ method: 'help', params: [command] }),
    enabled: known !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const helpText = String(help.data?.result ?? '');
  const fields = known === undefined ? undefined : fieldsOf(known, helpText);
  // The types are unknown until the help has arrived.
  const { parameters, problem } = readTyped(behind, helpText === '' ? undefined : fields);
  const answers = useDeferredValue(all);
  const seen = useMemo(
    () =>
      seenIn(
        answers.filter((one) => one.network === network),
        tip,
      ),
    [answers, network, tip],
  );
  const completion = complete(line, {
    commands: commands.map(({ name }) => name),
    fields,
    seen,
  });
  // While a person is typing, missing parameters are not reported.
  const told = problem !== undefined && (problem.kind !== 'missing' || tried === line) ? problem : undefined;
  const take = (next: string): void => {
    setLine(next);
    setSearching(false);
    requestAnimationFrame(() => input.current?.focus());
  };
  const run = async (): Promise<void> => {
    setTried(line);
    if (problem !== undefined || command === '' || busy) return;
    setBusy(true);
    const ran = line.trim();
    history.remember(ran);
    const started = performance.now();
    const base = { network, line: ran, command };
    const answer = await client.node.call({ method: command, params: parameters }).then(
      ({ result, error }) => (error === null ? { result } : { refusal: error }),
      (error: unknown) => ({ failure: failureOf(error) }),
    );
    addRun({ ...base, milliseconds: performance.now() - started, answer });
    // Text typed in the meantime is the next command and stays.
    setLine((now) => (now === line ? '' : now));
    setBusy(false);
  };

  return (
    <Stack gap="md">
      <Panel
        title={t('gateway.tabs.console')}
        hint={t('gateway.consoleHint')}
        actions={
          <Group gap="xs" wrap="nowrap">
            <Button
              size="xs"
              variant="subtle"
              color="gray"
              aria-expanded={searching}
              leftSection={<IconHistory {...smallIcon} />}
              onClick={() => setSearching(!searching)}
            >
              {t('gateway.history')}
            </Button>
            <Button
              size="xs"
              variant="subtle"
              color="gray"
              aria-expanded={form}
              leftSection={<IconForms {...smallIcon} />}
              onClick={() => setForm(!form)}
            >
              {t('gateway.form')}
            </Button>
          </Group>
        }
      >
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void run();
          }}
        >
          <Prompt
            input={input}
            line={line}
            completion={completion}
            error={told === undefined ? undefined : words(told)}
            busy={busy}
            canRun={command !== '' && told === undefined}
            onLine={setLine}
            onArrow={history.onArrow}
            onSearch={() => setSearching(true)}
          />
          {form && <Form commands={commands} command={command} fields={fields} behind={behind} onLine={setLine} />}
        </form>
        {helpText !== '' && (
          <section aria-label={t('gateway.help')}>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content has to be reachable by keyboard. */}
            <pre className={`mono ${classes.help}`} tabIndex={0}>
              {helpText}
            </pre>
          </section>
        )}
      </Panel>
      {searching && (
        <HistorySearch lines={history.lines} onTake={take} onClose={() => take(line)} onForget={history.forget} />
      )}
      {runs.length === 0 ? (
        <p className={layout.dim}>{t('gateway.noAnswers')}</p>
      ) : (
        <Transcript runs={runs} onTake={take} />
      )}
    </Stack>
  );
}

/** Runs any command of the node as a line with completion, and lists the replies. The address may contain the first text of the line. */
export function Console() {
  const query = useQuery(api.gateway.commands.queryOptions({ staleTime: Number.POSITIVE_INFINITY }));
  const begun = new URLSearchParams(useSearch()).get('line') ?? '';
  return <QueryView query={query}>{(commands) => <Runner key={begun} commands={commands} begun={begun} />}</QueryView>;
}
