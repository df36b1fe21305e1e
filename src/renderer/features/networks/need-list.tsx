import { Button, FileButton, Group, PasswordInput } from '@mantine/core';
import { IconCircleCheck, IconCircleDashed } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { NetworkNeed, NetworkProfile } from '../../../contract/index.ts';
import { client } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { FailureNote } from '../../components/callouts/failure-note.tsx';
import { icon } from '../../components/icon.ts';
import { Panel } from '../../components/page.tsx';
import layout from '../../components/styles/layout.module.css';
import { routes } from '../../lib/routes.ts';
import { saveBlob } from '../../lib/save-blob.ts';
import classes from './networks.module.css';
import { useProfileAction } from './use-profile-action.ts';

const needs: readonly NetworkNeed[] = ['upstream', 'apiKey', 'wallet', 'backup'];
/** Fields of the address form that meet a need. */
const fieldOf: Partial<Record<NetworkNeed, string>> = { upstream: 'bitcoinRpcUrl', apiKey: 'apiKey' };

/** What the network needs, with a tick each, and what makes it. */
export function NeedList({ profile }: { profile: NetworkProfile }) {
  const { t } = useTranslation();
  return (
    <Panel flush title={t('networks.needs')} hint={t('networks.needsHint')}>
      {needs
        .filter((need) => need !== 'apiKey' || usesTokenService(profile))
        // its coins are worth nothing
        .filter((need) => need !== 'backup' || profile.network !== 'private')
        .map((need) => {
          const isMet = !profile.missing.includes(need);
          const Icon = isMet ? IconCircleCheck : IconCircleDashed;
          return (
            <div key={need} className={layout.line} data-need={need} data-met={isMet}>
              <Icon {...icon} className={isMet ? classes.met : classes.open} aria-hidden />
              <div className={layout.value}>
                <strong>{t(`networks.need.${need}`)}</strong>{' '}
                <span className={layout.dim}>{t(isMet ? 'networks.met' : 'networks.missing')}</span>
                {!isMet && <Fix need={need} profile={profile} />}
              </div>
            </div>
          );
        })}
    </Panel>
  );
}

/** A key is needed for a token service alone, and nobody needs one of those. */
function usesTokenService({ entries }: NetworkProfile): boolean {
  return entries.some(({ key, value }) => key === 'baseUrl' && value !== '');
}

/** How what is missing comes about. */
function Fix({ need, profile }: { need: NetworkNeed; profile: NetworkProfile }): ReactNode {
  const { t } = useTranslation();
  const field = need === 'upstream' && profile.network === 'private' ? 'joinUrl' : fieldOf[need];
  if (field !== undefined) {
    return (
      <div>
        <Button
          size="compact-sm"
          variant="default"
          mt={6}
          onClick={() => document.getElementById(`network-${field}`)?.focus()}
        >
          {t('networks.enter')}
        </Button>
      </div>
    );
  }
  if (profile.active) {
    return (
      <div>
        <Button size="compact-sm" variant="default" mt={6} component={Link} href={routes.walletPart('keys')}>
          {t('networks.openWallet')}
        </Button>
      </div>
    );
  }
  if (need === 'wallet') return <CreateWallet profile={profile} />;
  return profile.missing.includes('wallet') ? (
    <div className={layout.dim}>{t('networks.walletFirst')}</div>
  ) : (
    <Backup profile={profile} />
  );
}

function CreateWallet({ profile: { network, passphrase: wanted } }: { profile: NetworkProfile }) {
  const { t } = useTranslation();
  const [passphrase, setPassphrase] = useState('');
  const create = useProfileAction(client.networks.createWallet);
  return (
    <form
      className={classes.fix}
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate({ network, ...(wanted === 'none' ? {} : { passphrase }) });
      }}
    >
      {wanted !== 'none' && (
        <PasswordInput
          label={t(`networks.passphrase.${wanted}`)}
          description={t(`networks.passphraseHint.${wanted}`)}
          autoComplete="new-password"
          value={passphrase}
          onChange={(event) => setPassphrase(event.currentTarget.value)}
        />
      )}
      {create.isError && <FailureNote failure={failureOf(create.error)} />}
      <Group>
        <Button
          type="submit"
          size="xs"
          loading={create.isPending}
          disabled={wanted !== 'none' && passphrase.length === 0}
        >
          {t('networks.createWallet')}
        </Button>
      </Group>
    </form>
  );
}

/** Two steps: the file is saved, and the saved file is shown to hold the keys. */
function Backup({ profile: { network } }: { profile: NetworkProfile }) {
  const { t } = useTranslation();
  const [passphrase, setPassphrase] = useState('');
  const save = useMutation({
    mutationFn: async () => {
      const { fileName, text } = await client.networks.createBackup({ network, passphrase });
      saveBlob(fileName, new Blob([text]));
    },
  });
  const check = useProfileAction(async (file: File) =>
    client.networks.checkBackup({ network, passphrase, text: await file.text() }),
  );
  const failed = check.error ?? save.error;
  return (
    <div className={classes.fix}>
      <PasswordInput
        label={t('networks.passphrase.known')}
        description={t('networks.backupHint')}
        autoComplete="current-password"
        value={passphrase}
        onChange={(event) => setPassphrase(event.currentTarget.value)}
      />
      {failed !== null && <FailureNote failure={failureOf(failed)} />}
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
