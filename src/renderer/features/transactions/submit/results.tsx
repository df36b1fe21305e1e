import { Button, Group, Select, Stack } from '@mantine/core';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type SubmittedTransaction, transactionStates } from '../../../../contract/index.ts';
import { List } from '../../../components/list/list.tsx';
import type { ListColumn } from '../../../components/list/rows.ts';
import { Panel } from '../../../components/page.tsx';
import layout from '../../../components/styles/layout.module.css';
import { Badge, Id } from '../../../components/values/values.tsx';
import { phraseInPageLanguage, shownMinerName } from '../../../i18n/phrases.ts';
import { reasonWords } from '../../../i18n/reason.ts';
import { formatInteger } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import { AnswerMarks } from '../answer-marks.tsx';
import { retryHelps } from '../page/submission/reason.tsx';
import { StateLine } from '../state-line.tsx';
import classes from './submit.module.css';

/** Explained one by one; the list has the rest. */
const MAX_EXPLAINED = 50;

const idOf = ({ txid }: SubmittedTransaction): string => txid;
const maySucceed = (result: SubmittedTransaction): boolean => result.sent && retryHelps(result);

/** Why it failed beside its checks, in a sentence, and what to do. The tracker may know more than the miners said: that the coin is spent. */
function useWhy(): (result: SubmittedTransaction) => { text: string | null; advice: string | null } {
  const { t } = useTranslation();
  return useCallback(
    ({ state, reason, sent, checks }) => {
      if (state === 'double-spent')
        return { text: t('submitted.page.reason.doubleSpent'), advice: t('submitted.page.reason.doubleSpentAdvice') };
      if (reason === null) return { text: null, advice: null };
      const { text, advice } = reasonWords(reason);
      // The failed checks are the reason then, and are shown by themselves.
      return { text: !sent && checks.length > 0 ? null : text, advice: advice || null };
    },
    [t],
  );
}

function useColumns(): readonly ListColumn<SubmittedTransaction>[] {
  const { t } = useTranslation();
  const whyOf = useWhy();
  return useMemo(
    () => [
      {
        key: 'txid',
        title: t('submitted.submit.col.txid'),
        width: '124px',
        sortable: false,
        value: idOf,
        render: ({ txid }) => <Id value={txid} kind="transaction" to={routes.submittedTransaction(txid)} />,
      },
      {
        key: 'state',
        title: t('submitted.submit.result.state'),
        width: '190px',
        value: ({ state }) => t(transactionStates.row(state).label),
        render: ({ state }) => <StateLine state={state} />,
      },
      {
        key: 'reason',
        title: t('submitted.submit.result.why'),
        width: 'minmax(96px, 1.4fr)',
        value: (result) =>
          [...result.checks.map(({ sentence }) => phraseInPageLanguage(sentence)), whyOf(result).text ?? '']
            .join(' ')
            .trim(),
      },
      {
        key: 'endpoints',
        title: t('submitted.submit.result.miners'),
        width: 'minmax(96px, 1fr)',
        sortable: false,
        value: ({ endpoints }) => endpoints.map(({ name, status }) => `${shownMinerName(name)}: ${status}`).join(', '),
        render: ({ endpoints }) => <AnswerMarks answers={endpoints} />,
      },
    ],
    [t, whyOf],
  );
}

function Problems({ failed }: { failed: readonly SubmittedTransaction[] }) {
  const { t, i18n } = useTranslation();
  const whyOf = useWhy();
  return (
    <Panel flush title={t('submitted.submit.result.problems')}>
      <ul className={classes.problems}>
        {failed.slice(0, MAX_EXPLAINED).map((result) => {
          const { txid, checks, sent, reason, state } = result;
          const { text: why, advice } = whyOf(result);
          return (
            <li key={txid}>
              <Id value={txid} kind="transaction" to={routes.submittedTransaction(txid)} keep={8} />
              {checks.map((check) => (
                <div key={check.code}>{phraseInPageLanguage(check.sentence)}</div>
              ))}
              {why !== null && <div>{why}</div>}
              {advice !== null && <div className={layout.dim}>{advice}</div>}
              {sent && state !== 'failed' && reason?.retriedByItself === true && (
                <div className={layout.dim}>{t('submitted.page.reason.byItself')}</div>
              )}
            </li>
          );
        })}
        {failed.length > MAX_EXPLAINED && (
          <li className={layout.dim}>
            {t('submitted.submit.result.problemsMore', {
              n: formatInteger(failed.length - MAX_EXPLAINED, i18n.language),
            })}
          </li>
        )}
      </ul>
    </Panel>
  );
}

