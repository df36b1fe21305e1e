import { Button, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { SubmittedTransaction } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { List } from '../../../components/list/list.tsx';
import type { ListColumn } from '../../../components/list/rows.ts';
import { Panel } from '../../../components/page.tsx';
import layout from '../../../components/styles/layout.module.css';
import { Badge, Id } from '../../../components/values/values.tsx';
import { formatInteger } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import { AnswerMarks } from '../answer-marks.tsx';
import { StateLine } from '../state-line.tsx';
import classes from './submit.module.css';

/** Explained one by one; the list has the rest. */
const MAX_EXPLAINED = 50;

const idOf = ({ txid }: SubmittedTransaction): string => txid;
const isFailed = ({ state, sent }: SubmittedTransaction): boolean =>
  !sent || state === 'failed' || state === 'double-spent';

/** Why it failed beside its checks, in a sentence, and what to do. The tracker may know more than the miners said: that the coin is spent. */
function useWhy(): (result: SubmittedTransaction) => { text: string | null; advice: string | null } {
  const { t } = useTranslation();
  return useCallback(
    ({ state, reason, advice, checks }) =>
      state === 'double-spent'
        ? { text: t('submitted.page.reason.doubleSpent'), advice: t('submitted.page.reason.doubleSpentAdvice') }
        : // A failed check is the reason as well, and is shown by itself.
          { text: checks.some(({ text }) => text === reason?.text) ? null : (reason?.text ?? null), advice },
    [t],
  );
}

/** The state as it changes. */
function Current({ result: { txid, state, sent } }: { result: SubmittedTransaction }) {
  const { t } = useTranslation();
  const now = useQuery(api.tx.get.queryOptions({ input: { txid }, enabled: sent, retry: false })).data?.state;
  return sent ? <StateLine state={now ?? state} /> : <Badge tone="wait">{t('submitted.submit.result.keptBack')}</Badge>;
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
        render: ({ txid, sent }) => (
          <Id value={txid} kind="transaction" to={sent ? routes.submittedTransaction(txid) : null} />
        ),
      },
      {
        key: 'state',
        title: t('submitted.submit.result.state'),
        width: '190px',
        value: ({ state, sent }) => (sent ? state : t('submitted.submit.result.notSent')),
        render: (result) => <Current result={result} />,
      },
      {
        key: 'reason',
        title: t('submitted.submit.result.why'),
        width: 'minmax(96px, 1.4fr)',
        value: (result) => [...result.checks.map(({ text }) => text), whyOf(result).text ?? ''].join(' ').trim(),
      },
      {
        key: 'endpoints',
        title: t('submitted.submit.result.miners'),
        width: 'minmax(96px, 1fr)',
        sortable: false,
        value: ({ endpoints }) => endpoints.map(({ name, status }) => `${name}: ${status}`).join(', '),
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
          const { txid, checks, sent } = result;
          const { text: why, advice } = whyOf(result);
          return (
            <li key={txid}>
              <Id value={txid} kind="transaction" to={sent ? routes.submittedTransaction(txid) : null} keep={8} />
              {checks.map((check) => (
                <div key={check.code}>{check.text}</div>
              ))}
              {why !== null && <div>{why}</div>}
              {advice !== null && <div className={layout.dim}>{advice}</div>}
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

/** What became of each submitted transaction, as it changes, and what to do where one failed. */
export function Results({
  results,
  onForce,
  forcing,
}: {
  results: readonly SubmittedTransaction[];
  onForce: () => void;
  forcing: boolean;
}) {
  const { t, i18n } = useTranslation();
  const failed = results.filter(isFailed);
  const kept = results.filter(({ sent }) => !sent);
  const counts = {
    accepted: results.length - failed.length,
    refused: failed.length - kept.length,
    kept: kept.length,
  };
  return (
    <Stack gap="md">
      <Group gap="sm" role="status">
        {(['accepted', 'refused', 'kept'] as const)
          .filter((name) => counts[name] > 0)
          .map((name) => (
            <Badge key={name} tone={name === 'accepted' ? 'done' : name === 'refused' ? 'fail' : 'wait'}>
              {t(`submitted.submit.result.${name}`, {
                count: counts[name],
                n: formatInteger(counts[name], i18n.language),
              })}
            </Badge>
          ))}
      </Group>
      <List
        name="submission"
        label={t('submitted.submit.result.label')}
        title={t('submitted.submit.result.title')}
        rows={results}
        idOf={idOf}
        columns={useColumns()}
        copies={{ label: t('submitted.list.copy'), of: idOf }}
        maxHeight="400px"
        tools={
          kept.some(({ checks }) => checks.length > 0 && checks.every(({ skippable }) => skippable)) && (
            <Button size="xs" variant="default" loading={forcing} onClick={onForce}>
              {t('submitted.submit.result.force')}
            </Button>
          )
        }
      />
      {failed.length > 0 && <Problems failed={failed} />}
    </Stack>
  );
}
