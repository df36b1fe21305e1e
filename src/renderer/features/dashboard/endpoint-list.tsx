import { useTranslation } from 'react-i18next';
import { useLive } from '../../api/live/live-store.ts';
import { Panel } from '../../components/page.tsx';
import { CopyButton } from '../../components/values/copy-button.tsx';
import classes from './dashboard.module.css';
import { endpointKeys } from './endpoints.ts';

/** Addresses for other tools. One that does not listen says so instead of being left out. */
export function Endpoints() {
  const { t } = useTranslation();
  const endpoints = useLive((state) => state.app?.endpoints);
  const wallet = useLive((state) => state.wallet?.address);
  const rows = endpointKeys.map((key) => ({ label: t(`dashboard.endpoint.${key}`), value: endpoints?.[key] ?? null }));
  if (wallet != null) rows.push({ label: t('dashboard.walletAddress'), value: wallet });
  return (
    <Panel flush title={t('dashboard.connect')} hint={t('dashboard.connectHint')}>
      {rows.map(({ label, value }) => (
        <div key={label} className={classes.line}>
          <span>{label}</span>
          {value === null ? (
            <span className={classes.dim}>{t('dashboard.endpointOff')}</span>
          ) : (
            <span className={classes.address} title={value}>
              {value}
            </span>
          )}
          {value === null ? <span /> : <CopyButton value={value} what={label} />}
        </div>
      ))}
    </Panel>
  );
}
