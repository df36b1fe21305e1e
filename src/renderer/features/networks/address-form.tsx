import { Button, Group, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Network, NetworkProfile } from '../../../contract/index.ts';
import { client } from '../../api/client.ts';
import { ErrorNote } from '../../components/callouts/failure-note.tsx';
import { Panel } from '../../components/page.tsx';
import { useVaultPassphrase } from './secret-passphrase.tsx';
import { useProfileAction } from './use-profile-action.ts';

const services = ['baseUrl', 'consoleBaseUrl', 'mapiUrl'] as const;
const fields = ['bitcoinRpcUrl', 'bitcoinZmqUrl', ...services] as const;
const privateFields = ['joinUrl', ...services] as const;
/** Usual ports of a node's RPC and ZMQ. The ZMQ ports differ from the one that Planchet itself publishes on. */
const ports = { main: [8332, 28338], test: [18332, 28337], private: [18332, 28337], sandbox: [18332, 28339] } as const;

function examplesOf(network: Network): Readonly<Record<(typeof fields | typeof privateFields)[number], string>> {
  const [rpc, zmq] = ports[network];
  return {
    joinUrl: 'http://127.0.0.1:9600',
    bitcoinRpcUrl: `http://user:password@127.0.0.1:${rpc}`,
    bitcoinZmqUrl: `tcp://127.0.0.1:${zmq}`,
    baseUrl: 'https://example.com/v1',
    consoleBaseUrl: '',
    mapiUrl: 'https://example.com/mapi',
  };
}

/** The addresses and the API key of one network. They are kept while another network is in use. */
export function AddressForm({ profile }: { profile: NetworkProfile }) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [apiKey, setApiKey] = useState('');
  const save = useProfileAction(client.networks.save);
  const entryOf = (key: string) => profile.entries.find((entry) => entry.key === key);
  // The vault of the network in use is unlocked on the wallet's page.
  const asks = apiKey !== '' && (!profile.active || profile.passphrase === 'new');
  const vault = useVaultPassphrase(asks ? profile.passphrase : 'none');
  const isChanged = Object.keys(typed).length > 0 || apiKey !== '';
  const submit = (): void =>
    save.mutate(
      {
        network: profile.network,
        values: { ...typed, ...(apiKey === '' ? {} : { apiKey }) },
        ...vault.input,
      },
      {
        onSuccess: () => {
          setTyped({});
          setApiKey('');
          vault.clear();
        },
      },
    );
  return (
    <Panel title={t('networks.addresses')} hint={t('networks.addressesHint')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Stack gap="sm">
          {(profile.network === 'private' ? privateFields : fields).map((key) => (
            <TextInput
              key={key}
              id={`network-${key}`}
              label={t(`networks.field.${key}`)}
              description={t(`networks.fieldHint.${key}`)}
              placeholder={examplesOf(profile.network)[key]}
              spellCheck={false}
              disabled={entryOf(key)?.overridden ?? false}
              value={typed[key] ?? String(entryOf(key)?.value ?? '')}
              onChange={(event) => {
                const { value } = event.currentTarget;
                setTyped((all) => ({ ...all, [key]: value }));
              }}
            />
          ))}
          <PasswordInput
            id="network-apiKey"
            label={t('networks.field.apiKey')}
            description={t(entryOf('apiKey')?.isSet ? 'networks.keySet' : 'networks.keyNone')}
            autoComplete="off"
            value={apiKey}
            onChange={(event) => setApiKey(event.currentTarget.value)}
          />
          {vault.fields}
          <ErrorNote error={save.error} />
          <Group justify="flex-end">
            {save.isSuccess && !isChanged && <span role="status">{t('networks.saved')}</span>}
            <Button type="submit" loading={save.isPending} disabled={!isChanged || !vault.isReady}>
              {t('networks.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}
