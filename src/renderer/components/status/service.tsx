import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ServiceStatus, Tone } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { smallIcon } from '../icon.ts';
import { Callout, FailureNote } from '../page.tsx';
import { Ago, Badge } from '../values.tsx';
import classes from './service.module.css';

const tones: Readonly<Record<ReturnType<typeof visibleState>, Tone>> = {
  running: 'done',
  degraded: 'wait',
  starting: 'wait',
  stopped: 'neutral',
  failed: 'fail',
};

/** The state to show: a service that runs may still be unable to do its work. */
export function visibleState({ status }: ServiceStatus): ServiceStatus['status']['state'] | 'degraded' {
  return status.state === 'running' && status.degraded !== undefined ? 'degraded' : status.state;
}

/** Whether a service has a warning or a problem to show with its state. */
export function hasNotice({ status }: ServiceStatus): boolean {
  if (status.state === 'running') return status.warning !== undefined || status.degraded !== undefined;
  return status.state === 'failed';
}

export function ServiceBadge({ service }: { service: ServiceStatus }) {
  const { t } = useTranslation();
  const state = visibleState(service);
  return (
    <Badge tone={tones[state]} busy={state === 'starting'}>
      {t(`services.state.${state}`)}
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
      {status.state === 'running' && status.degraded !== undefined && <Callout tone="wait" title={status.degraded} />}
      {status.state === 'running' && status.warning !== undefined && <Callout tone="wait" title={status.warning} />}
      {restart.isError && <FailureNote failure={failureOf(restart.error)} />}
      <div className={classes.serviceFoot}>
        <span>
          {t('services.since')} <Ago at={service.since} />
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
