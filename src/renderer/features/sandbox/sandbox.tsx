import { Button, Skeleton, Stack } from '@mantine/core';
import { IconCube, IconFlask } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api, client } from '../../api/client.ts';
import { useLive, useNetwork } from '../../api/live/live-store.ts';
import { icon } from '../../components/icon.ts';
import { Empty, Page } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { routes } from '../../lib/routes.ts';
import { Accounts } from './accounts/accounts.tsx';
import { Actions } from './actions/actions.tsx';
import { ChainPanel } from './chain/chain-panel.tsx';
import { Faults } from './faults.tsx';
import { Keys, NetworkFile } from './network-file.tsx';
import { Outcome } from './outcome.tsx';
import classes from './sandbox.module.css';
import { SandboxTimeProvider } from './sandbox-time.ts';
import { TimePanel } from './time/time-panel.tsx';
import { useAction } from './use-action.ts';
import { isOwnSnapshot } from './with-undo.ts';

const POLL_MS = 2_000;

/** Reserves the space of the panels while they load. */
function Shape() {
  const { t } = useTranslation();
  return (
    <Stack gap="md" role="status" aria-label={t('common.loading')}>
      <Skeleton height={329} />
      <div className={classes.sides}>
        <Stack gap="md">
          <Skeleton height={182} />
          <Skeleton height={438} />
        </Stack>
        <Skeleton height={857} />
      </div>
    </Stack>
  );
}

function Controls() {
  const { t } = useTranslation();
  const query = useQuery({ ...api.sandbox.status.queryOptions(), refetchInterval: POLL_MS });
  const mining = useAction<{ hashes: string[] }>();
  const { data, dataUpdatedAt } = query;
  const time = useMemo(
    () => (data === undefined ? null : { clock: data.clock, readAt: dataUpdatedAt }),
    [data, dataUpdatedAt],
  );
  return (
    <Page
      wide
      title={t('sandbox.title')}
      purpose={t('sandbox.purpose')}
      actions={
        <Button
          leftSection={<IconCube {...icon} />}
          loading={mining.busy}
          onClick={() => void mining.run(() => client.sandbox.mine({ blocks: 1 }))}
        >
          {t('sandbox.mineOne')}
        </Button>
      }
    >
      <SandboxTimeProvider value={time}>
        <Stack gap="md">
          <Outcome action={mining} />
          <QueryView query={query} skeleton={<Shape />}>
            {(status) => (
              <>
                <ChainPanel snapshots={status.snapshots.filter(isOwnSnapshot)} />
                <div className={classes.sides}>
                  <Stack gap="md">
                    <Accounts />
                    <Actions status={status} />
                  </Stack>
                  <Faults faults={status.faults} />
                </div>
                <TimePanel clock={status.clock} medianTime={status.medianTime} readAt={dataUpdatedAt} />
                <div className={classes.columns}>
                  <Keys />
                  <NetworkFile status={status} />
                </div>
              </>
            )}
          </QueryView>
        </Stack>
      </SandboxTimeProvider>
    </Page>
  );
}

/** The controls of the built-in network. Other networks have none. */
export function Sandbox() {
  const { t } = useTranslation();
  const network = useNetwork();
  const known = useLive((state) => state.app !== null);
  if (known && network !== 'sandbox') {
    return (
      <Page title={t('sandbox.title')} purpose={t('sandbox.purpose')}>
        <Empty
          icon={<IconFlask {...icon} size={24} />}
          title={t('sandbox.offTitle')}
          text={t('sandbox.offText')}
          action={
            <Button component={Link} href={routes.settings}>
              {t('sandbox.offAction')}
            </Button>
          }
        />
      </Page>
    );
  }
  return <Controls />;
}
