import { IconBuildingBank } from '@tabler/icons-react';
import { type Feature, view } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';
import { useMinerCommands } from './commands.tsx';
import texts from './en.json' with { type: 'json' };

declare module '../../i18n/index.ts' {
  interface Texts {
    miners: typeof texts;
  }
}

/** Miners with their fees and limits. */
export const miners: Feature = {
  texts: { miners: texts },
  nav: { group: 'money', to: routes.miners, label: 'miners.nav', Icon: IconBuildingBank },
  help: [{ texts: 'miners.help', at: routes.miners }],
  views: [view(routes.miners, async () => (await import('./miners-page.tsx')).MinersPage, { isHeavy: true })],
  useCommands: useMinerCommands,
};
