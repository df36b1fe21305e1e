import { Tooltip, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { useLive, useNetwork } from '../../api/live/live-store.ts';
import { icon } from '../../components/icon.ts';
import { firstView, type NavEntry, navGroups } from '../../lib/feature.ts';
import { usePreferences } from '../../lib/preferences.ts';
import { features } from '../features.ts';
import classes from './nav.module.css';

/** Below this width the tables need the space, so the navigation shows no labels, whatever the preference. */
const NARROW = '(max-width: 960px)';

const entries = features.flatMap(({ nav }) => nav ?? []);
/** By the address of an entry: loads the code of its page, if it is not loaded yet. */
const fetches = new Map(
  features.map((feature) => [
    feature.nav?.to,
    () =>
      void firstView(feature)
        ?.preload()
        .catch(() => {}),
  ]),
);
const isHome = ({ to }: NavEntry): boolean => to === '/';

/** The dashboard, the groups with their headings, and the entries without a group. */
const sections: readonly { group?: (typeof navGroups)[number]; entries: readonly NavEntry[] }[] = [
  { entries: entries.filter(isHome) },
  ...navGroups.map((group) => ({ group, entries: entries.filter((entry) => entry.group === group) })),
  { entries: entries.filter((entry) => entry.group === undefined && !isHome(entry)) },
].filter((section) => section.entries.length > 0);

/** All entries, in the order in which they are shown. */
export const navEntries: readonly NavEntry[] = sections.flatMap((section) => section.entries);

function isBelow(location: string, address: string): boolean {
  return location === address || location.startsWith(`${address}/`);
}

function isCurrent(location: string, { to, alsoAt }: NavEntry): boolean {
  if (to === '/') return location === '/';
  return isBelow(location, to) || (alsoAt !== undefined && isBelow(location, alsoAt));
}

function Count({ useCount }: { useCount: () => number }) {
  const count = useCount();
  return count > 0 ? <span className={classes.navCount}>{count}</span> : null;
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
  const toggleLabel = t(collapsed ? 'app.expand' : 'app.collapse');
  const ToggleIcon = collapsed ? IconLayoutSidebarLeftExpand : IconLayoutSidebarLeftCollapse;
  return (
    <nav className={classes.nav} data-collapsed={collapsed || undefined} aria-label={t('app.navigation')}>
      {sections.map(({ group, entries: listed }) => {
        const heading = group === undefined ? undefined : t(`app.navGroup.${group}`);
        return (
          <div
            key={group ?? listed[0]?.to}
            className={classes.navGroup}
            {...(heading === undefined ? {} : { role: 'group', 'aria-label': heading })}
          >
            {heading !== undefined && (
              <div className={classes.navHeading} aria-hidden>
                {!collapsed && heading}
              </div>
            )}
            {listed
              .filter(({ onlyOn }) => onlyOn === undefined || onlyOn === network)
              .map((entry) => (
                <Tooltip key={entry.to} label={t(entry.label)} position="right" disabled={!collapsed}>
                  <Link
                    href={entry.to}
                    className={classes.navLink}
                    onPointerEnter={fetches.get(entry.to)}
                    onFocus={fetches.get(entry.to)}
                    aria-current={isCurrent(location, entry) ? 'page' : undefined}
                    aria-label={collapsed ? t(entry.label) : undefined}
                  >
                    <entry.Icon {...icon} />
                    {!collapsed && t(entry.label)}
                    {!collapsed && entry.useCount !== undefined && <Count useCount={entry.useCount} />}
                  </Link>
                </Tooltip>
              ))}
          </div>
        );
      })}
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
