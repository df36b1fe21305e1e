import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import type { ServiceStatus } from '../../../contract/index.ts';
import { useLive } from '../../api/live/live-store.ts';
import { Panel } from '../../components/page.tsx';
import { ServiceBadge, ServiceDetail } from '../../components/status/service.tsx';
import { hasNotice } from '../../components/status/service-problems.ts';
import layout from '../../components/styles/layout.module.css';
import classes from './dashboard.module.css';

/** Every service with its state. A failed one shows the reason and the fix. */
export function Services() {
  const { t } = useTranslation();
  const all = useLive((state) => state.services);
  const isFailed = (service: ServiceStatus): boolean => service.status.state === 'failed';
  const services = [...all.filter(isFailed), ...all.filter((service) => !isFailed(service))];
  const failed = services.filter(isFailed).length;
  const degraded = all.filter(({ status }) => status.state === 'running' && status.degraded !== undefined).length;
  const summary = degraded === 0 ? t('services.summaryOk') : t('services.summaryDegraded', { count: degraded });
  return (
    <Panel
      flush
      title={t('dashboard.services')}
      hint={failed === 0 ? summary : t('services.summaryFailed', { count: failed })}
    >
      {services.map((service) => {
        const troubled = hasNotice(service);
        return (
          <Fragment key={service.name}>
            <div className={`${classes.line} ${troubled ? classes.lineBroken : ''}`}>
              <span>{t(`services.${service.name}`)}</span>
              <span className={layout.dim}>{t(`services.what.${service.name}`)}</span>
              <ServiceBadge service={service} />
            </div>
            {troubled && (
              <div className={classes.lineFailed}>
                <ServiceDetail service={service} />
              </div>
            )}
          </Fragment>
        );
      })}
    </Panel>
  );
}
