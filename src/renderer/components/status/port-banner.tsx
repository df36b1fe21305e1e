import { UnstyledButton } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Failure, ServiceStatus } from '../../../contract/index.ts';
import { api, client } from '../../api/client.ts';
import { useLive } from '../../api/live/live-store.ts';
import { ErrorNote } from '../callouts/failure-note.tsx';
import { smallIcon } from '../icon.ts';
import banner from '../styles/banner.module.css';

/** The setting with the address that is in use. */
function keyOf({ id, values }: Failure): string | undefined {
  if (id === 'sandbox.zmq-port-in-use') return 'sandbox.zmqAddress';
  return typeof values?.key === 'string' ? values.key : undefined;
}

/** Names each port that another program uses, above every view, and offers the next free one. Everything else runs meanwhile. */
export function PortBanner() {
  const { t } = useTranslation();
  const taken = useLive((state) => state.services).flatMap((service) => {
    const failure = service.status.state === 'failed' ? service.status.failure : undefined;
    const setting = failure?.code === 'port-in-use' ? keyOf(failure) : undefined;
    return setting === undefined ? [] : [{ service, setting }];
  });
  if (taken.length === 0) return null;
  return (
    <section className={banner.stack} aria-label={t('services.portTaken')}>
      {taken.map(({ service, setting }) => (
        <Taken key={service.name} service={service} setting={setting} />
      ))}
    </section>
  );
}

function Taken({ service: { name, since }, setting }: { service: ServiceStatus; setting: string }) {
  const { t } = useTranslation();
  const found = useQuery({
    queryKey: ['port', setting, since],
    queryFn: async () => {
      const entry = (await client.settings.list()).find(({ key }) => key === setting);
      const probe = await client.settings.probePort({ key: setting, value: String(entry?.value) });
      return { ...probe, overridden: entry?.overridden ?? false };
    },
  }).data;
  const restart = useMutation(api.services.restart.mutationOptions());
  const move = useMutation({
    mutationFn: async (address: string) => {
      await client.settings.set({ key: setting, value: address });
      await client.services.restart({ name });
    },
  });
  if (found === undefined) return null;
  const service = t(`services.${name}`);
  const free = found.overridden ? null : found.proposal;
  const failed = move.error ?? restart.error;
  return (
    <div data-service={name}>
      <div className={banner.line}>
        <IconPlugConnectedX {...smallIcon} />
        <span role="status">
          {found.isFree
            ? t('services.portFree', { port: found.port, service })
            : found.usedBy === null
              ? t('services.portInUse', { port: found.port, service })
              : t('services.portInUseBy', { port: found.port, service, program: found.usedBy })}
        </span>
        {free !== null && !found.isFree && (
          <UnstyledButton className={banner.action} disabled={move.isPending} onClick={() => move.mutate(free)}>
            {t('services.usePort', { port: free.slice(free.lastIndexOf(':') + 1) })}
          </UnstyledButton>
        )}
        <UnstyledButton className={banner.action} disabled={restart.isPending} onClick={() => restart.mutate({ name })}>
          {t('services.tryAgain')}
        </UnstyledButton>
      </div>
      <ErrorNote error={failed} />
    </div>
  );
}
