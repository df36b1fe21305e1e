import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { breaksNode, type Failure, type ServiceStatus, type Tone } from '../../../contract/index.ts';
import { useLive } from '../../api/live/live-store.ts';
import { wordsOf } from '../../i18n/reason.ts';
import { Callout } from '../callouts/callout.tsx';
import { mendButton } from '../callouts/failure-action.tsx';
import { ErrorNote, FailureNote } from '../callouts/failure-note.tsx';
import { CopyButton } from '../values/copy-button.tsx';
import { Ago, Badge } from '../values/values.tsx';
import { faultWords, useClearFaults } from './faults.ts';
import { RestartButton } from './restart-button.tsx';
import classes from './service.module.css';
import { visibleState } from './service-problems.ts';

const tones: Readonly<Record<ReturnType<typeof visibleState>, Tone>> = {
  running: 'done',
  degraded: 'wait',
  starting: 'wait',
  stopped: 'neutral',
  failed: 'fail',
};

export function ServiceBadge({ service }: { service: ServiceStatus }) {
  const { t } = useTranslation();
  const state = visibleState(service);
  return (
    <Badge tone={tones[state]} busy={state === 'starting'}>
      {t(`services.state.${state}`)}
    </Badge>
  );
}

/** Why a running service cannot do all of its work, and the fix. This is a state, so it is not announced as an alert. */
export function StateNote({ failure }: { failure: Failure }) {
  // Rendered again in another language.
  useTranslation();
  const { message, hint } = wordsOf(failure);
  return (
    <Callout tone="wait" title={message} actions={mendButton(failure)}>
      {hint}
    </Callout>
  );
}

/** Why a service cannot do its work. If faults of the sandbox are the cause, they are named and can be turned off here. */
function Degraded({ name, reason, byFault }: { name: ServiceStatus['name']; reason: Failure; byFault: boolean }) {
  const { t } = useTranslation();
  const all = useLive((state) => state.faults);
  const faults = byFault ? all.filter((fault) => name === 'sandbox' || breaksNode(fault)) : [];
  const clear = useClearFaults();
  if (faults.length === 0) return <StateNote failure={reason} />;
  return (
    <>
      <Callout
        tone="wait"
        title={t('services.byFault', { count: faults.length })}
        actions={
          <Button size="compact-sm" variant="default" loading={clear.isPending} onClick={() => clear.mutate(faults)}>
            {t('services.turnOff', { count: faults.length })}
          </Button>
        }
      >
        {faults.map((fault) => faultWords(t, fault)).join('; ')}
      </Callout>
      <ErrorNote error={clear.error} />
    </>
  );
}

/**
 * Reason, fix, age of the state and restart of one service, for the top bar and the dashboard.
 * @param quiet nothing is wrong, so the restart button is less prominent
 */
export function ServiceDetail({ service, quiet = false }: { service: ServiceStatus; quiet?: boolean }) {
  const { t } = useTranslation();
  const { status } = service;
  return (
    <div className={classes.serviceCard}>
      {status.state === 'failed' && <FailureNote failure={status.failure} />}
      {status.state === 'running' && status.degraded !== undefined && (
        <Degraded name={service.name} reason={status.degraded} byFault={status.byFault === true} />
      )}
      {status.state === 'running' && status.warning !== undefined && <StateNote failure={status.warning} />}
      <div className={classes.serviceFoot}>
        <span className={classes.serviceSince}>
          {t('services.since')} <Ago at={service.since} />
          {status.state === 'running' && status.address !== undefined && (
            <>
              <span className={`mono ${classes.serviceAddress}`}>{status.address}</span>
              <CopyButton value={status.address} what={t('common.addressName')} />
            </>
          )}
        </span>
        {service.name !== 'console' && (
          <RestartButton
            name={service.name}
            size="compact-sm"
            variant={status.state === 'failed' ? 'filled' : quiet ? 'subtle' : 'default'}
            color={quiet ? 'gray' : undefined}
            busy={status.state === 'starting'}
          />
        )}
      </div>
    </div>
  );
}
