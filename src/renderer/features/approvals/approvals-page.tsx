import { Button, Stack } from '@mantine/core';
import { IconHandStop } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { ApprovalList, Permission } from '../../../contract/index.ts';
import { api, client } from '../../api/client.ts';
import { useExactMoney } from '../../api/money.ts';
import { ErrorNote } from '../../components/callouts/failure-note.tsx';
import { icon } from '../../components/icon.ts';
import { Empty, Page, Panel } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import layout from '../../components/styles/layout.module.css';
import { Ago, Amount, Badge } from '../../components/values/values.tsx';
import { formatExact } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';
import { ApprovalCard } from './approval-card.tsx';
import classes from './approvals.module.css';
import { DecisionResult, NewResults } from './decision-result.tsx';
import { programName } from './program-name.ts';

function PermissionLine({ permission }: { permission: Permission }) {
  const { t, i18n } = useTranslation();
  const queries = useQueryClient();
  const { id, kind, program, method, mostEach, mostPerDay, usedToday, expiresAt, lastUsedAt } = permission;
  const revoke = useMutation({
    mutationFn: () => client.approvals.revoke({ id }),
    onSettled: () => queries.invalidateQueries({ queryKey: api.approvals.key() }),
  });
  const money = useExactMoney();
  return (
    <li className={layout.line}>
      <span className={layout.value}>
        <b>{programName(t, program)}</b> <span className="mono">{method}</span>
        <br />
        <span className={layout.dim}>
          {t(`approvals.scope.${kind}`, { each: money(mostEach), used: money(usedToday), perDay: money(mostPerDay) })}{' '}
          {t(expiresAt <= Date.now() ? 'approvals.ended' : 'approvals.ends', {
            at: formatExact(expiresAt, i18n.language),
          })}
        </span>
        <ErrorNote error={revoke.error} />
      </span>
      {lastUsedAt !== null && (
        <span className={layout.dim}>
          {t('approvals.lastUsed')} <Ago at={lastUsedAt} />
        </span>
      )}
      <Button
        size="xs"
        variant="default"
        loading={revoke.isPending}
        aria-label={t('approvals.revokeOf', { program: programName(t, program) })}
        onClick={() => revoke.mutate()}
      >
        {t('approvals.revoke')}
      </Button>
    </li>
  );
}

/** Turns on desktop notifications. Permission is requested only here. */
function DesktopNotifications() {
  const { t } = useTranslation();
  const [state, setState] = useState(() => ('Notification' in window ? Notification.permission : 'denied'));
  if (state !== 'default') return null;
  return (
    <Button
      variant="default"
      onClick={() =>
        void Notification.requestPermission().then(
          (granted) => setState(granted),
          () => setState('denied'),
        )
      }
    >
      {t('approvals.notify')}
    </Button>
  );
}

function Lists({ waiting, permissions, records }: ApprovalList) {
  const { t } = useTranslation();
  return (
    <Stack gap="md">
      <NewResults waiting={waiting} records={records} />
      {waiting.map((approval) => (
        <ApprovalCard key={approval.id} approval={approval} />
      ))}
      {waiting.length === 0 && (
        <Empty
          icon={<IconHandStop {...icon} />}
          title={t('approvals.nothingWaits')}
          text={t('approvals.whatComes')}
          action={
            <Button variant="default" component={Link} href={routes.setting('gatewayBroadcast')}>
              {t('approvals.openSetting')}
            </Button>
          }
        />
      )}
      <Panel flush title={t('approvals.permissions')} hint={t('approvals.permissionsHint')}>
        {permissions.length === 0 && (
          <div className={`${layout.pad} ${layout.dim}`}>{t('approvals.noPermissions')}</div>
        )}
        <ul className={classes.lines}>
          {permissions.map((permission) => (
            <PermissionLine key={permission.id} permission={permission} />
          ))}
        </ul>
      </Panel>
      {records.length > 0 && (
        <Panel flush title={t('approvals.records')}>
          <ul className={classes.lines}>
            {records.map((record) => (
              <li className={layout.line} key={record.id}>
                <span className={layout.value}>
                  <b>{programName(t, record.program)}</b> <span className="mono">{record.method}</span>
                  <br />
                  <DecisionResult record={record} />
                </span>
                <Amount satoshis={record.amount} />
                <span className={layout.dim}>
                  <Ago at={record.decidedAt} />
                </span>
                <Badge tone={record.outcome === 'approved' ? 'done' : 'fail'}>{t(`approvals.${record.outcome}`)}</Badge>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </Stack>
  );
}

/** Pending requests, remembered permissions, and past decisions. */
export function ApprovalsPage() {
  const { t } = useTranslation();
  const query = useQuery(api.approvals.list.queryOptions());
  return (
    <Page title={t('approvals.title')} purpose={t('approvals.purpose')} actions={<DesktopNotifications />}>
      <QueryView query={query}>{(list) => <Lists {...list} />}</QueryView>
    </Page>
  );
}
