import { Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, client } from '../../../api/client.ts';
import { i18n } from '../../../i18n/index.ts';
import { BackupFile } from './backup-file.tsx';

const MODAL = 'wallet-restore-accounts';

function RestoreAccounts() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  return (
    <Stack gap="md">
      <Text>{t('wallet.keys.restoreText')}</Text>
      <BackupFile
        action={t('wallet.keys.restoreSubmit')}
        icon={null}
        use={async (file) => {
          const back = await client.wallet.backup.restore(file);
          await queries.invalidateQueries({ queryKey: api.wallet.key() });
          return back;
        }}
        done={({ accounts, labels, frozen }) =>
          accounts + labels + frozen === 0
            ? t('wallet.keys.restoreNothing')
            : t('wallet.keys.restoreDone', { accounts, labels, frozen })
        }
        onClose={() => modals.close(MODAL)}
      />
    </Stack>
  );
}

/** Asks for a backup file of this wallet, and brings back the accounts, imported keys, labels and frozen coins that are in it alone. */
export function openRestoreAccounts(): void {
  modals.open({
    modalId: MODAL,
    title: i18n.t('wallet.keys.restoreTitle'),
    size: 520,
    closeButtonProps: { 'aria-label': i18n.t('common.close') },
    children: <RestoreAccounts />,
  });
}
