import { Tooltip, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import {
  IconCoins,
  IconCubeSpark,
  IconDatabaseImport,
  IconFlask,
  IconFolders,
  IconHammer,
  IconLayoutDashboard,
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconPlugConnected,
  IconSettings,
} from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { useLive, useNetwork } from '../api/live-store.ts';
import { icon } from '../components/icon.ts';
import { usePreferences } from './preferences.ts';
import { routes } from './routes.ts';
import classes from './shell.module.css';

/** Below this width the tables need the room more than the words of the navigation do, whatever is preferred. */
const NARROW = '(max-width: 960px)';

export const areas = [
  { key: 'dashboard', to: routes.dashboard, Icon: IconLayoutDashboard },
  { key: 'projects', to: routes.projects, Icon: IconFolders },
  { key: 'jobs', to: routes.jobs, Icon: IconHammer },
  { key: 'tokenBench', to: routes.tokenBench, Icon: IconCoins },
  { key: 'gateway', to: routes.gateway, Icon: IconPlugConnected },
  { key: 'explorer', to: routes.explorer, Icon: IconCubeSpark },
  { key: 'writer', to: routes.writer, Icon: IconDatabaseImport },
  { key: 'sandbox', to: routes.sandbox, Icon: IconFlask },
  { key: 'settings', to: routes.settings, Icon: IconSettings },
] as const;

/** A transaction's page has an address of its own, and is the explorer's. */
function isCurrent(location: string, to: string): boolean {
  if (location.startsWith('/tx/')) return to === routes.explorer;
  return to === '/' ? location === '/' : location === to || location.startsWith(`${to}/`);
}

export function Nav() {
  const { t } = useTranslation();
  const [location] = useLocation();
  const network = useNetwork();
  const preferred = usePreferences((state) => state.navCollapsed);
  const togglePreferred = usePreferences((state) => state.toggleNav);
  const narrow = useMediaQuery(NARROW, false, { getInitialValueInEffect: false });
  const [openedNarrow, setOpenedNarrow] = useState(false);
  const collapsed = narrow ? !openedNarrow : preferred;
  const toggle = narrow ? () => setOpenedNarrow(!openedNarrow) : togglePreferred;
  const version = useLive((state) => state.app?.version);
  const running = useLive((state) => state.jobs.filter((job) => job.active || job.awaitingApproval).length);
  const toggleLabel = t(collapsed ? 'app.expand' : 'app.collapse');
  const ToggleIcon = collapsed ? IconLayoutSidebarLeftExpand : IconLayoutSidebarLeftCollapse;
  return (
    <nav className={classes.nav} data-collapsed={collapsed || undefined} aria-label={t('app.navigation')}>
      {areas
        .filter(({ key }) => key !== 'sandbox' || network === 'sandbox')
        .map(({ key, to, Icon }) => (
          <Tooltip key={key} label={t(`app.nav.${key}`)} position="right" disabled={!collapsed}>
            <Link
              href={to}
              className={classes.navLink}
              aria-current={isCurrent(location, to) ? 'page' : undefined}
              aria-label={collapsed ? t(`app.nav.${key}`) : undefined}
            >
              <Icon {...icon} />
              {!collapsed && t(`app.nav.${key}`)}
              {!collapsed && key === 'jobs' && running > 0 && <span className={classes.navCount}>{running}</span>}
            </Link>
          </Tooltip>
        ))}
      <div className={classes.navFoot}>
        <Tooltip label={toggleLabel} position="right" disabled={!collapsed}>
          <UnstyledButton
            className={classes.navLink}
            onClick={toggle}
            aria-label={toggleLabel}
            aria-expanded={!collapsed}
          >
            <ToggleIcon {...icon} />
            {!collapsed && version !== undefined && (
              <span className={classes.navCount}>{`${t('common.appName')} ${version}`}</span>
            )}
          </UnstyledButton>
        </Tooltip>
      </div>
    </nav>
  );
}
