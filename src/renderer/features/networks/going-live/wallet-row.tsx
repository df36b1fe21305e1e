import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { NetworkProfile } from '../../../../contract/index.ts';
import { client } from '../../../api/client.ts';
import { useLive } from '../../../api/live/live-store.ts';
import { ErrorNote } from '../../../components/callouts/failure-note.tsx';
import { Id } from '../../../components/values/values.tsx';
import { routes } from '../../../lib/routes.ts';
import { Backup, CreateWallet, type NewWallet } from '../make-wallet.tsx';
import { useVaultPassphrase } from '../secret-passphrase.tsx';
import { useProfileAction } from '../use-profile-action.ts';
import classes from './going-live.module.css';

/** Creates the wallet, whether or not the network is in use. */
export function WalletBody({ profile }: { profile: NetworkProfile }) {
  const { t } = useTranslation();
  const address = useLive(({ wallet }) => wallet?.address ?? null);
  const isLocked = useLive(({ wallet }) => wallet?.state === 'locked');
  if (!profile.missing.includes('wallet')) {
    if (profile.active && isLocked && profile.passphrase === 'known') return <UnlockWallet profile={profile} />;
    return (
      <Group gap="sm">
        {profile.active && address !== null && <Id value={address} kind="address" full unnamed />}
        {profile.active && (
          <Button size="xs" variant="default" component={Link} href={routes.wallet}>
            {t('networks.openWallet')}
          </Button>
        )}
        {!profile.active && <span>{t('goingLive.wallet.made')}</span>}
      </Group>
    );
  }
  return (
    <div className={classes.form}>
      {t('goingLive.wallet.text')}
      <CreateWallet
        profile={profile}
        create={profile.active ? (input) => createHere(input, profile.passphrase) : client.networks.createWallet}
      />
      {profile.active && (
        <Button size="compact-sm" variant="subtle" mt={8} component={Link} href={routes.wallet}>
          {t('goingLive.wallet.restore')}
        </Button>
      )}
    </div>
  );
}

/** Unlocks a wallet that was just created here, so that nobody has to find the page for it. */
function UnlockWallet({ profile: { network, passphrase: wanted } }: { profile: NetworkProfile }) {
  const { t } = useTranslation();
  const vault = useVaultPassphrase(wanted);
  const unlock = useProfileAction(async () => {
    useLive.setState({ wallet: await client.wallet.unlock({ passphrase: '', ...vault.input }) });
    return profileOf(network);
  });
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (vault.isReady) unlock.mutate(undefined);
      }}
    >
      {vault.fields}
      <ErrorNote error={unlock.error} />
      <Button type="submit" size="xs" mt={8} loading={unlock.isPending} disabled={!vault.isReady}>
        {t('goingLive.action.unlock')}
      </Button>
    </form>
  );
}

/** Creates the wallet of the network in use. @returns the changed profile */
async function createHere(
  { network, passphrase }: NewWallet,
  vault: NetworkProfile['passphrase'],
): Promise<NetworkProfile> {
  if (passphrase !== undefined && vault === 'new') await client.wallet.vault.changePassphrase({ next: passphrase });
  if (passphrase !== undefined && vault === 'known') await client.wallet.unlock({ passphrase });
  await client.wallet.create({ words: 12 });
  return profileOf(network);
}

async function profileOf(network: NetworkProfile['network']): Promise<NetworkProfile> {
  return (await client.networks.list()).find((one) => one.network === network) as NetworkProfile;
}

/** Backup in two steps: the file is saved, and the saved file is checked to contain the keys. */
export function BackupBody({ profile }: { profile: NetworkProfile }) {
  const { t } = useTranslation();
  const { active, network } = profile;
  if (profile.missing.includes('wallet')) return t('networks.walletFirst');
  if (!profile.missing.includes('backup'))
    return t(network === 'private' ? 'goingLive.backup.notNeeded' : 'goingLive.backup.made');
  return (
    <div className={classes.form}>
      {t('goingLive.backup.text')}
      <Backup
        profile={profile}
        save={active ? ({ passphrase }) => client.wallet.backup.create({ passphrase }) : client.networks.createBackup}
        check={
          active
            ? async ({ text, passphrase }) => {
                await client.wallet.backup.check({ text, passphrase });
                return profileOf(network);
              }
            : client.networks.checkBackup
        }
      />
    </div>
  );
}
