import { Button, Group } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconDeviceDesktop } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Session } from '../../../contract/index.ts';
import { api, client } from '../../api/client.ts';
import { useActions } from '../../api/use-actions.ts';
import { ErrorNote } from '../../components/callouts/failure-note.tsx';
import { icon } from '../../components/icon.ts';
import { Empty, Page, Panel } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import layout from '../../components/styles/layout.module.css';
import { Ago, Badge } from '../../components/values/values.tsx';
import { formatMinute } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';
import { lockPage } from './lock.ts';
import classes from './sessions.module.css';

function SessionLine({ session, isOwn, onEnd }: { session: Session; isOwn: boolean; onEnd: () => void }) {
  const { t, i18n } = useTranslation();
  const browser = session.browser || t('sessions.unknown');
  return (
    <li className={layout.line}>
      <span className={layout.value}>
        <span className={classes.browser}>
          <b>{browser}</b>
          {isOwn && <Badge tone="done">{t('sessions.this')}</Badge>}
        </span>
        <span className={layout.dim}>
          {t('sessions.since', {
            since: formatMinute(session.since, i18n.language),
            until: formatMinute(session.expiresAt, i18n.language),
          })}
        </span>
      </span>
      <span className={layout.dim}>
        {t('sessions.seen')} <Ago at={session.lastSeen} />
      </span>
      {!isOwn && (
        <Button size="xs" variant="default" aria-label={t('sessions.endOf', { browser })} onClick={onEnd}>
          {t('sessions.end')}
        </Button>
      )}
    </li>
  );
}

/** The signed-in browsers. Each session can be ended, and this one locked. */
export function SessionsPage() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const query = useQuery({ ...api.sessions.list.queryOptions(), staleTime: 0 });
  const change = useActions({
    mutationFn: (work: () => Promise<unknown>) => work(),
    onSettled: () => queries.invalidateQueries({ queryKey: api.sessions.key() }),
  });
  const current = query.data?.current ?? null;
  const others = query.data?.sessions.filter(({ id }) => id !== current) ?? [];
  const endOthers = (): void => {
    modals.openConfirmModal({
      title: t('sessions.endOthers'),
      children: t('sessions.endOthersMeans'),
      labels: { confirm: t('sessions.endOthers'), cancel: t('common.cancel') },
      confirmProps: { color: 'red' },
      onConfirm: () => change.mutate(() => client.sessions.endOthers()),
    });
  };
  return (
    <Page
      title={t('sessions.title')}
      purpose={t('sessions.purpose')}
      actions={
        <Group gap="xs">
          {others.length > 0 && (
            <Button variant="default" onClick={endOthers}>
              {t('sessions.endOthers')}
            </Button>
          )}
          {current !== null && <Button onClick={() => change.mutate(lockPage)}>{t('sessions.lock')}</Button>}
        </Group>
      }
    >
      <ErrorNote error={change.error} />
      <QueryView
        query={query}
        isEmpty={({ sessions }) => sessions.length === 0}
        empty={<Empty icon={<IconDeviceDesktop {...icon} />} title={t('sessions.none')} />}
      >
        {({ sessions }) => (
          <Panel flush title={t('sessions.list')} hint={t('sessions.hint')}>
            <ul className={classes.lines} aria-label={t('sessions.list')}>
              {sessions.map((session) => (
                <SessionLine
                  key={session.id}
                  session={session}
                  isOwn={session.id === current}
                  onEnd={() => change.mutate(() => client.sessions.end({ id: session.id }))}
                />
              ))}
            </ul>
          </Panel>
        )}
      </QueryView>
      <p className={layout.dim}>
        <Link className="link" href={routes.setting('consoleLockAfter')}>
          {t('sessions.setting')}
        </Link>
      </p>
    </Page>
  );
}
