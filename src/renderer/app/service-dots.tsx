import { Button, Popover, UnstyledButton } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconRefresh } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ServiceStatus } from '../../contract/index.ts';
import { api } from '../api/client.ts';
import { failureOf } from '../api/failure.ts';
import { useLive } from '../api/live-store.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { smallIcon } from '../components/icon.ts';
import { Callout, FailureNote } from '../components/page.tsx';
import { Ago, Badge } from '../components/values.tsx';
import type { Tone } from '../lib/format.ts';
import classes from './shell.module.css';

const tones: Readonly<Record<ReturnType<typeof shownState>, Tone>> = {
  running: 'done',
  degraded: 'wait',
  starting: 'wait',
  stopped: 'neutral',
  failed: 'fail',
};

/** The state as it is shown: a service that runs may still be kept from its work. */
function shownState({ status }: ServiceStatus): ServiceStatus['status']['state'] | 'degraded' {
  return status.state === 'running' && status.trouble !== undefined ? 'degraded' : status.state;
}

/** Whether there is something to say of a service beside its state. */
export function isTroubled({ status }: ServiceStatus): boolean {
  if (status.state === 'running') return status.warning !== undefined || status.trouble !== undefined;
  return status.state === 'failed';
}

export function ServiceBadge({ service }: { service: ServiceStatus }) {
  const { t } = useTranslation();
  const state = shownState(service);
  return (
    <Badge tone={tones[state]} busy={state === 'starting'}>
      {t(`app.services.state.${state}`)}
    </Badge>
  );
}

/** State, address, reason, fix and restart of one service; the same in the top bar and on the dashboard. */
export function ServiceDetail({ service }: { service: ServiceStatus }) {
  const { t } = useTranslation();
  const restart = useMutation(api.services.restart.mutationOptions());
  const { status } = service;
  return (
    <div className={classes.serviceCard}>
      {status.state === 'failed' && <FailureNote failure={status.failure} />}
      {status.state === 'running' && status.trouble !== undefined && <Callout tone="wait" title={status.trouble} />}
      {status.state === 'running' && status.warning !== undefined && <Callout tone="wait" title={status.warning} />}
      {restart.isError && <FailureNote failure={failureOf(restart.error)} />}
      <div className={classes.serviceFoot}>
        <span>
          {t('app.services.since')} <Ago at={service.since} />
        </span>
        {service.name !== 'console' && (
          <Button
            size="compact-sm"
            variant={status.state === 'failed' ? 'filled' : 'default'}
            leftSection={<IconRefresh {...smallIcon} />}
            loading={restart.isPending || status.state === 'starting'}
            onClick={() => restart.mutate({ name: service.name })}
          >
            {t('common.restart')}
          </Button>
        )}
      </div>
    </div>
  );
}

function ServiceDot({ service }: { service: ServiceStatus }) {
  const { t } = useTranslation();
  const name = t(`app.services.${service.name}`);
  const { status } = service;
  const shown = shownState(service);
  const state = t(`app.services.state.${shown}`);
  const [opened, setOpened] = useState(false);
  // A button that turns itself off drops the focus, and with it the popover's own Escape.
  useHotkeys([['Escape', () => setOpened(false)]], []);
  const shape = shown === 'running' && isTroubled(service) ? 'warning' : shown;
  return (
    <Popover position="bottom-end" width={360} trapFocus returnFocus opened={opened} onChange={setOpened}>
      <Popover.Target>
        <UnstyledButton
          className={classes.serviceButton}
          onClick={() => setOpened((was) => !was)}
          aria-label={t('app.services.button', { name, state })}
          title={t('app.services.button', { name, state })}
        >
          <span className={classes.serviceDot} data-state={shape} />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label={name}>
        <div className={classes.serviceCard}>
          <div className={classes.serviceHead}>
            <span className={classes.serviceName}>{name}</span>
            <ServiceBadge service={service} />
          </div>
          <div className={classes.serviceWhat}>{t(`app.services.what.${service.name}`)}</div>
          {status.state === 'running' && status.address !== undefined && (
            <div className={classes.command}>
              <span>{status.address}</span>
              <CopyButton value={status.address} what={t('common.addressName')} />
            </div>
          )}
          <ServiceDetail service={service} />
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

/** One dot a service: its state at a glance, reason and fix on click. */
export function ServiceDots() {
  const { t } = useTranslation();
  const services = useLive((state) => state.services);
  return (
    <fieldset
      className={classes.services}
      aria-label={t('app.services.label')}
      style={{ border: 0, margin: 0, padding: 0 }}
    >
      {services.map((service) => (
        <ServiceDot key={service.name} service={service} />
      ))}
    </fieldset>
  );
}
