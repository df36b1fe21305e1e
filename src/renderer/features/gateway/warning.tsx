import { IconShieldOff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { useLive } from '../../api/live/live-store.ts';
import { smallIcon } from '../../components/icon.ts';
import classes from '../../components/styles/banner.module.css';
import { inPageLanguage } from '../../i18n/errors.ts';
import { routes } from '../../lib/routes.ts';

/** A warning of the node endpoint, such as unchecked certificates. It is shown above every page and cannot be dismissed. */
export function GatewayWarning() {
  const { t } = useTranslation();
  const warning = useLive(({ services }) => {
    const status = services.find(({ name }) => name === 'gateway')?.status;
    return status?.state === 'running' ? status.warning : undefined;
  });
  if (warning === undefined) return null;
  return (
    <div className={classes.banner} role="status">
      <IconShieldOff {...smallIcon} />
      {inPageLanguage(warning).message}
      <Link href={routes.settings} className={classes.action}>
        {t('settings.nav')}
      </Link>
    </div>
  );
}
