import { IconFlask } from '@tabler/icons-react';
import { type Feature, view } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';
import { useSandboxCommands } from './commands.tsx';
import texts from './en.json' with { type: 'json' };

declare module '../../i18n/index.ts' {
  interface Texts {
    sandbox: typeof texts;
  }
}

/** Controls of the built-in test network. */
export const sandbox: Feature = {
  texts: { sandbox: texts },
  nav: { to: routes.sandbox, label: 'sandbox.nav', Icon: IconFlask, onlyOn: 'sandbox' },
  help: [{ texts: 'sandbox.help', at: routes.sandbox }],
  views: [view(routes.sandbox, async () => (await import('./sandbox.tsx')).Sandbox)],
  useCommands: useSandboxCommands,
};
