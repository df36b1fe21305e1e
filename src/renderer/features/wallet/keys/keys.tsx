import { Button, Stack, Text } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../../../api/client.ts';
import { icon } from '../../../components/icon.ts';
import { Panel } from '../../../components/page.tsx';
import { QueryView, SkeletonRows } from '../../../components/query-view.tsx';
import layout from '../../../components/styles/layout.module.css';
import { Badge } from '../../../components/values/values.tsx';
import { formatExact } from '../../../lib/format.ts';
import { CheckBackup, MakeBackup } from './backup.tsx';
import { openRestoreAccounts } from './restore-accounts.tsx';
import { SeedWords } from './seed-words.tsx';
import { useVault, VaultPassphrase } from './vault-passphrase.tsx';

/** Backup files, the check that they restore the wallet, and the words behind its keys. */
export function Keys() {
  const { t, i18n } = useTranslation();
  const query = useQuery(api.wallet.backup.status.queryOptions());
  const vault = useVault();
  return (
    <Stack gap="md">
      <QueryView query={query} skeleton={<SkeletonRows rows={1} height={64} />}>
        {({ checkedAt, required }) => (
          <Panel
            title={t('wallet.keys.backup')}
            hint={t('wallet.keys.backupHint')}
            actions={
              <Badge tone={checkedAt !== null ? 'done' : required ? 'wait' : 'neutral'}>
                {t(checkedAt === null ? 'wallet.keys.notChecked' : 'wallet.keys.checked')}
              </Badge>
            }
          >
            <Text>
              {checkedAt === null
                ? t('wallet.keys.never')
                : t('wallet.keys.checkedAt', { time: formatExact(checkedAt, i18n.language) })}{' '}
              {required && checkedAt === null && t('wallet.keys.required')}
            </Text>
            <Button variant="default" mt="md" leftSection={<IconFileUpload {...icon} />} onClick={openRestoreAccounts}>
              {t('wallet.keys.restore')}
            </Button>
          </Panel>
        )}
      </QueryView>
      <div className={layout.columns}>
        <MakeBackup />
        <CheckBackup />
      </div>
      <QueryView query={vault} skeleton={<SkeletonRows rows={1} height={64} />}>
        {(opens) =>
          opens.keychain || opens.passphrase ? (
            <div className={layout.columns}>
              <VaultPassphrase vault={opens} />
              <SeedWords hasPassphrase={opens.passphrase} />
            </div>
          ) : (
            <SeedWords hasPassphrase />
          )
        }
      </QueryView>
    </Stack>
  );
}
