import { ActionIcon, Stack } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconBan, IconRefresh, type TablerIcon } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type GatewayKey, USUAL_BODY_BYTES } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { useActions } from '../../../api/use-actions.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { ErrorNote } from '../../../components/callouts/failure-note.tsx';
import { smallIcon } from '../../../components/icon.ts';
import { List } from '../../../components/list/list.tsx';
import type { ListColumn } from '../../../components/list/rows.ts';
import { QueryView } from '../../../components/query-view.tsx';
import { offerUndo } from '../../../components/toasts/undo.ts';
import { CopyButton } from '../../../components/values/copy-button.tsx';
import { Hint } from '../../../components/values/hint.tsx';
import { useNow } from '../../../components/values/use-now.ts';
import { Ago, Badge, Id } from '../../../components/values/values.tsx';
import { formatBytes, formatDate, formatExact, formatInteger, isoTime } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import classes from '../gateway.module.css';
import { keyState } from './expiry.ts';
import { NewKey } from './new-key.tsx';
import { Origins } from './origins.tsx';
import './texts.ts';

const idOf = ({ id }: GatewayKey): string => id;
const tones = { active: 'done', expired: 'wait', revoked: 'neutral' } as const;

function State({ gatewayKey }: { gatewayKey: GatewayKey }) {
  const { t } = useTranslation();
  const state = keyState(gatewayKey, useNow());
  return <Badge tone={tones[state]}>{t(`gateway.${state}`)}</Badge>;
}

function RowAction({ label, Icon, onClick }: { label: string; Icon: TablerIcon; onClick: () => void }) {
  return (
    <Hint text={label}>
      <ActionIcon variant="subtle" color="gray" size={28} aria-label={label} onClick={onClick}>
        <Icon {...smallIcon} />
      </ActionIcon>
    </Hint>
  );
}

function useColumns(
  onRevoke: (keys: readonly GatewayKey[]) => unknown,
  onRotate: (key: GatewayKey) => void,
): readonly ListColumn<GatewayKey>[] {
  const { t, i18n } = useTranslation();
  return useMemo(() => {
    const time = (
      key: 'createdAt' | 'lastUsedAt' | 'expiresAt',
      title: string,
      draw: (at: number) => React.ReactNode,
    ): ListColumn<GatewayKey> => ({
      key,
      title,
      width: key === 'expiresAt' ? 'minmax(84px, 1fr)' : '84px',
      value: (row) => row[key],
      text: (row) => {
        const at = row[key];
        return at === null ? '' : isoTime(at);
      },
      render: (row) => {
        const at = row[key];
        return at === null ? t('gateway.never') : draw(at);
      },
    });
    return [
      {
        key: 'name',
        title: t('gateway.keyName'),
        width: 'minmax(108px, 2fr)',
        value: ({ name }) => name,
        // The permissions are below the name: a small window has no room for both in one row.
        render: ({ name, methods }) => (
          <span className={classes.called}>
            <span title={name}>{name}</span>
            <span className={classes.reason} title={methods?.join('\n')}>
              {methods === null ? t('gateway.allMethods') : methods.join(', ')}
            </span>
          </span>
        ),
      },
      {
        key: 'user',
        title: t('gateway.user'),
        width: '104px',
        value: idOf,
        render: ({ id }) => <Id value={id} what={t('gateway.userName')} keep={5} />,
      },
      {
        key: 'methods',
        title: t('gateway.keyScope'),
        width: 'minmax(84px, 1.2fr)',
        extra: true,
        value: ({ methods }) => methods?.join(' ') ?? '*',
        render: ({ methods }) =>
          methods === null ? t('gateway.allMethods') : <span title={methods.join('\n')}>{methods.join(', ')}</span>,
      },
      {
        key: 'rate',
        title: t('gateway.rate'),
        width: '80px',
        align: 'right',
        extra: true,
        value: ({ rate }) => rate,
        render: ({ rate }) =>
          rate === null ? t('gateway.unlimited') : <span className="num">{formatInteger(rate, i18n.language)}</span>,
      },
      {
        key: 'today',
        title: t('keyUsage.today'),
        width: '84px',
        align: 'right',
        value: ({ today }) => today.calls,
        render: ({ name, today, dailyCalls }) => (
          <a
            className="num link"
            href={`#${routes.callsOf(name)}`}
            title={t('keyUsage.todayMore', {
              errors: today.errors,
              size: formatBytes(today.bytes, i18n.language),
            })}
          >
            {dailyCalls === null
              ? t('keyUsage.todayCalls', { calls: today.calls })
              : t('keyUsage.todayOf', { calls: today.calls, limit: dailyCalls })}
          </a>
        ),
      },
      ...(['calls', 'errors', 'bytes'] as const).map(
        (figure): ListColumn<GatewayKey> => ({
          key: `month.${figure}`,
          title: t(`keyUsage.month.${figure}`),
          width: '96px',
          align: 'right',
          extra: true,
          value: ({ month }) => month[figure],
          render: ({ month }) => (
            <span className="num">
              {figure === 'bytes'
                ? formatBytes(month.bytes, i18n.language)
                : t('keyUsage.todayCalls', { calls: month[figure] })}
            </span>
          ),
        }),
      ),
      {
        key: 'public',
        title: t('keyUsage.publicRequests'),
        width: '128px',
        align: 'right',
        extra: true,
        value: ({ publicRequests }) => publicRequests.asked,
        render: ({ publicRequests: { asked, share, waiting } }) => (
          <span className="num" title={t('keyUsage.publicWaiting', { waiting })}>
            {t('keyUsage.publicShare', { asked, share: Math.round((share ?? 0) * 100) })}
          </span>
        ),
      },
      {
        key: 'bodyBytes',
        title: t('gateway.bodyLimit'),
        width: '96px',
        align: 'right',
        extra: true,
        value: ({ bodyBytes }) => bodyBytes ?? USUAL_BODY_BYTES,
        render: ({ bodyBytes }) => (
          <span className="num">{formatBytes(bodyBytes ?? USUAL_BODY_BYTES, i18n.language)}</span>
        ),
      },
      {
        ...time('expiresAt', t('gateway.keyExpiry'), (at) => (
          <span title={formatExact(at, i18n.language)}>{formatDate(at, i18n.language)}</span>
        )),
        width: '76px',
      },
      {
        ...time('lastUsedAt', t('gateway.lastUsed'), () => null),
        width: 'minmax(92px, 1.2fr)',
        render: ({ lastUsedAt, lastMethod }) =>
          lastUsedAt === null ? (
            t('gateway.never')
          ) : (
            <span className={classes.called}>
              {lastMethod !== null && (
                <span className="mono" title={lastMethod}>
                  {lastMethod}
                </span>
              )}
              <Ago at={lastUsedAt} />
            </span>
          ),
      },
      { ...time('createdAt', t('gateway.createdAt'), (at) => <Ago at={at} />), extra: true },
      {
        key: 'state',
        title: t('gateway.state'),
        width: '84px',
        value: (row) => t(`gateway.${keyState(row, Date.now())}`),
        render: (row) => <State gatewayKey={row} />,
      },
      {
        key: 'revoke',
        title: t('gateway.keyActions'),
        width: '64px',
        sortable: false,
        action: true,
        value: () => null,
        render: (row) =>
          keyState(row, Date.now()) !== 'active' ? null : (
            <span className={classes.actions}>
              <RowAction
                label={t('gateway.rotateNamed', { name: row.name })}
                Icon={IconRefresh}
                onClick={() => onRotate(row)}
              />
              <RowAction
                label={t('gateway.revokeNamed', { name: row.name })}
                Icon={IconBan}
                onClick={() => onRevoke([row])}
              />
            </span>
          ),
      },
    ];
  }, [t, i18n.language, onRevoke, onRotate]);
}

