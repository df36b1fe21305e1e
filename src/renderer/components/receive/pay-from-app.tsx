import { Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api } from '../../api/client.ts';
import { useLive } from '../../api/live/live-store.ts';
import { routes } from '../../lib/routes.ts';
import { Callout } from '../callouts/callout.tsx';
import { ErrorNote } from '../callouts/failure-note.tsx';
import './texts.ts';
import { useMoney } from '../../api/money.ts';

/**
 * A button that asks a wallet app on this machine for a payment. The sandbox has none, since no wallet app supports it.
 * @param satoshis undefined while there is no amount
 */
export function PayFromApp({ address, satoshis }: { address: string; satoshis: number | undefined }) {
  const { t } = useTranslation();
  const amountOf = useMoney();
  const network = useLive(({ wallet }) => wallet?.network);
  const pay = useMutation(api.wallet.payFromApp.mutationOptions());
  if (network === undefined || network === 'sandbox') return null;
  if (pay.isPending)
    return (
      <Callout
        tone="info"
        role="status"
        title={t('payFromApp.waiting', { amount: amountOf(pay.variables.satoshis) })}
        actions={
          <Button size="xs" variant="default" onClick={() => pay.reset()}>
            {t('payFromApp.stop')}
          </Button>
        }
      >
        <Text size="sm">{t('payFromApp.stopHint')}</Text>
      </Callout>
    );
  return (
    <Stack gap="xs" align="flex-start">
      <ErrorNote error={pay.error} />
      {pay.isSuccess && (
        <Callout
          tone={pay.data.sentBy === 'nobody' ? 'wait' : 'done'}
          role="status"
          title={t('payFromApp.paid', { amount: amountOf(pay.data.satoshis) })}
          actions={
            <Button size="xs" variant="default" component={Link} href={routes.transaction(pay.data.txid)}>
              {t('payFromApp.show')}
            </Button>
          }
        >
          <Text size="sm">{t(`payFromApp.sentBy.${pay.data.sentBy}`)}</Text>
        </Callout>
      )}
      <Button
        variant="default"
        disabled={satoshis === undefined}
        onClick={() => satoshis !== undefined && pay.mutate({ address, satoshis })}
      >
        {t('payFromApp.button')}
      </Button>
      <Text size="sm" c="dimmed">
        {satoshis === undefined ? `${t('payFromApp.noAmount')} ${t('payFromApp.hint')}` : t('payFromApp.hint')}
      </Text>
    </Stack>
  );
}
