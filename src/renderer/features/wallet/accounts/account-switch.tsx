import { Button, Menu, Text } from '@mantine/core';
import { IconCheck, IconChevronDown, IconEye, IconKey, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../../api/client.ts';
import { useMoney } from '../../../api/money.ts';
import { icon, smallIcon } from '../../../components/icon.ts';
import { showFailure } from '../../../components/toasts/show-failure.ts';
import { openAccountForm } from './account-form.tsx';
import { openAccountRemoval } from './account-removal.tsx';
import { useAccountName, useAccounts, useActiveAccount } from './use-account.ts';

/** Shows the active account, switches to another one, and makes new ones. */
export function AccountSwitch() {
  const { t } = useTranslation();
  const money = useMoney();
  const queries = useQueryClient();
  const nameOf = useAccountName();
  const accounts = useAccounts().data ?? [];
  const active = useActiveAccount();
  const change = useMutation(
    api.wallet.accounts.switch.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: api.wallet.key() }),
      onError: (error) => showFailure('account-switch', error),
    }),
  );
  if (active === undefined) return null;
  return (
    // Within the page's main landmark: at the end of the body the items would be outside every landmark.
    <Menu position="bottom-start" width={300} withinPortal={false} floatingStrategy="fixed">
      <Menu.Target>
        <Button
          size="compact-sm"
          variant="default"
          rightSection={<IconChevronDown {...smallIcon} />}
          loading={change.isPending}
          aria-label={t('wallet.accounts.current', { name: nameOf(active) })}
        >
          {nameOf(active)}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {accounts.map((account) => (
          <Menu.Item
            key={account.id}
            leftSection={
              account.active ? <IconCheck {...icon} /> : <span style={{ display: 'inline-block', width: 18 }} />
            }
            rightSection={
              <Text size="xs">
                {account.kind === 'watch' && `${t('wallet.accounts.watching')} · `}
                {money(account.total)}
              </Text>
            }
            onClick={() => !account.active && change.mutate({ id: account.id })}
          >
            {nameOf(account)}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<IconPencil {...icon} />} onClick={() => openAccountForm('rename', active)}>
          {t('wallet.accounts.rename.action')}
        </Menu.Item>
        {!active.main && (
          <Menu.Item leftSection={<IconTrash {...icon} />} onClick={() => openAccountRemoval(active)}>
            {t('wallet.accounts.remove.action')}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconPlus {...icon} />} onClick={() => openAccountForm('create')}>
          {t('wallet.accounts.create.action')}
        </Menu.Item>
        <Menu.Item leftSection={<IconEye {...icon} />} onClick={() => openAccountForm('watch')}>
          {t('wallet.accounts.watch.action')}
        </Menu.Item>
        <Menu.Item leftSection={<IconKey {...icon} />} onClick={() => openAccountForm('import')}>
          {t('wallet.accounts.import.action')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
