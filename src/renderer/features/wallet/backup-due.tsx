import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api } from '../../api/client.ts';
import { Callout } from '../../components/callouts/callout.tsx';
import { routes } from '../../lib/routes.ts';

/** On a network with real money a backup comes before anything else. @param onLeave runs when its link is followed */
export function BackupDue({ hidden = false, onLeave }: { hidden?: boolean; onLeave?: () => void }) {
  const { t } = useTranslation();
  const backup = useQuery(api.wallet.backup.status.queryOptions()).data;
  if (backup === undefined || !backup.required || backup.checkedAt !== null || hidden) return null;
  return (
    <Callout
      tone="wait"
      title={t('wallet.backupDue')}
      actions={
        <Button size="xs" variant="default" component={Link} href={routes.walletPart('keys')} onClick={onLeave}>
          {t('wallet.backupDueAction')}
        </Button>
      }
    >
      {t('wallet.backupDueText')}
    </Callout>
  );
}
