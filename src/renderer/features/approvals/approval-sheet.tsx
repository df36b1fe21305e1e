import { Drawer, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Approval } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { Callout } from '../../components/callouts/callout.tsx';
import { routes } from '../../lib/routes.ts';
import { ApprovalCard } from './approval-card.tsx';
import { DecisionResult } from './decision-result.tsx';

/** Scrolls into view, since the decided request may have been far below. */
function Result({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.scrollIntoView({ block: 'center' });
  }, []);
  return <div ref={box}>{children}</div>;
}

/** Pending requests, and the results of those decided since the sheet was opened. Closing it decides nothing. */
export function ApprovalSheet({ waiting, onClose }: { waiting: readonly Approval[]; onClose: () => void }) {
  const { t } = useTranslation();
  const { records = [] } = useQuery(api.approvals.list.queryOptions()).data ?? {};
  const [before] = useState(() => new Set(records.map(({ id }) => id)));
  return (
    <Drawer opened onClose={onClose} position="right" size={640} title={t('approvals.title')}>
      <Stack gap="md">
        {records
          .filter(({ id }) => !before.has(id))
          .map((record) => (
            <Result key={record.id}>
              <Callout
                role="status"
                tone={record.outcome === 'approved' ? 'done' : 'fail'}
                title={t(`approvals.${record.outcome}`)}
              >
                <DecisionResult record={record} />
              </Callout>
            </Result>
          ))}
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
