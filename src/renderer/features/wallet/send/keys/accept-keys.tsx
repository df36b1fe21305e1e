import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { WalletSend } from '../../../../../contract/index.ts';
import { api } from '../../../../api/client.ts';
import { ErrorNote } from '../../../../components/callouts/failure-note.tsx';
import './texts.ts';

/** Where a paymail address has another identity key than before: takes the one that the review shows. @param onAccepted prepares the payment again */
export function AcceptKeys({ payment, onAccepted }: { payment: WalletSend; onAccepted: () => void }) {
  const { t } = useTranslation();
  const accept = useMutation(api.wallet.contacts.acceptKey.mutationOptions());
  const { request, review, canCancel } = payment;
  if (!canCancel || review.checks.every(({ id, passed }) => id !== 'paymail-key' || passed)) return null;
  const acceptAll = async (): Promise<void> => {
    for (const { paymail, key = '' } of request.paymails ?? []) await accept.mutateAsync({ address: paymail, key });
    onAccepted();
  };
  return (
    <>
      <ErrorNote error={accept.error} />
      <Button variant="default" loading={accept.isPending} onClick={() => void acceptAll().catch(() => undefined)}>
        {t('paymailKeys.accept')}
      </Button>
    </>
  );
}
