import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconKey } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { WriterKey } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { useNetwork } from '../../api/live-store.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { icon } from '../../components/icon.ts';
import { Callout, Empty, FailureNote, Panel } from '../../components/page.tsx';
import { QueryView, SkeletonRows } from '../../components/query-view.tsx';
import { SortedTable } from '../../components/sorted-table.tsx';
import { Ago, Badge, Id } from '../../components/values.tsx';
import classes from './writer.module.css';

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
      // What was typed is not kept beyond the one request.
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
      <form
        autoComplete="off"
        onSubmit={(event) => {
          event.preventDefault();
          if (API_KEY.test(typed)) register.mutate({ apiKey: typed });
        }}
      >
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
          {make.isError && <FailureNote failure={failureOf(make.error)} />}
          {register.isError && <FailureNote failure={failureOf(register.error)} />}
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

function KeyTable({ keys }: { keys: readonly WriterKey[] }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const revoke = useMutation(
    api.writer.keys.revoke.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: api.writer.keys.list.key() }),
    }),
  );
  const ask = ({ keyId, label }: WriterKey): void => {
    modals.openConfirmModal({
      title: t('writer.keys.revokeTitle'),
      closeButtonProps: { 'aria-label': t('common.close') },
      children: <Text size="sm">{t('writer.keys.revokeText', { label })}</Text>,
      labels: { confirm: t('writer.keys.revokeConfirm'), cancel: t('common.cancel') },
      confirmProps: { color: 'red' },
      onConfirm: () => revoke.mutate({ keyId }),
    });
  };
  return (
    <Stack gap="sm">
      {revoke.isError && <FailureNote failure={failureOf(revoke.error)} />}
      <SortedTable
        records={keys}
        idOf={(key) => key.keyId}
        initialSort={{ column: 'createdAt', direction: 'desc' }}
        columns={[
          {
            accessor: 'label',
            title: t('writer.keys.label'),
            sortBy: (key) => key.label,
            render: (key) => <span className="mono">{key.label}</span>,
          },
          {
            accessor: 'status',
            title: t('writer.keys.status'),
            sortBy: (key) => (key.revokedAt === null ? 0 : 1),
            render: (key) =>
              key.revokedAt === null ? (
                <Badge tone="done">{t('writer.keys.active')}</Badge>
              ) : (
                <Badge tone="neutral">{t('writer.keys.revoked')}</Badge>
              ),
          },
          {
            accessor: 'address',
            title: t('writer.keys.address'),
            render: (key) => <Id value={key.address} what={t('common.addressName')} />,
          },
          {
            accessor: 'publicKey',
            title: t('writer.keys.publicKey'),
            render: (key) => <Id value={key.publicKey} what={t('writer.keys.publicKeyName')} />,
          },
          {
            accessor: 'createdAt',
            title: t('writer.keys.since'),
            sortBy: (key) => key.createdAt,
            render: (key) => <Ago at={key.createdAt} />,
          },
          {
            accessor: 'actions',
            title: <span className={classes.unseen}>{t('common.moreActions')}</span>,
            textAlign: 'right',
            render: (key) =>
              key.revokedAt === null && (
                <Button
                  size="compact-xs"
                  variant="subtle"
                  color="red"
                  aria-label={t('writer.keys.revokeThis', { label: key.label })}
                  loading={revoke.isPending && revoke.variables.keyId === key.keyId}
                  onClick={() => ask(key)}
                >
                  {t('writer.keys.revoke')}
                </Button>
              ),
          },
        ]}
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
