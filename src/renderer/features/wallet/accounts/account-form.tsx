import { PasswordInput, Text, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { WalletAccount } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { DialogForm } from '../../../components/forms/dialog-form.tsx';
import { WholeNumberInput } from '../../../components/forms/whole-number-input.tsx';
import { i18n } from '../../../i18n/index.ts';

const MODAL = 'wallet-account';

type Kind = 'create' | 'watch' | 'import' | 'rename';

function AccountForm({ kind, account }: { kind: Kind; account: WalletAccount | undefined }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [name, setName] = useState(account?.name ?? '');
  const [secret, setSecret] = useState('');
  const [height, setHeight] = useState<number | string>('');
  const save = useMutation({
    mutationFn: (): Promise<WalletAccount> => {
      const birthHeight = Number(height) || 0;
      if (kind === 'rename') return client.wallet.accounts.rename({ id: account?.id ?? '', name });
      if (kind === 'watch') return client.wallet.accounts.watch({ name, xpub: secret, birthHeight });
      if (kind === 'import') return client.wallet.accounts.importKey({ name, wif: secret, birthHeight });
      return client.wallet.accounts.create({ name });
    },
    onSuccess: () => void queries.invalidateQueries({ queryKey: api.wallet.key() }),
  });
  const isFollowed = kind === 'watch' || kind === 'import';
  const isComplete = name.trim() !== '' && (!isFollowed || secret.trim() !== '');
  return (
    <DialogForm
      modalId={MODAL}
      submit={t(`wallet.accounts.${kind}.submit`)}
      save={save}
      disabled={!isComplete}
      onSubmit={() => save.mutate(undefined, { onSuccess: () => modals.close(MODAL) })}
    >
      <Text>{t(`wallet.accounts.${kind}.text`)}</Text>
      <TextInput
        data-autofocus
        label={t('wallet.accounts.name')}
        maxLength={64}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {kind === 'watch' && (
        <TextInput
          label={t('wallet.accounts.xpub')}
          description={t('wallet.accounts.xpubHint')}
          value={secret}
          onChange={(event) => setSecret(event.currentTarget.value)}
        />
      )}
      {kind === 'import' && (
        <PasswordInput
          label={t('wallet.accounts.wif')}
          description={t('wallet.accounts.wifHint')}
          autoComplete="off"
          value={secret}
          onChange={(event) => setSecret(event.currentTarget.value)}
        />
      )}
      {isFollowed && (
        <WholeNumberInput
          label={t('wallet.first.height')}
          description={t('wallet.first.heightHint')}
          min={0}
          value={height}
          onChange={setHeight}
        />
      )}
    </DialogForm>
  );
}

/** Asks for what a new account needs, or for another name of one. */
export function openAccountForm(kind: Kind, account?: WalletAccount): void {
  modals.open({
    modalId: MODAL,
    title: i18n.t(`wallet.accounts.${kind}.title`),
    size: 520,
    children: <AccountForm kind={kind} account={account} />,
  });
}
