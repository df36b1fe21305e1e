import { Button, FileButton, Group, PasswordInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Network, NetworkProfile } from '../../../contract/index.ts';
import { ErrorNote } from '../../components/callouts/failure-note.tsx';
import { saveBlob } from '../../lib/save-blob.ts';
import classes from './networks.module.css';
import { useVaultPassphrase } from './secret-passphrase.tsx';
import { useProfileAction } from './use-profile-action.ts';

export interface NewWallet {
  network: Network;
  /** Passphrase of the vault, if it needs one. */
  passphrase?: string;
}

interface CreateWalletProps {
  profile: NetworkProfile;
  create: (input: NewWallet) => Promise<NetworkProfile>;
}

/** Creates the keys of a network. A passphrase is requested only if the vault needs one. */
export function CreateWallet({ profile: { network, passphrase: wanted }, create: run }: CreateWalletProps) {
  const { t } = useTranslation();
  const vault = useVaultPassphrase(wanted);
  const create = useProfileAction(run);
  return (
    <form
      className={classes.fix}
      onSubmit={(event) => {
        event.preventDefault();
        if (vault.isReady) create.mutate({ network, ...vault.input });
      }}
    >
      {vault.fields}
      <ErrorNote error={create.error} />
      <Group>
        <Button type="submit" size="xs" loading={create.isPending} disabled={!vault.isReady}>
          {t('networks.createWallet')}
        </Button>
      </Group>
    </form>
  );
}

interface BackupProps {
  profile: NetworkProfile;
  save: (input: { network: Network; passphrase: string }) => Promise<{ fileName: string; text: string }>;
  check: (input: { network: Network; passphrase: string; text: string }) => Promise<NetworkProfile>;
}

/** Backup in two steps: the file is saved, and the saved file is checked to contain the keys. */
export function Backup({ profile: { network, active }, save: write, check: read }: BackupProps) {
  const { t } = useTranslation();
  const [passphrase, setPassphrase] = useState('');
  const save = useMutation({
    mutationFn: async () => {
      const { fileName, text } = await write({ network, passphrase });
      saveBlob(fileName, new Blob([text]));
    },
  });
  const check = useProfileAction(async (file: File) => read({ network, passphrase, text: await file.text() }));
  const failed = check.error ?? save.error;
  return (
    <div className={classes.fix}>
      <PasswordInput
        label={t(active ? 'goingLive.filePassphrase' : 'networks.passphrase.known')}
        description={t(active ? 'goingLive.filePassphraseHint' : 'networks.backupHint')}
        autoComplete={active ? 'new-password' : 'current-password'}
        value={passphrase}
        onChange={(event) => setPassphrase(event.currentTarget.value)}
      />
      <ErrorNote error={failed} />
      <Group gap="xs">
        <Button
          size="xs"
          variant={save.isSuccess ? 'default' : 'filled'}
          loading={save.isPending}
          disabled={passphrase === ''}
          onClick={() => save.mutate()}
        >
          {t('networks.saveBackup')}
        </Button>
        <FileButton accept=".json,application/json" onChange={(file) => file && check.mutate(file)}>
          {(props) => (
            <Button
              {...props}
              size="xs"
              variant={save.isSuccess ? 'filled' : 'default'}
              loading={check.isPending}
              disabled={passphrase === ''}
            >
              {t('networks.checkBackup')}
            </Button>
          )}
        </FileButton>
      </Group>
    </div>
  );
}
