import { Button, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { sentTokens, type WalletSend } from '../../../../../contract/index.ts';
import { FailureNote } from '../../../../components/callouts/failure-note.tsx';
import { smallIcon } from '../../../../components/icon.ts';
import { Panel } from '../../../../components/page.tsx';
import { LongWork } from '../../../../components/status/long-work.tsx';
import './texts.ts';

interface Doing {
  isPending: boolean;
  run: () => void;
}

/** Whether its transactions are being signed one after the other, or that was paused or interrupted between two of them. */
export function isHalfSent({ state, awaitingApproval, transactions = [] }: WalletSend): boolean {
  return state === 'reviewed' && (!awaitingApproval || transactions.some(({ txid }) => txid !== null));
}

/** Progress of a payment of several transactions, with the buttons to pause it, to resume it and to cancel the rest. */
export function SeriesProgress({
  payment,
  pause,
  resume,
  cancel,
}: {
  payment: WalletSend;
  pause: Doing;
  resume: Doing;
  cancel: Doing;
}) {
  const { t } = useTranslation();
  const { awaitingApproval, canPause, canApprove, canCancel, failure, transactions = [] } = payment;
  const tokens = sentTokens(payment);
  const units = tokens.length > 0 ? tokens : transactions;
  // The first one is signed last.
  const order = [...transactions.slice(1), ...transactions.slice(0, 1)];
  const next = order.findIndex(({ txid }) => txid === null);
  const confirmCancel = (): void => {
    modals.openConfirmModal({
      title: t('paymentSeries.cancelTitle'),
      children: t('paymentSeries.cancelText'),
      labels: { confirm: t('paymentSeries.cancelRest'), cancel: t('common.back') },
      confirmProps: { color: 'red' },
      onConfirm: cancel.run,
    });
  };
  return (
    <Panel>
      <LongWork
        phase={t(`paymentSeries.${awaitingApproval ? 'paused' : canPause ? 'sending' : 'pausing'}`)}
        amount={{
          done: units.filter(({ txid }) => txid !== null).length,
          total: units.length,
          rate: null,
          millisecondsLeft: null,
        }}
        resting={awaitingApproval}
        note={
          <>
            {failure !== null && <FailureNote failure={failure} />}
            {awaitingApproval && <Text size="sm">{t('paymentSeries.pausedText')}</Text>}
          </>
        }
        steps={order.map(({ txid, moves }, index) => ({
          key: `${index}`,
          label:
            moves.length > 0
              ? t('paymentSeries.tokens', { n: index + 1, count: moves.length })
              : t('paymentSeries.step', { n: index + 1 }),
          state: txid !== null ? 'done' : !awaitingApproval && index === next ? 'now' : 'next',
        }))}
        actions={
          awaitingApproval ? (
            <>
              {canCancel && (
                <Button variant="default" loading={cancel.isPending} onClick={confirmCancel}>
                  {t('paymentSeries.cancelRest')}
                </Button>
              )}
              <Button
                leftSection={<IconPlayerPlay {...smallIcon} />}
                disabled={!canApprove}
                loading={resume.isPending}
                onClick={resume.run}
              >
                {t('paymentSeries.resume')}
              </Button>
            </>
          ) : (
            <Button
              variant="default"
              leftSection={<IconPlayerPause {...smallIcon} />}
              disabled={!canPause}
              loading={pause.isPending}
              onClick={pause.run}
            >
              {t('paymentSeries.pause')}
            </Button>
          )
        }
      />
    </Panel>
  );
}
