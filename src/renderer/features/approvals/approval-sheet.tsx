import { Drawer, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Approval } from '../../../contract/index.ts';
import { routes } from '../../lib/routes.ts';
import { ApprovalCard } from './approval-card.tsx';

/** What waits, one below the other. Closing it decides nothing. */
export function ApprovalSheet({ waiting, onClose }: { waiting: readonly Approval[]; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Drawer opened onClose={onClose} position="right" size={640} title={t('approvals.title')}>
      <Stack gap="md">
        {waiting.length === 0 && <Text>{t('approvals.nothingWaits')}</Text>}
        {waiting.map((approval) => (
          <ApprovalCard key={approval.id} approval={approval} />
        ))}
        <Link className="link" href={routes.approvals} onClick={onClose}>
          {t('approvals.open')}
        </Link>
      </Stack>
    </Drawer>
  );
}
