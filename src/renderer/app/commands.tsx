import { Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight';
import {
  IconArrowRight,
  IconCopy,
  IconCube,
  IconFolder,
  IconHammer,
  IconLayoutSidebar,
  IconPlus,
  IconRefresh,
  IconSearch,
  IconTransfer,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { api, client } from '../api/client.ts';
import { useLive } from '../api/live-store.ts';
import { icon } from '../components/icon.ts';
import { endpointKeys } from '../features/dashboard/endpoints.ts';
import { openCreateProject } from '../features/projects/create-project.tsx';
import { useTokenCommands } from '../features/token-bench/commands.tsx';
import { shortenId } from '../lib/format.ts';
import { areas } from './nav.tsx';
import { usePreferences } from './preferences.ts';
import { routes } from './routes.ts';
import classes from './shell.module.css';
import { chooseTheme } from './theme-sync.tsx';
import { themes } from './top-bar.tsx';

const TXID = /^[0-9a-f]{64}$/;

function copy(text: string): void {
  void navigator.clipboard.writeText(text);
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
  const { app, services, tokens, wallet } = useLive();
  const projects = useQuery(api.projects.list.queryOptions()).data ?? [];
  const tokenCommands = useTokenCommands();
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
      actions: areas.map(({ key, to, Icon }) => ({
        id: `go-${key}`,
        label: t(`app.nav.${key}`),
        leftSection: <Icon {...icon} />,
        onClick: () => navigate(to),
      })),
    },
    {
      group: t('app.commands.actions'),
      actions: [
        {
          id: 'new-project',
          label: t('app.commands.newProject'),
          description: t('app.commands.newProjectHint'),
          leftSection: <IconPlus {...icon} />,
          onClick: () => openCreateProject((project) => navigate(routes.project(project.uid))),
        },
        ...(app?.network === 'sandbox'
          ? [
              {
                id: 'mine',
                label: t('app.commands.mineBlock'),
                description: t('app.commands.mineBlockHint'),
                leftSection: <IconCube {...icon} />,
                onClick: () => void client.sandbox.mine({ blocks: 1 }).catch(() => {}),
              },
            ]
          : []),
        ...(wallet?.address == null
          ? []
          : [
              {
                id: 'copy-wallet',
                label: t('app.commands.copyWallet'),
                description: wallet.address,
                leftSection: <IconCopy {...icon} />,
                onClick: () => copy(wallet.address ?? ''),
              },
            ]),
        {
          id: 'nav',
          label: t('app.commands.toggleNavigation'),
          leftSection: <IconLayoutSidebar {...icon} />,
          onClick: () => usePreferences.getState().toggleNav(),
        },
      ],
    },
    tokenCommands,
    {
      group: t('writer.commands.group'),
      actions: [
        {
          id: 'writer-write',
          label: t('writer.commands.write'),
          leftSection: <IconPlus {...icon} />,
          onClick: () => navigate(routes.writerTry),
        },
        {
          id: 'writer-documents',
          label: t('writer.commands.documents'),
          leftSection: <IconArrowRight {...icon} />,
          onClick: () => navigate(routes.writerDocuments),
        },
        {
          id: 'writer-dead',
          label: t('writer.commands.dead'),
          leftSection: <IconArrowRight {...icon} />,
          onClick: () => navigate(routes.writerDead),
        },
        {
          id: 'writer-keys',
          label: t('writer.commands.keys'),
          leftSection: <IconArrowRight {...icon} />,
          onClick: () => navigate(routes.writerKeys),
        },
        {
          id: 'writer-retry',
          label: t('writer.commands.retryAll'),
          leftSection: <IconRefresh {...icon} />,
          onClick: () => {
            navigate(routes.writerDead);
            void client.writer.dead.retry({}).catch(() => {});
          },
        },
      ],
    },
    {
      group: t('app.commands.projects'),
      actions: projects.flatMap((project) => [
        {
          id: `project-${project.uid}`,
          label: project.name,
          leftSection: <IconFolder {...icon} />,
          onClick: () => navigate(routes.project(project.uid)),
        },
        {
          id: `mint-${project.uid}`,
          label: t('app.commands.mintIn', { name: project.name }),
          leftSection: <IconHammer {...icon} />,
          onClick: () => navigate(routes.mint(project.uid)),
        },
      ]),
    },
    {
      group: t('app.commands.tokens'),
      actions: tokens.slice(0, 50).map((token) => ({
        id: `token-${token.outpoint}`,
        label: token.name,
        description: shortenId(token.txid, 8),
        keywords: token.txid,
        leftSection: <IconArrowRight {...icon} />,
        onClick: () => navigate(routes.transaction(token.txid)),
      })),
    },
    {
      group: t('app.commands.endpoints'),
      actions: endpointKeys.flatMap((key) => {
        const address = app?.endpoints[key];
        return address == null
          ? []
          : [
              {
                id: `copy-${key}`,
                label: t(`dashboard.endpoint.${key}`),
                description: address,
                keywords: t('common.copy'),
                leftSection: <IconCopy {...icon} />,
                onClick: () => copy(address),
              },
            ];
      }),
    },
    {
      group: t('app.commands.services'),
      actions: services
        .filter((service) => service.name !== 'console')
        .map(({ name }) => ({
          id: `restart-${name}`,
          label: t('app.commands.restartService', { name: t(`app.services.${name}`) }),
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
      actions={actions.filter((group) => group.actions.length > 0)}
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
      // What is typed right after the shortcut must reach the search box, so nothing is faded in before it.
      transitionProps={{ duration: 0 }}
      scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
      searchProps={{
        leftSection: <IconSearch {...icon} />,
        placeholder: t('app.commands.placeholder'),
        'aria-label': t('app.commands.placeholder'),
        onKeyDown: chooseFirstWhenNoneIsMarked,
      }}
    />
  );
}
