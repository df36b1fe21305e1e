import { Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import { IconLayoutSidebar, IconRefresh, IconSearch, IconTransfer } from '@tabler/icons-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { client } from '../api/client.ts';
import { useLive } from '../api/live/live-store.ts';
import { icon } from '../components/icon.ts';
import { shortenId } from '../lib/format.ts';
import { usePreferences } from '../lib/preferences.ts';
import { routes } from '../lib/routes.ts';
import { takeLostFocusToView } from '../lib/view-focus.ts';
import classes from './commands.module.css';
import { features } from './features.ts';
import { navEntries } from './shell/nav.tsx';
import { themes } from './shell/top-bar/top-bar.tsx';
import { chooseTheme } from './theme-sync.tsx';

const TXID = /^[0-9a-f]{64}$/;

/** Joins groups of one name and leaves out the empty ones. */
function mergeGroups(groups: readonly SpotlightActionGroupData[]): SpotlightActionGroupData[] {
  const merged = new Map<string, SpotlightActionGroupData>();
  for (const { group, actions } of groups) {
    if (actions.length > 0) merged.set(group, { group, actions: [...(merged.get(group)?.actions ?? []), ...actions] });
  }
  return [...merged.values()];
}

/** Enter typed faster than the list marks its first entry still means that entry. */
function chooseFirstWhenNoneIsMarked({ nativeEvent, currentTarget }: KeyboardEvent<HTMLInputElement>): void {
  if (nativeEvent.isComposing || !['Enter', 'NumpadEnter'].includes(nativeEvent.code)) return;
  const palette = currentTarget.closest('[role="dialog"]');
  if (palette?.querySelector('[data-action][data-selected]') == null) {
    palette?.querySelector<HTMLElement>('[data-action]')?.click();
  }
}

/** Every action of the application in one list, by keyboard. A pasted transaction id opens its page. */
export function Commands() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const [query, setQuery] = useState('');
  const field = useRef<HTMLInputElement>(null);
  /** Where the person was when the palette opened. */
  const before = useRef<{ place: string; focus: Element | null }>({ place: '', focus: null });
  const services = useLive((state) => state.services);
  // biome-ignore lint/correctness/useHookAtTopLevel: the list of features never changes while the page is open.
  const ofFeatures = features.flatMap((feature) => feature.useCommands?.() ?? []);
  const asked = query.trim().toLowerCase();

  const actions: SpotlightActionGroupData[] = [
    {
      group: t('app.commands.transaction'),
      actions: TXID.test(asked)
        ? [
            {
              id: 'tx',
              label: t('app.commands.openTransaction', { id: shortenId(asked, 8) }),
              keywords: asked,
              leftSection: <IconTransfer {...icon} />,
              onClick: () => navigate(routes.transaction(asked)),
            },
          ]
        : [],
    },
    {
      group: t('app.commands.go'),
      actions: navEntries.map(({ to, label, Icon }) => ({
        id: `go-${to}`,
        label: t(label),
        leftSection: <Icon {...icon} />,
        onClick: () => navigate(to),
      })),
    },
    {
      group: t('common.commandGroup.actions'),
      actions: [
        {
          id: 'nav',
          label: t('app.commands.toggleNavigation'),
          leftSection: <IconLayoutSidebar {...icon} />,
          onClick: () => usePreferences.getState().toggleNav(),
        },
      ],
    },
    ...ofFeatures,
    {
      group: t('app.commands.services'),
      actions: services
        .filter((service) => service.name !== 'console')
        .map(({ name }) => ({
          id: `restart-${name}`,
          label: t('app.commands.restartService', { name: t(`services.${name}`) }),
          leftSection: <IconRefresh {...icon} />,
          onClick: () => void client.services.restart({ name }).catch(() => {}),
        })),
    },
    {
      group: t('app.commands.appearance'),
      actions: themes.map(({ theme, Icon }) => ({
        id: `theme-${theme}`,
        label: t('app.commands.themeTo', { theme: t(`app.theme.${theme}`) }),
        leftSection: <Icon {...icon} />,
        onClick: () => chooseTheme(theme),
      })),
    },
  ];

  return (
    <Spotlight
      actions={mergeGroups(actions)}
      query={query}
      onQueryChange={setQuery}
      nothingFound={t('app.commands.empty')}
      highlightQuery
      scrollable
      maxHeight={420}
      limit={40}
      title={t('app.searchShort')}
      classNames={{ header: classes.unseen }}
      overlayProps={{ blur: 0, backgroundOpacity: 0.45 }}
      // Done below: a view that the palette opened begins at its heading.
      returnFocus={false}
      onSpotlightOpen={() => {
        before.current = { place: location.hash, focus: document.activeElement };
        // The dialog itself would focus its field a moment later, and lose what is typed until then.
        field.current?.focus();
      }}
      onSpotlightClose={() => {
        const { place, focus } = before.current;
        if (location.hash !== place) takeLostFocusToView();
        else if (focus instanceof HTMLElement) focus.focus({ preventScroll: true });
      }}
      // What is typed right after the shortcut must reach the search box, so nothing is faded in before it.
      transitionProps={{ duration: 0 }}
      scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
      searchProps={{
        ref: field,
        leftSection: <IconSearch {...icon} />,
        placeholder: t('app.commands.placeholder'),
        'aria-label': t('app.commands.placeholder'),
        onKeyDown: chooseFirstWhenNoneIsMarked,
      }}
    />
  );
}
