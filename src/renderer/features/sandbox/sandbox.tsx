import { Button, Stack } from '@mantine/core';
import { IconCube, IconFlask } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { SandboxStatus } from '../../../contract/index.ts';
import { api, client } from '../../api/client.ts';
import { useLive, useNetwork } from '../../api/live/live-store.ts';
import { icon } from '../../components/icon.ts';
import { Empty, Page, Panel } from '../../components/page.tsx';
import { QueryView, SkeletonRows } from '../../components/query-view.tsx';
import { Id } from '../../components/values.tsx';
import { formatBytes, formatExact, formatInteger } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';
import { Faucet } from './faucet.tsx';
import { Faults } from './faults.tsx';
import { Mining } from './mining.tsx';
import { Keys, NetworkFile } from './network-file.tsx';
import { Outcome } from './outcome.tsx';
import { Rehearse } from './rehearse.tsx';
import classes from './sandbox.module.css';
import { Snapshots } from './snapshots.tsx';
import { useAction } from './use-action.ts';

const POLL_MS = 2_000;

function State({ status }: { status: SandboxStatus }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const facts = [
    {
      name: t('sandbox.height'),
      value: (
        <>
          <span className="num">{formatInteger(status.tip.height, language)}</span>{' '}
          <Id value={status.tip.hash} kind="block" />
        </>
      ),
    },
    {
      name: t('sandbox.waiting'),
      value: t('sandbox.transactions', {
        count: status.mempool.transactions,
        size: formatBytes(status.mempool.bytes, language),
      }),
    },
    {
      name: t('sandbox.clock'),
      value: `${formatExact(status.clock.now, language)}${status.clock.frozen ? ` (${t('sandbox.clockFrozen')})` : ''}`,
    },
    { name: t('sandbox.seed'), value: status.seed ?? t('sandbox.seedRandom') },
    {
      name: t('sandbox.callbacks'),
      value: t('sandbox.callbacksValue', { waiting: status.callbacks.waiting, lost: status.callbacks.givenUp }),
    },
  ];
  return (
    <Panel title={t('sandbox.status')}>
      <dl className={classes.facts}>
        {facts.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  );
}

function Controls() {
  const { t } = useTranslation();
  const query = useQuery({ ...api.sandbox.status.queryOptions(), refetchInterval: POLL_MS });
  const mining = useAction<{ hashes: string[] }>();
  return (
    <Page
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
      <Stack gap="md">
        <Outcome action={mining} />
        <QueryView query={query} skeleton={<SkeletonRows rows={4} height={120} />}>
          {(status) => (
            <>
              <State status={status} />
              <div className={classes.columns}>
                <Stack gap="md">
                  <Mining />
                  <Snapshots snapshots={status.snapshots} />
                </Stack>
                <Stack gap="md">
                  <Faucet />
                  <Rehearse clock={status.clock} />
                </Stack>
              </div>
              <Faults faults={status.faults} />
              <div className={classes.columns}>
                <Keys />
                <NetworkFile />
              </div>
            </>
          )}
        </QueryView>
      </Stack>
    </Page>
  );
}

/** The controls of the embedded network; elsewhere there is none to control. */
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
