import { ActionIcon, Popover, UnstyledButton } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { IconArrowRight, IconChevronDown } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { ServiceName, ServiceStatus } from '../../../../contract/index.ts';
import { useConnection } from '../../../api/connection/connection.ts';
import { useLive } from '../../../api/live/live-store.ts';
import { smallIcon } from '../../../components/icon.ts';
import { ServiceBadge, ServiceDetail } from '../../../components/status/service.tsx';
import { hasNotice, hasProblem, summaryOf } from '../../../components/status/service-problems.ts';
import { routes } from '../../../lib/routes.ts';
import classes from './service-menu.module.css';

const viewOf: Partial<Record<ServiceName, string>> = {
  sandbox: routes.sandbox,
  wallet: routes.wallet,
  studio: routes.jobs,
  gateway: routes.gateway,
  zmq: routes.gateway,
  writer: routes.writer,
  callbacks: routes.miners,
};

function ServiceEntry({ service, onLeave }: { service: ServiceStatus; onLeave: () => void }) {
  const { t } = useTranslation();
  const name = t(`services.${service.name}`);
  const view = viewOf[service.name];
  return (
    <li className={classes.entry} data-service={service.name}>
      <div className={classes.head}>
        <span className={classes.name}>{name}</span>
        <span className={classes.what}>{t(`services.what.${service.name}`)}</span>
        <ServiceBadge service={service} />
        {view === undefined ? (
          <span className={classes.noLink} />
        ) : (
          <ActionIcon
            component={Link}
            href={view}
            variant="subtle"
            color="gray"
            size={24}
            aria-label={t('services.open', { name })}
            title={t('services.open', { name })}
            onClick={onLeave}
          >
            <IconArrowRight {...smallIcon} />
          </ActionIcon>
        )}
      </div>
      <ServiceDetail service={service} quiet={!hasNotice(service)} />
    </li>
  );
}

/** A button with the state of the services in words. It opens the list of services with reasons and fixes, problems first. */
export function ServiceMenu() {
  const { t } = useTranslation();
  const services = useLive((state) => state.services);
  const [opened, setOpened] = useState(false);
  const close = (): void => setOpened(false);
  // A button that disables itself loses the focus, and the popover would no longer receive Escape.
  useHotkeys([['Escape', close]], []);
  // While no events arrive, the state is unknown.
  const lost = useConnection(({ phase, attempt }) => phase === 'reconnecting' && attempt > 1);
  const { state, count } = lost ? ({ state: 'unknown', count: 0 } as const) : summaryOf(services);
  const failed = !lost && services.some(({ status }) => status.state === 'failed');
  const words = state === 'problems' ? t('services.all.problems', { count }) : t(`services.all.${state}`);
  const sorted = [...services.filter(hasProblem), ...services.filter((service) => !hasProblem(service))];
  return (
    <Popover position="bottom-end" width={440} trapFocus returnFocus opened={opened} onChange={setOpened}>
      <Popover.Target>
        <UnstyledButton
          className={classes.button}
          data-state={failed ? 'failed' : state}
          aria-label={`${t('services.label')}: ${words}`}
          onClick={() => setOpened((was) => !was)}
        >
          <span className={classes.mark} aria-hidden />
          <span className={classes.words}>{words}</span>
          <IconChevronDown {...smallIcon} size={14} aria-hidden />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('services.label')} p={0}>
        <ul className={classes.list}>
          {sorted.map((service) => (
            <ServiceEntry key={service.name} service={service} onLeave={close} />
          ))}
        </ul>
      </Popover.Dropdown>
    </Popover>
  );
}
