import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconKey } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { WriterKey } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { useNetwork } from '../../api/live/live-store.ts';
import { useActions } from '../../api/use-actions.ts';
import { Callout } from '../../components/callouts/callout.tsx';
import { ErrorNote } from '../../components/callouts/failure-note.tsx';
import { Failures } from '../../components/callouts/failures.tsx';
import { formSubmit } from '../../components/forms/form-submit.ts';
import { icon } from '../../components/icon.ts';
import { idColumn, timeColumn } from '../../components/list/columns.tsx';
import { List } from '../../components/list/list.tsx';
import type { ListColumn } from '../../components/list/rows.ts';
import { Empty, Panel } from '../../components/page.tsx';
import { QueryView, SkeletonRows } from '../../components/query-view.tsx';
import { CopyButton } from '../../components/values/copy-button.tsx';
import { Badge } from '../../components/values/values.tsx';

const API_KEY = /^[\x21-\x7e]{4,256}$/;

function Register() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const sandbox = useNetwork() === 'sandbox';
  const [apiKey, setApiKey] = useState('');
  const typed = apiKey.trim();
  const problem = typed !== '' && !API_KEY.test(typed) ? t('writer.keys.badKey') : null;
  const register = useMutation(
    api.writer.keys.register.mutationOptions({
      // The typed key is discarded after this one request.
      gcTime: 0,
      onSuccess: async () => {
        setApiKey('');
        make.reset();
        await queries.invalidateQueries({ queryKey: api.writer.keys.list.key() });
      },
    }),
  );
  const make = useMutation(
    api.sandbox.createKey.mutationOptions({
      gcTime: 0,
      onSuccess: (made) => {
        register.reset();
        setApiKey(made.apiKey);
      },
    }),
  );
  return (
    <Panel title={t('writer.keys.register')} hint={t('writer.keys.registerHint')}>
      <form autoComplete="off" onSubmit={formSubmit(() => API_KEY.test(typed) && register.mutate({ apiKey: typed }))}>
        <Stack gap="sm">
          <PasswordInput
            maw={560}
            label={t('writer.keys.apiKey')}
            description={t('writer.keys.apiKeyHint')}
            autoComplete="new-password"
            spellCheck={false}
            maxLength={256}
            error={problem}
            value={apiKey}
            onChange={(event) => setApiKey(event.currentTarget.value)}
          />
          {make.isSuccess && (
            <Callout
              tone="info"
              role="status"
              title={t('writer.keys.sandboxMade')}
              actions={<CopyButton value={make.data.apiKey} what={t('writer.keys.sandboxKeyName')} />}
            />
          )}
          <Failures of={[make, register]} />
          {register.isSuccess && (
            <Callout tone="done" role="status" title={t('writer.keys.registered', { label: register.data.label })} />
          )}
          <Group gap="xs">
            <Button type="submit" disabled={typed === '' || problem !== null} loading={register.isPending}>
              {t('writer.keys.submit')}
            </Button>
            {sandbox && (
              <Button variant="subtle" loading={make.isPending} onClick={() => make.mutate({ newUser: false })}>
                {t('writer.keys.sandbox')}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}

const idOf = ({ keyId }: WriterKey): string => keyId;

function KeyTable({ keys }: { keys: readonly WriterKey[] }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const revoke = useActions(
    api.writer.keys.revoke.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: api.writer.keys.list.key() }),
    }),
  );
  const ask = ({ keyId, label }: WriterKey): void => {
    modals.openConfirmModal({
      title: t('writer.keys.revokeTitle'),
      children: <Text size="sm">{t('writer.keys.revokeText', { label })}</Text>,
      labels: { confirm: t('writer.keys.revokeConfirm'), cancel: t('common.cancel') },
      confirmProps: { color: 'red' },
      onConfirm: () => revoke.mutate({ keyId }),
    });
  };
  const columns: readonly ListColumn<WriterKey>[] = [
    {
      key: 'label',
      title: t('writer.keys.label'),
      width: 'minmax(88px, 1fr)',
      value: (key) => key.label,
      render: (key) => <span className="mono">{key.label}</span>,
    },
    {
      key: 'status',
      title: t('writer.keys.status'),
      width: '92px',
      value: (key) => t(key.revokedAt === null ? 'writer.keys.active' : 'writer.keys.revoked'),
      render: ({ revokedAt }) => (
        <Badge tone={revokedAt === null ? 'done' : 'neutral'}>
          {t(revokedAt === null ? 'writer.keys.active' : 'writer.keys.revoked')}
        </Badge>
      ),
    },
    idColumn(
      { key: 'address', title: t('writer.keys.address'), width: 'minmax(104px, 1fr)' },
      'address',
      (key) => key.address,
    ),
    idColumn(
      { key: 'publicKey', title: t('writer.keys.publicKey'), width: 'minmax(104px, 1fr)' },
      { what: t('writer.keys.publicKeyName') },
      (key) => key.publicKey,
    ),
    timeColumn({ key: 'createdAt', title: t('writer.keys.since'), width: '104px' }, (key) => key.createdAt),
    {
      key: 'actions',
      title: t('writer.keys.revoke'),
      width: '84px',
      action: true,
      sortable: false,
      value: () => null,
      render: (key) =>
        key.revokedAt === null && (
          <Button
            size="compact-xs"
            variant="subtle"
            color="red"
            aria-label={t('writer.keys.revokeThis', { label: key.label })}
            loading={revoke.isPending && revoke.variables?.keyId === key.keyId}
            onClick={() => ask(key)}
          >
            {t('writer.keys.revoke')}
          </Button>
        ),
    },
  ];
  return (
    <Stack gap="sm">
      <ErrorNote error={revoke.error} />
      <List
        name="writer-keys"
        label={t('writer.tabs.keys')}
        title={t('writer.tabs.keys')}
        rows={keys}
        idOf={idOf}
        columns={columns}
        initialSort={{ column: 'createdAt', direction: 'desc' }}
        copies={{ label: t('writer.keys.copyAddresses'), of: (key) => key.address }}
      />
    </Stack>
  );
}

/** Which API keys may write. */
export function Keys() {
  const { t } = useTranslation();
  const query = useQuery(api.writer.keys.list.queryOptions());
  return (
    <Stack gap="md">
      <Register />
      <QueryView
        query={query}
        skeleton={<SkeletonRows rows={2} />}
        isEmpty={(keys) => keys.length === 0}
        empty={
          <Empty
            icon={<IconKey {...icon} size={24} />}
            title={t('writer.keys.emptyTitle')}
            text={t('writer.keys.emptyText')}
          />
        }
      >
        {(keys) => <KeyTable keys={keys} />}
      </QueryView>
    </Stack>
  );
}
