import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { TrackedDetail } from '../../../../contract/index.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { Callout } from '../../../components/page.tsx';
import callout from '../../../components/styles/callout.module.css';
import { Id } from '../../../components/values.tsx';
import { routes } from '../../../lib/routes.ts';

/** Why a transaction is not on its way, what to do, and whether Planchet does it by itself. */
export function Reason({ transaction }: { transaction: TrackedDetail }) {
  const { t } = useTranslation();
  const { state, reason, doubleSpentBy } = transaction;
  if (reason === null && doubleSpentBy === null) return null;
  const isOver = state === 'failed' || state === 'double-spent';
  const title =
    reason === null || state === 'double-spent'
      ? t('submitted.page.reason.doubleSpent')
      : t(isOver ? 'submitted.page.reason.failed' : 'submitted.page.reason.waiting', { text: reason.text });
  return (
    <Callout tone={isOver ? 'fail' : 'wait'} role={isOver ? 'alert' : 'status'} title={title}>
      {state === 'double-spent' && <Text size="sm">{t('submitted.page.reason.doubleSpentText')}</Text>}
      {reason !== null && reason.advice !== '' && <Text size="sm">{reason.advice}</Text>}
      {reason?.retriedByItself === true && <Text size="sm">{t('submitted.page.reason.byItself')}</Text>}
      {doubleSpentBy !== null && (
        <Text size="sm" component="div">
          {t('submitted.page.reason.other')}{' '}
          <Id value={doubleSpentBy} what={t('common.txidName')} to={routes.transaction(doubleSpentBy)} copyAlways />
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
  );
}
