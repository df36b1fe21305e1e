import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { WalletAccount } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { useMoney } from '../../../api/money.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { i18n } from '../../../i18n/index.ts';

const MODAL = 'wallet-account-removal';

function Removal({ account }: { account: WalletAccount }) {
  const { t } = useTranslation();
  const money = useMoney();
  const queries = useQueryClient();
  const [typed, setTyped] = useState('');
  const has = account.kind !== 'watch' && account.total + account.tokens > 0;
  const isSearched = account.kind === 'watch' || !account.searching;
  const loses = has || !isSearched;
  const remove = useMutation({
    mutationFn: () => client.wallet.accounts.remove({ id: account.id, loses }),
    onSuccess: () => {
      modals.close(MODAL);
      return queries.invalidateQueries({ queryKey: api.wallet.key() });
    },
  });
  const isConfirmed = !loses || typed.trim() === account.name.trim();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isConfirmed) remove.mutate();
      }}
    >
      <Stack gap="md">
        <Text>{t(`wallet.accounts.remove.text.${account.kind === 'external' ? 'seed' : account.kind}`)}</Text>
        {has && (
          <Callout
            tone="fail"
            title={t('wallet.accounts.remove.has', {
              count: account.tokens,
              total: money(account.total),
            })}
          >
            {t(account.kind === 'key' ? 'wallet.accounts.remove.losesKey' : 'wallet.accounts.remove.losesSeed')}
          </Callout>
        )}
        {!isSearched && (
          <Callout tone="wait" title={t('wallet.accounts.remove.searched')}>
            {t('wallet.accounts.remove.searchedText')}
          </Callout>
        )}
        {loses && (
          <TextInput
            data-autofocus
            label={t('wallet.accounts.remove.confirm', { name: account.name })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        {remove.isError && <FailureNote failure={failureOf(remove.error)} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => modals.close(MODAL)}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" color="red" disabled={!isConfirmed} loading={remove.isPending}>
            {t('wallet.accounts.remove.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Says what is lost with an account, and removes it. One that has something, or may have, is named by the person first. */
export function openAccountRemoval(account: WalletAccount): void {
  modals.open({
    modalId: MODAL,
    title: i18n.t('wallet.accounts.remove.title', { name: account.name }),
    size: 520,
    children: <Removal account={account} />,
  });
}
