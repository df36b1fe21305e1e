import { IconCoins, IconHistory, IconLayoutSidebar, IconRefresh, IconSearch } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { readSought, type SearchAnswer } from '../../../contract/index.ts';
import { client } from '../../api/client.ts';
import { useLive, useNetwork } from '../../api/live/live-store.ts';
import { chooseMoneyUnit } from '../../api/money.ts';
import { icon } from '../../components/icon.ts';
import { showFailure } from '../../components/toasts/show-failure.ts';
import type { CommandGroup } from '../../lib/feature.ts';
import { usePreferences } from '../../lib/preferences.ts';
import { useRecent } from '../../lib/recent.ts';
import { features } from '../features.ts';
import { navEntries } from '../shell/nav.tsx';
import { themes } from '../shell/top-bar/top-bar.tsx';
import { chooseTheme } from '../theme-sync.tsx';
import type { Entry } from './entry.ts';
import { entryOf } from './host-hits.tsx';
import { useIntentEntries } from './intent-entries.tsx';
import { rank } from './rank.ts';
import { useReference } from './reference.tsx';

/** Views and available actions, in the order in which they are listed before anything is typed. */
function useCommands(): Entry[] {
  const { t } = useTranslation();
  const network = useNetwork();
  const queries = useQueryClient();
  const services = useLive((state) => state.services);
  // biome-ignore lint/correctness/useHookAtTopLevel: the list of features never changes while the page is open.
  const ofFeatures = features.flatMap((feature) => feature.useCommands?.() ?? []);
  const views = navEntries
    .filter(({ onlyOn }) => onlyOn === undefined || onlyOn === network)
    .map(({ to, label, Icon }): Entry => {
      const name = t(label);
      return { id: `go-${to}`, group: t('app.commands.go'), label: name, picture: <Icon {...icon} />, to };
    });
  const own: CommandGroup[] = [
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
          onClick: () =>
            void client.services.restart({ name }).catch((error: unknown) => showFailure(`restart-${name}`, error)),
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
    {
      group: t('app.commands.appearance'),
      actions: (['satoshi', 'bsv'] as const).map((unit) => ({
        id: `money-${unit}`,
        label: t(`app.commands.money.${unit}`),
        leftSection: <IconCoins {...icon} />,
        onClick: () => chooseMoneyUnit(queries, unit),
      })),
    },
  ];
  return [...views, ...entriesOf(own)];
}

/** Settings, help and the like. There are too many to list them before anything is typed. */
function useFindable(): Entry[] {
  // biome-ignore lint/correctness/useHookAtTopLevel: the list of features never changes while the page is open.
  return entriesOf(features.flatMap((feature) => feature.useFindable?.() ?? []));
}

function entriesOf(groups: readonly CommandGroup[]): Entry[] {
  return groups.flatMap(({ group, explains = false, actions }) =>
    actions.map(({ id, label, description, keywords, leftSection, onClick }) => ({
      id: `do-${id}`,
      group,
      explains,
      label,
      description,
      keywords,
      picture: leftSection,
      run: onClick,
    })),
  );
}

/** Recently opened pages and recent searches on this network. */
function useLastUsed(setText: (text: string) => void): Entry[] {
  const { t } = useTranslation();
  const network = useNetwork();
  const opened = useRecent((state) => state.opened[network]) ?? [];
  const searches = useRecent((state) => state.searches[network]) ?? [];
  return [
    ...opened.map(({ label, kind, place, to }) => ({
      id: `opened-${to}`,
      group: t('app.find.heading.opened'),
      label,
      description: place,
      kind,
      picture: <IconHistory {...icon} />,
      to,
    })),
    ...searches.map((text) => ({
      id: `searched-${text}`,
      group: t('app.find.heading.searches'),
      label: text,
      picture: <IconSearch {...icon} />,
      stays: true,
      run: () => setText(text),
    })),
  ];
}

/** The entry for a complete id, by its form alone. It is shown until the host has replied and if the host cannot reply. */
function useOwnReading(text: string, answer: SearchAnswer | undefined): Entry[] {
  const { t, i18n } = useTranslation();
  const sought = readSought(text);
  const kind = { hash: 'transaction', outpoint: 'output', address: 'address' } as const;
  if (sought.kind === 'height' || sought.kind === 'unclear') return [];
  const meant = kind[sought.kind];
  const id =
    sought.kind === 'hash'
      ? sought.hash
      : sought.kind === 'outpoint'
        ? `${sought.txid}_${sought.index}`
        : sought.address;
  const hits = answer?.hits ?? [];
  const asked = answer?.tried.find((one) => one.kind === meant)?.state;
  const known = hits.some((hit) => hit.kind === meant || hit.kind === 'block');
  // If every source replied that it does not exist, that is shown instead. If a source could not be asked, the id can still be opened.
  if (known || asked === 'none') return [];
  return [entryOf({ kind: meant, id, name: '', place: '', projectUid: null, file: null }, t, i18n.language)];
}

/** All entries that do not depend on a reply to the typed text. @param wanted false leaves out those that need a request */
export function useOwnEntries(wanted: boolean): { commands: Entry[]; entries: Entry[] } {
  const commands = useCommands();
  const findable = useFindable();
  const entries = useIntentEntries([...commands, ...findable]);
  const reference = useReference(wanted);
  return { commands, entries: [...entries, ...reference] };
}

/** The entries that match a text, grouped by heading, the best first. */
export function useEntries(
  text: string,
  setText: (text: string) => void,
  answer: SearchAnswer | undefined,
): { group: string; entries: Entry[] }[] {
  const { t, i18n } = useTranslation();
  const own = useOwnEntries(text.trim() !== '');
  const last = useLastUsed(setText);
  const reading = useOwnReading(text, answer);
  const chosen = useRecent((state) => state.chosen);
  const hits = useMemo(
    () => answer?.hits.map((hit) => entryOf(hit, t, i18n.language)) ?? [],
    [answer, t, i18n.language],
  );
  if (text.trim() === '') {
    const groups = [...Map.groupBy([...last, ...own.commands], ({ group }) => group)];
    return groups.map(([group, entries]) => ({ group, entries }));
  }
  const all = [...reading, ...own.entries, ...hits];
  return rank(
    all.map((entry) => ({ ...entry, chosen: chosen[entry.id] ?? 0 })),
    text,
  );
}
