import { type Feature, view } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';
import { useSessionCommands } from './commands.tsx';
import texts from './en.json' with { type: 'json' };
import { IdleLock } from './idle-lock.tsx';

declare module '../../i18n/index.ts' {
  interface Texts {
    sessions: typeof texts;
  }
}

/** Signed-in browsers, and the lock of this one. */
export const sessions: Feature = {
  texts: { sessions: texts },
  views: [view(routes.sessions, async () => (await import('./sessions-page.tsx')).SessionsPage)],
  help: [{ texts: 'sessions.help', at: routes.sessions }],
  useCommands: useSessionCommands,
  Background: IdleLock,
};
