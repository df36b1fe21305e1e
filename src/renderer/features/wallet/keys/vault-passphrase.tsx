import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { WalletVault } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { ErrorNote } from '../../../components/callouts/failure-note.tsx';
import { formSubmit } from '../../../components/forms/form-submit.ts';
import { NewPassphraseFields, useNewPassphrase } from '../../../components/forms/new-passphrase.tsx';
import { icon } from '../../../components/icon.ts';
import { Panel } from '../../../components/page.tsx';

/** What opens the vault. */
export function useVault() {
  return useQuery(api.wallet.vault.status.queryOptions());
}

/** Sets the passphrase of a vault that the keychain alone opens, or changes it. */
export function VaultPassphrase({ vault }: { vault: WalletVault }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [current, setCurrent] = useState('');
  const next = useNewPassphrase();
  const change = useMutation(
    api.wallet.vault.changePassphrase.mutationOptions({
      onSuccess: (now) => {
        setCurrent('');
        next.clear();
        queries.setQueryData(api.wallet.vault.status.queryKey(), now);
      },
    }),
  );
  const isReady = next.isGood && (!vault.passphrase || current !== '');
  return (
    <Panel title={t('wallet.vault.title')} hint={t('wallet.vault.hint')}>
      <form onSubmit={formSubmit(() => isReady && change.mutate({ current, next: next.first }))}>
        <Stack gap="md" align="flex-start">
          {vault.keychain && <Text>{t(vault.passphrase ? 'wallet.vault.both' : 'wallet.vault.keychain')}</Text>}
          {vault.passphrase && (
            <PasswordInput
              w="100%"
              label={t('wallet.vault.current')}
              autoComplete="current-password"
              value={current}
              onChange={(event) => setCurrent(event.currentTarget.value)}
            />
          )}
          <NewPassphraseFields label={t('wallet.vault.next')} of={next} />
          {change.isPending && !vault.passphrase && <Text role="status">{t('wallet.vault.asked')}</Text>}
          <ErrorNote error={change.error} />
          {change.isSuccess && <Callout tone="done" role="status" title={t('wallet.vault.done')} />}
          <Button
            type="submit"
            variant="default"
            leftSection={<IconKey {...icon} />}
            disabled={!isReady}
            loading={change.isPending}
          >
            {t(vault.passphrase ? 'wallet.vault.change' : 'wallet.vault.set')}
          </Button>
        </Stack>
      </form>
    </Panel>
  );
}
