import { Button, Drawer } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import type { ConnectionTest, Failure } from '../../../contract/index.ts';
import { client } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { FailureNote } from '../../components/callouts/failure-note.tsx';
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

/** The node endpoint for other programs: how to connect, who calls, and every command by hand. */
export function Gateway({ view }: { view: string | undefined }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const [busy, setBusy] = useState(false);
  const [tests, setTests] = useState<ConnectionTest[]>();
  const [failure, setFailure] = useState<Failure>();
  const current = views.find((one) => one === view) ?? 'connect';
  const close = (): void => {
    setTests(undefined);
    setFailure(undefined);
  };
  const test = async (): Promise<void> => {
    setBusy(true);
    setFailure(undefined);
    try {
      setTests(await client.gateway.test({}));
    } catch (error) {
      setFailure(failureOf(error));
    }
    setBusy(false);
  };
  return (
    <Page
      wide={current !== 'connect'}
      title={t('gateway.title')}
      purpose={t('gateway.purpose')}
      actions={
        <Button leftSection={<IconPlugConnected {...icon} />} loading={busy} onClick={() => void test()}>
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
        opened={tests !== undefined || failure !== undefined}
        onClose={close}
        position="right"
        size={640}
        title={t('gateway.test')}
      >
        {failure !== undefined && <FailureNote failure={failure} onRetry={() => void test()} />}
        {tests !== undefined && <ConnectionReport tests={tests} hint={t('gateway.testHint')} />}
      </Drawer>
    </Page>
  );
}
