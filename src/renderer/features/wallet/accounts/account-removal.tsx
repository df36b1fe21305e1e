import { Text, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { WalletAccount } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { useMoney } from '../../../api/money.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { DialogForm } from '../../../components/forms/dialog-form.tsx';
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
    onSuccess: () => void queries.invalidateQueries({ queryKey: api.wallet.key() }),
  });
  const isConfirmed = !loses || typed.trim() === account.name.trim();
  return (
    <DialogForm
      modalId={MODAL}
      submit={t('wallet.accounts.remove.submit')}
      color="red"
      save={remove}
      disabled={!isConfirmed}
      onSubmit={() => remove.mutate(undefined, { onSuccess: () => modals.close(MODAL) })}
    >
      <Text>{t(`wallet.accounts.remove.text.${account.kind === 'external' ? 'seed' : account.kind}`)}</Text>
      {has && (
        <Callout
          tone="fail"
          title={t('wallet.accounts.remove.has', { count: account.tokens, total: money(account.total) })}
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
    </DialogForm>
  );
}

/** Says what is lost with an account, and removes it. Where it has money or tokens, or may have, the person types its name first. */
export function openAccountRemoval(account: WalletAccount): void {
  modals.open({
    modalId: MODAL,
    title: i18n.t('wallet.accounts.remove.title', { name: account.name }),
    size: 520,
    children: <Removal account={account} />,
  });
}
