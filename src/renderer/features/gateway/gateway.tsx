import { Button, Drawer } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { client } from '../../api/client.ts';
import { ErrorNote } from '../../components/callouts/failure-note.tsx';
import { icon } from '../../components/icon.ts';
import { Page } from '../../components/page.tsx';
import { PartTabs } from '../../components/part-tabs.tsx';
import { ConnectionReport } from '../../components/status/connection-report.tsx';
import { routes } from '../../lib/routes.ts';
import { Connect } from './connect/connect.tsx';
import { Console } from './console/console.tsx';
import { Keys } from './keys/keys.tsx';
import { Feed } from './traffic/feed.tsx';
import { Traffic } from './traffic/traffic.tsx';

const views = ['connect', 'traffic', 'console', 'keys', 'zmq'] as const;
const shownBy = { connect: Connect, traffic: Traffic, console: Console, keys: Keys, zmq: Feed };

/** The node endpoint for other programs: how to connect, the traffic, the keys and a console. */
export function Gateway({ view }: { view: string | undefined }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const test = useMutation({ mutationFn: () => client.gateway.test({}), gcTime: 0 });
  const current = views.find((one) => one === view) ?? 'connect';
  return (
    <Page
      wide
      title={t('gateway.title')}
      purpose={t('gateway.purpose')}
      actions={
        <Button leftSection={<IconPlugConnected {...icon} />} loading={test.isPending} onClick={() => test.mutate()}>
          {t('gateway.test')}
        </Button>
      }
    >
      <PartTabs
        label={t('gateway.tabsLabel')}
        parts={views.map((key) => ({ key, title: t(`gateway.tabs.${key}`), View: shownBy[key] }))}
        current={current}
        onChoose={(key) => navigate(routes.gatewayView(key))}
      />
      <Drawer
        opened={test.isSuccess || test.isError}
        onClose={test.reset}
        position="right"
        size={640}
        title={t('gateway.test')}
      >
        <ErrorNote error={test.error} onRetry={() => test.mutate()} />
        {test.data !== undefined && <ConnectionReport tests={test.data} hint={t('gateway.testHint')} />}
      </Drawer>
    </Page>
  );
}
