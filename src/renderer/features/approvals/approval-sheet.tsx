import { Drawer, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Approval } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { routes } from '../../lib/routes.ts';
import { ApprovalCard } from './approval-card.tsx';
import { NewResults } from './decision-result.tsx';

/** Pending requests, and the results of those decided since the sheet was opened. Closing it decides nothing. */
export function ApprovalSheet({ waiting, onClose }: { waiting: readonly Approval[]; onClose: () => void }) {
  const { t } = useTranslation();
  const { records = [] } = useQuery(api.approvals.list.queryOptions()).data ?? {};
  return (
    <Drawer opened onClose={onClose} position="right" size={640} title={t('approvals.title')}>
      <Stack gap="md">
        <NewResults waiting={waiting} records={records} />
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
