import { Button, Stack } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { api } from '../../api/client.ts';
import { useLive } from '../../api/live/live-store.ts';
import { connectCurl, TryCall } from '../../components/connect-call.tsx';
import { icon } from '../../components/icon.ts';
import { Page, Panel } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { ServiceDetail } from '../../components/status/service.tsx';
import layout from '../../components/styles/layout.module.css';
import { routes } from '../../lib/routes.ts';
import classes from './welcome.module.css';

/** The first call to the node endpoint: as a command to copy, and run from here. */
export function Develop() {
  const { t } = useTranslation();
  const clipboard = useClipboard({ timeout: 2_000 });
  const gateway = useLive((state) => state.services).find(({ name }) => name === 'gateway');
  // A gateway that started later may listen on another address.
  const { queryKey, ...options } = api.gateway.connection.queryOptions();
  const query = useQuery({ ...options, queryKey: [...queryKey, `${gateway?.status.state} ${gateway?.since}`] });
  return (
    <Page
      title={t('welcome.develop.pageTitle')}
      purpose={t('welcome.develop.purpose')}
      crumbs={[{ label: t('welcome.title'), to: routes.welcome }]}
      actions={
        <Button component={Link} href={routes.gatewayView('connect')} variant="default">
          {t('welcome.develop.more')}
        </Button>
      }
    >
      <QueryView query={query}>
        {(connection) => {
          const command = connectCurl(connection);
          return command === null ? (
            <Panel title={t('welcome.develop.off')}>{gateway && <ServiceDetail service={gateway} />}</Panel>
          ) : (
            <Panel title={t('welcome.develop.command')} hint={t('welcome.develop.commandHint')}>
              <Stack gap="sm">
                {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content has to be reachable by keyboard. */}
                <pre className={`mono ${layout.text} ${classes.command}`} tabIndex={0} data-testid="command">
                  {command}
                </pre>
                <div className={layout.form}>
                  <Button
                    variant="default"
                    leftSection={clipboard.copied ? <IconCheck {...icon} /> : <IconCopy {...icon} />}
                    onClick={() => clipboard.copy(command)}
                  >
                    {t(clipboard.copied ? 'welcome.develop.copied' : 'welcome.develop.copy')}
                  </Button>
                  <TryCall primary />
                </div>
              </Stack>
            </Panel>
          );
        }}
      </QueryView>
    </Page>
  );
}
