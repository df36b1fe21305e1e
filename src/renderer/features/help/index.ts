import { IconHelp } from '@tabler/icons-react';
import { type Feature, view } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';
import texts from './en.json' with { type: 'json' };
import { useFindableHelp } from './findable.tsx';
import { HelpKey } from './help-key.tsx';

declare module '../../i18n/index.ts' {
  interface Texts {
    help: typeof texts;
  }
}

/** The help of each view, and troubleshooting: checks, log and report. */
export const help: Feature = {
  texts: { help: texts },
  nav: { to: routes.help, label: 'help.nav', Icon: IconHelp },
  help: [
    ...[routes.help, '/errors'].map((at) => ({ texts: 'help.help', at })),
    { texts: 'help.networks', at: '/networks' },
  ],
  views: [
    view(routes.help, async () => (await import('./help-page.tsx')).HelpPage),
    view(routes.helpPart('checks'), async () => (await import('./checks-page.tsx')).ChecksPage),
    view(routes.helpPart('log'), async () => (await import('./log/log-page.tsx')).LogPage),
    view(routes.helpPart('notices'), async () => (await import('./notices-page.tsx')).NoticesPage),
    view(routes.helpPart('report'), async () => (await import('./report-page.tsx')).ReportPage),
  ],
  useFindable: useFindableHelp,
  Background: HelpKey,
};
