import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, client } from '../../../api/client.ts';
import { NewPassphraseFields, useNewPassphrase } from '../../../components/forms/new-passphrase.tsx';
import { useVault } from './vault-passphrase.tsx';

/** What a vault needs before it can keep the first wallet: nothing, or a passphrase where no keychain and nobody else gives one. */
export function useFirstPassphrase() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const needed = useVault().data?.needsPassphrase === true;
  const next = useNewPassphrase();
  return {
    fields: needed && (
      <NewPassphraseFields label={t('wallet.first.vault')} of={next} hint={t('wallet.first.vaultHint')} />
    ),
    isReady: !needed || next.isGood,
    /** Makes the vault where it is needed; to be awaited before the keys are made. */
    give: async (): Promise<void> => {
      if (!needed) return;
      const now = await client.wallet.vault.changePassphrase({ next: next.first });
      queries.setQueryData(api.wallet.vault.status.queryKey(), now);
    },
  };
}
