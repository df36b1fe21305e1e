import { Button, Checkbox, PasswordInput, Stack, Text } from '@mantine/core';
import { IconLock, IconLockOpen, IconRefresh } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { WalletStatus } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { useLive } from '../../../api/live/live-store.ts';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { formSubmit } from '../../../components/forms/form-submit.ts';
import { icon } from '../../../components/icon.ts';
import { Panel } from '../../../components/page.tsx';
import { showFailure } from '../../../components/toasts/show-failure.ts';
import classes from '../wallet.module.css';
import { useVault } from './vault-passphrase.tsx';

/** Shows the status of the answer at once; the live event that follows has the same. */
export function showStatus(wallet: WalletStatus): void {
  useLive.setState({ wallet });
}

/** Forgets the keys until the passphrase is given again. */
export function LockButton() {
  const { t } = useTranslation();
  const lock = useMutation(
    api.wallet.lock.mutationOptions({
      onSuccess: showStatus,
      onError: (error) => showFailure('wallet-lock', error),
    }),
  );
  return (
    <Button
      variant="subtle"
      color="gray"
      leftSection={<IconLock {...icon} />}
      loading={lock.isPending}
      onClick={() => lock.mutate(undefined)}
    >
      {t('wallet.lock')}
    </Button>
  );
}

/** Opens a locked wallet. The wallet of a sandbox needs no passphrase. */
export function Unlock() {
  const { t } = useTranslation();
  const worthless = useLive(({ wallet }) => wallet?.worthless === true);
  const vault = useVault();
  // A vault that the keychain alone opens has nothing to ask for.
  const asks = !worthless && vault.data?.passphrase !== false;
  const external = useQuery(api.wallet.external.get.queryOptions());
  const refused = external.data?.refused ?? undefined;
  const own = worthless ? 'wallet.locked.textSandbox' : asks ? 'wallet.locked.text' : 'wallet.locked.textKeychain';
  const text = refused ? 'wallet.locked.textAnother' : external.data && !asks ? 'wallet.locked.textExternal' : own;
  const [passphrase, setPassphrase] = useState('');
  const [forJob, setForJob] = useState(false);
  const unlock = useMutation(api.wallet.unlock.mutationOptions({ onSuccess: showStatus }));
  return (
    <div className={classes.narrow}>
      <Panel title={t(refused ? 'wallet.locked.another' : 'wallet.locked.title')} hint={t(text)}>
        <form onSubmit={formSubmit(() => unlock.mutate({ passphrase, forJob }))}>
          <Stack gap="md" align="flex-start">
            {worthless && !external.data && <Text>{t('wallet.locked.sandbox')}</Text>}
            {asks && (
              <PasswordInput
                w="100%"
                label={t('wallet.locked.passphrase')}
                autoComplete="current-password"
                value={passphrase}
                onChange={(event) => setPassphrase(event.currentTarget.value)}
              />
            )}
            {!worthless && !refused && (
              <Checkbox
                label={t('wallet.locked.forJob')}
                checked={forJob}
                onChange={(event) => setForJob(event.currentTarget.checked)}
              />
            )}
            {unlock.isError ? (
              <FailureNote failure={failureOf(unlock.error)} />
            ) : (
              refused && <FailureNote failure={refused} />
            )}
            <Button
              type="submit"
              variant={refused ? 'default' : 'filled'}
              leftSection={refused ? <IconRefresh {...icon} /> : <IconLockOpen {...icon} />}
              disabled={asks && passphrase === ''}
              loading={unlock.isPending}
            >
              {t(refused ? 'wallet.locked.lookAgain' : 'wallet.locked.unlock')}
            </Button>
          </Stack>
        </form>
      </Panel>
    </div>
  );
}