/** One credential per program, and the web pages with access. */
export function Keys() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const query = useQuery(api.gateway.keys.list.queryOptions());
  const [made, setMade] = useState<{ username: string; password: string }>();
  const {
    mutate: attempt,
    mutateAsync,
    error,
  } = useActions({
    mutationFn: (work: () => Promise<void>) => work(),
    onSettled: () => void queries.invalidateQueries({ queryKey: api.gateway.keys.list.key() }),
  });
  const onRevoke = useCallback(
    (keys: readonly GatewayKey[]) =>
      attempt(async () => {
        const revoked: GatewayKey[] = [];
        try {
          for (const key of keys) {
            await client.gateway.keys.revoke({ id: key.id });
            revoked.push(key);
          }
        } finally {
          const [first] = revoked;
          if (first !== undefined) {
            offerUndo({
              id: `revoked-${first.id}`,
              title: t('gateway.revokedDone', { count: revoked.length, name: first.name }),
              undo: async () => {
                for (const { id } of revoked) await client.gateway.keys.restore({ id });
                await queries.invalidateQueries({ queryKey: api.gateway.keys.list.key() });
              },
            });
          }
        }
      }),
    [t, attempt, queries],
  );
  const onRotate = useCallback(
    ({ id, name }: GatewayKey): void => {
      modals.openConfirmModal({
        title: t('gateway.rotateKeyTitle', { name }),
        children: t('gateway.rotateKeyText'),
        labels: { confirm: t('gateway.rotateKey'), cancel: t('common.cancel') },
        onConfirm: () => attempt(async () => setMade(await client.gateway.keys.rotate({ id }))),
      });
    },
    [t, attempt],
  );
  const columns = useColumns(onRevoke, onRotate);
  return (
    <Stack gap="md">
      <NewKey onCreate={(wanted) => mutateAsync(async () => setMade(await client.gateway.keys.create(wanted)))} />
      <ErrorNote error={error} />
      {made !== undefined && (
        <Callout tone="done" role="status" title={t('gateway.newKey')}>
          <span className="mono" style={{ overflowWrap: 'anywhere' }}>{`${made.username}:${made.password}`}</span>
          <CopyButton value={`${made.username}:${made.password}`} what={t('gateway.password')} />
        </Callout>
      )}
      <QueryView query={query}>
        {(keys) => (
          <List
            name="gateway-keys"
            label={t('gateway.tabs.keys')}
            title={t('gateway.tabs.keys')}
            rows={keys}
            idOf={idOf}
            columns={columns}
            bulk={[{ label: t('gateway.revoke'), fits: ({ revokedAt }) => revokedAt === null, run: onRevoke }]}
            copies={{ label: t('gateway.copyUsers'), of: idOf }}
            empty={t('gateway.noKeys')}
            maxHeight={400}
          />
        )}
      </QueryView>
      <Origins />
    </Stack>
  );
}