function groupOf({ sent, state, reason }: SubmittedTransaction): (typeof groups)[number] {
  if (!sent) return 'kept';
  // No miner could take it yet; Planchet sends it again.
  if (state === 'queued' && reason !== null) return 'waiting';
  return state === 'failed' || state === 'double-spent' || state === 'evicted' ? 'refused' : 'accepted';
}

const groups = ['accepted', 'refused', 'waiting', 'kept'] as const;
const tones = { accepted: 'done', refused: 'fail', waiting: 'wait', kept: 'wait' } as const;

/** What became of each submitted transaction, as it changes, and what to do where one failed. */
export function Results({
  results,
  running,
  onForce,
  onRetry,
}: {
  results: readonly SubmittedTransaction[];
  running: boolean;
  onForce: (txids: readonly string[]) => void;
  onRetry: (txids: readonly string[]) => void;
}) {
  const { t, i18n } = useTranslation();
  const [chosen, setGroup] = useState<string | null>(null);
  const summary = useRef<HTMLDivElement>(null);
  // The pressed button is gone, so the focus moves here.
  useEffect(() => summary.current?.focus({ preventScroll: true }), []);
  const words = groups.flatMap((name) => {
    const count = results.filter((result) => groupOf(result) === name).length;
    const n = formatInteger(count, i18n.language);
    return count === 0 ? [] : { name, text: t(`submitted.submit.result.${name}`, { count, n }) };
  });
  // A group that has become empty is no longer selected.
  const group = words.some(({ name }) => name === chosen) ? chosen : null;
  const rows = useMemo(
    () => (group === null ? results : results.filter((result) => groupOf(result) === group)),
    [results, group],
  );
  const failed = results.filter((result) => groupOf(result) !== 'accepted');
  const forced = results.filter(
    ({ sent, checks }) => !sent && checks.length > 0 && checks.every(({ skippable }) => skippable),
  );
  const retried = results.filter(maySucceed);
  return (
    <Stack gap="md">
      <Group gap="sm" role="status" ref={summary} tabIndex={-1} aria-label={t('submitted.submit.result.title')}>
        {words.map(({ name, text }) => (
          <Badge key={name} tone={tones[name]}>
            {text}
          </Badge>
        ))}
      </Group>
      <List
        name="submission"
        label={t('submitted.submit.result.label')}
        title={t('submitted.submit.result.title')}
        rows={rows}
        idOf={idOf}
        columns={useColumns()}
        copies={{ label: t('submitted.list.copy'), of: idOf }}
        bulk={[{ label: t('submitted.list.retry'), fits: maySucceed, run: (chosen) => onRetry(chosen.map(idOf)) }]}
        onOpen={({ txid }) => {
          location.hash = routes.submittedTransaction(txid);
        }}
        maxHeight="400px"
        empty={t('common.noMatches')}
        tools={
          <>
            {words.length > 1 && (
              <Select
                w={144}
                size="xs"
                aria-label={t('submitted.submit.result.filter')}
                placeholder={t('submitted.submit.result.all')}
                clearable
                clearButtonProps={{ 'aria-label': t('common.clearFilter') }}
                data={words.map(({ name }) => ({ value: name, label: t(`submitted.submit.result.only.${name}`) }))}
                value={group}
                onChange={setGroup}
              />
            )}
            {retried.length > 0 && (
              <Button size="xs" variant="default" disabled={running} onClick={() => onRetry(retried.map(idOf))}>
                {t('submitted.submit.result.retry', {
                  count: retried.length,
                  n: formatInteger(retried.length, i18n.language),
                })}
              </Button>
            )}
            {forced.length > 0 && (
              <Button size="xs" variant="default" loading={running} onClick={() => onForce(forced.map(idOf))}>
                {t('submitted.submit.result.force')}
              </Button>
            )}
          </>
        }
      />
      {failed.length > 0 && <Problems failed={failed} />}
    </Stack>
  );
}
