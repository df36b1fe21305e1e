import { IconSettings } from '@tabler/icons-react';
import { type Feature, view } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';
import texts from './en.json' with { type: 'json' };
import { useFindableSettings } from './findable.tsx';

declare module '../../i18n/index.ts' {
  interface Texts {
    settings: typeof texts;
  }
}

export const settings: Feature = {
  texts: { settings: texts },
  nav: { to: routes.settings, label: 'settings.nav', Icon: IconSettings },
  help: [{ texts: 'settings.help', at: routes.settings }],
  views: [view(routes.settings, async () => (await import('./settings.tsx')).Settings)],
  useFindable: useFindableSettings,
};
