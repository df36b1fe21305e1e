import { Autocomplete, Button, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Failure } from '../../../contract/index.ts';
import { client } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Callout, FailureNote, Panel } from '../../components/page.tsx';
import { readParameters } from './command-line.ts';
import classes from './gateway.module.css';

const KEPT = 30;

type Answer = { text: string } | { refusal: { code: number; message: string } } | { failure: Failure };

async function helpOf(command: string): Promise<string> {
  const { result } = await client.node.call({ method: 'help', params: command === '' ? [] : [command] });
  return typeof result === 'string' ? result : '';
}

/** Runs any command of the node, with its help beside it. */
export function Console() {
  const { t } = useTranslation();
  const [command, setCommand] = useState('getblockchaininfo');
  const [line, setLine] = useState('');
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<Answer>();
  const [history, setHistory] = useState<readonly string[]>([]);
  const all = useQuery({ queryKey: ['gateway', 'help'], queryFn: () => helpOf(''), staleTime: Infinity });
  const commands = [
    ...new Set((all.data ?? '').split('\n').flatMap((text) => /^([a-z]+)(?:\s|$)/.exec(text)?.[1] ?? [])),
  ];
  const known = commands.includes(command);
  const help = useQuery({
    queryKey: ['gateway', 'help', command],
    queryFn: () => helpOf(command),
    enabled: known,
    staleTime: Infinity,
  });
  const parameters = readParameters(line);

  const run = async (method: string, params: unknown[], shown: string): Promise<void> => {
    setBusy(true);
    setHistory((past) => [shown, ...past.filter((other) => other !== shown)].slice(0, KEPT));
    try {
      const { result, error } = await client.node.call({ method, params });
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
  const repeat = (shown: string): void => {
    const space = shown.indexOf(' ');
    const method = space < 0 ? shown : shown.slice(0, space);
    const rest = space < 0 ? '' : shown.slice(space + 1);
    setCommand(method);
    setLine(rest);
    void run(method, readParameters(rest) ?? [], shown);
  };

  return (
    <Stack gap="md">
      <Panel title={t('gateway.tabs.console')}>
        <form
          className={classes.form}
          onSubmit={(event) => {
            event.preventDefault();
            if (parameters !== undefined) void run(command, parameters, `${command} ${line}`.trim());
          }}
        >
          <Autocomplete
            className={classes.grow}
            label={t('gateway.command')}
            spellCheck={false}
            data={commands}
            value={command}
            onChange={(value) => setCommand(value.trim())}
          />
          <TextInput
            className={classes.grow}
            label={t('gateway.parameters')}
            description={t('gateway.parametersHint')}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            error={parameters === undefined ? t('gateway.parametersInvalid') : undefined}
            spellCheck={false}
            value={line}
            onChange={(event) => setLine(event.currentTarget.value)}
          />
          <Button
            type="submit"
            variant="default"
            className={classes.beside}
            loading={busy}
            disabled={command === '' || parameters === undefined}
          >
            {t('gateway.run')}
          </Button>
        </form>
      </Panel>
      {answer !== undefined && 'failure' in answer && <FailureNote failure={answer.failure} />}
      {answer !== undefined && 'refusal' in answer && (
        <Callout tone="fail" role="alert" title={t('gateway.nodeError', answer.refusal)} />
      )}
      {answer !== undefined && 'text' in answer && (
        <Panel
          flush
          title={t('gateway.result')}
          actions={<CopyButton value={answer.text} what={t('gateway.resultName')} />}
        >
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard. */}
          <pre className={`mono ${classes.text}`} tabIndex={0}>
            {answer.text}
          </pre>
        </Panel>
      )}
      <div className={classes.columns}>
        <Panel flush title={t('gateway.help')}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard. */}
          <pre className={`mono ${classes.text}`} tabIndex={0}>
            {known ? (help.data ?? '') : t('gateway.helpEmpty')}
          </pre>
        </Panel>
        <Panel flush title={t('gateway.history')}>
          {history.length === 0 && <div className={`${classes.pad} ${classes.dim}`}>{t('gateway.historyEmpty')}</div>}
          {history.map((shown) => (
            <div key={shown} className={classes.line}>
              <span className={`mono ${classes.value}`}>{shown}</span>
              <Button
                size="compact-sm"
                variant="subtle"
                aria-label={t('gateway.runAgain', { line: shown })}
                onClick={() => repeat(shown)}
              >
                {t('gateway.run')}
              </Button>
            </div>
          ))}
        </Panel>
      </div>
    </Stack>
  );
}
