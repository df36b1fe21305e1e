import { type Feature, view } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';
import { useWelcomeCommands } from './commands.tsx';
import texts from './en.json' with { type: 'json' };
import { FirstStart } from './first-start.tsx';

declare module '../../i18n/index.ts' {
  interface Texts {
    welcome: typeof texts;
  }
}

/** The start page of a new installation, with the choice to create something or to connect a program. */
export const welcome: Feature = {
  texts: { welcome: texts },
  views: [
    view(routes.welcome, async () => (await import('./welcome.tsx')).Welcome),
    view(routes.welcomeStep('create'), async () => (await import('./create.tsx')).Create),
    view(routes.welcomeStep('develop'), async () => (await import('./develop.tsx')).Develop),
  ],
  useCommands: useWelcomeCommands,
  Background: FirstStart,
};
