import { IconFolders } from '@tabler/icons-react';
import { type Feature, view } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';
import { useProjectCommands } from './commands.tsx';
import texts from './en.json' with { type: 'json' };

declare module '../../i18n/index.ts' {
  interface Texts {
    projects: typeof texts;
  }
}

/** Projects with their files and items. */
export const projects: Feature = {
  texts: { projects: texts },
  nav: { group: 'create', to: routes.projects, label: 'projects.nav', Icon: IconFolders, alsoAt: routes.import },
  help: [routes.projects, '/import'].map((at) => ({ texts: 'projects.help', at })),
  views: [
    view(routes.projects, async () => (await import('./projects.tsx')).Projects),
    view('/projects/:uid', async () => (await import('./project-page.tsx')).ProjectPage, { keyedBy: 'uid' }),
    view(routes.import, async () => (await import('./import/import-start.tsx')).ImportStart),
    view('/import/:id', async () => (await import('./import/import-page.tsx')).ImportPage, { keyedBy: 'id' }),
  ],
  useCommands: useProjectCommands,
};
