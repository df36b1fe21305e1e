import { Button, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { TrackedDetail, TrackedTransaction } from '../../../../../contract/index.ts';
import { api } from '../../../../api/client.ts';
import callout from '../../../../components/callouts/callout.module.css';
import { Callout } from '../../../../components/callouts/callout.tsx';
import { ErrorNote } from '../../../../components/callouts/failure-note.tsx';
import { smallIcon } from '../../../../components/icon.ts';
import { CopyButton } from '../../../../components/values/copy-button.tsx';
import { useNow } from '../../../../components/values/use-now.ts';
import { Id } from '../../../../components/values/values.tsx';
import { reasonWords } from '../../../../i18n/reason.ts';
import { formatRelative } from '../../../../lib/format.ts';

/** Reasons that may have passed since, so that the same bytes can be taken now. */
const passing = new Set([
  'missing-inputs',
  'too-long-chain',
  'no-room',
  'not-final',
  'miner-failure',
  'mixed-results',
  'duplicate-request',
  'upstream-unreachable',
  'upstream-timeout',
  'upstream-error',
  'unauthorized',
]);

/** Whether to offer to send the same transaction again. A transaction that is refused for its content stays refused. */
export function retryHelps({ state, reason }: Pick<TrackedTransaction, 'state' | 'reason'>): boolean {
  // No miner takes what pays more than it has.
  if (state === 'kept-back') return reason?.code !== 'outputs-exceed-inputs';
  if (reason === null || !['failed', 'queued', 'evicted', 'stale'].includes(state)) return false;
  return reason.retriedByItself || passing.has(reason.code);
}

/** Why a transaction is not on its way, what to do, and whether Planchet does it by itself. */
export function Reason({ transaction }: { transaction: TrackedDetail }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const retry = useMutation(
    api.tx.retry.mutationOptions({ onSuccess: () => queries.invalidateQueries({ queryKey: api.tx.key() }) }),
  );
  const { txid, state, reason, doubleSpentBy } = transaction;
  if (reason === null && doubleSpentBy === null) return null;
  const words = reason && reasonWords(reason);
  const isOver = state === 'failed' || state === 'double-spent';
  const title =
    words === null || state === 'double-spent'
      ? t('submitted.page.reason.doubleSpent')
      : t(`submitted.page.reason.${state === 'kept-back' ? 'keptBack' : isOver ? 'failed' : 'waiting'}`, words);
  // The time of the next attempt says more than that one may try again later.
  const isTimed = reason?.retriedByItself === true && transaction.nextAttemptAt !== undefined;
  const again = retryHelps(transaction) && (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconRefresh {...smallIcon} />}
      loading={retry.isPending}
      onClick={() => retry.mutate({ txids: [txid] })}
    >
      {t(state === 'kept-back' ? 'submitted.page.reason.sendNow' : 'submitted.page.reason.retry')}
    </Button>
  );
  return (
    <>
      <Callout actions={again} tone={isOver ? 'fail' : 'wait'} role={isOver ? 'alert' : 'status'} title={title}>
        {state === 'double-spent' && <Text size="sm">{t('submitted.page.reason.doubleSpentText')}</Text>}
        {words !== null && words.advice !== '' && !isTimed && <Text size="sm">{words.advice}</Text>}
        {reason?.retriedByItself === true && <SentAgain at={transaction.nextAttemptAt} />}
        {doubleSpentBy !== null && (
          <Text size="sm" component="div">
            {t('submitted.page.reason.other')} <Id value={doubleSpentBy} kind="transaction" copyAlways />
          </Text>
        )}
        {reason !== null && (
          <span className={callout.code}>
            <span>{t('submitted.page.reason.code')}</span>
            <span className="mono">{reason.code}</span>
            <CopyButton
              value={`${reason.code}: ${reason.text}\n${reason.advice}`}
              what={t('submitted.page.reason.codeName')}
            />
          </span>
        )}
      </Callout>
      <ErrorNote error={retry.error} />
    </>
  );
}

/** That it is sent again without a person, and when. */
function SentAgain({ at }: { at: number | undefined }) {
  const { t, i18n } = useTranslation();
  const now = useNow();
  const isLater = at !== undefined && at > now;
  return (
    <Text size="sm">
      {isLater
        ? t('submitted.page.reason.byItselfAt', { time: formatRelative(at, now, i18n.language) })
        : t('submitted.page.reason.byItself')}
    </Text>
  );
}
