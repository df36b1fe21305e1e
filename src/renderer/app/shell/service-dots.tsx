import { Popover, UnstyledButton } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ServiceStatus } from '../../../contract/index.ts';
import { useLive } from '../../api/live/live-store.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import serviceClasses from '../../components/status/service.module.css';
import { hasNotice, ServiceBadge, ServiceDetail, visibleState } from '../../components/status/service.tsx';
import cardClasses from '../../components/styles/card.module.css';
import classes from './service-dots.module.css';

function ServiceDot({ service }: { service: ServiceStatus }) {
  const { t } = useTranslation();
  const name = t(`services.${service.name}`);
  const { status } = service;
  const visible = visibleState(service);
  const state = t(`services.state.${visible}`);
  const [opened, setOpened] = useState(false);
  // A button that turns itself off drops the focus, and with it the popover's own Escape.
  useHotkeys([['Escape', () => setOpened(false)]], []);
  const shape = visible === 'running' && hasNotice(service) ? 'warning' : visible;
  return (
    <Popover position="bottom-end" width={360} trapFocus returnFocus opened={opened} onChange={setOpened}>
      <Popover.Target>
        <UnstyledButton
          className={classes.serviceButton}
          onClick={() => setOpened((was) => !was)}
          aria-label={t('services.button', { name, state })}
          title={t('services.button', { name, state })}
        >
          <span className={classes.serviceDot} data-state={shape} />
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label={name}>
        <div className={serviceClasses.serviceCard}>
          <div className={classes.serviceHead}>
            <span className={classes.serviceName}>{name}</span>
            <ServiceBadge service={service} />
          </div>
          <div className={classes.serviceWhat}>{t(`services.what.${service.name}`)}</div>
          {status.state === 'running' && status.address !== undefined && (
            <div className={cardClasses.command}>
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
      aria-label={t('services.label')}
      style={{ border: 0, margin: 0, padding: 0 }}
    >
      {services.map((service) => (
        <ServiceDot key={service.name} service={service} />
      ))}
    </fieldset>
  );
}
