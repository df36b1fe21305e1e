import { IconLayoutDashboard } from '@tabler/icons-react';
import { type Feature, view } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';
import { useDashboardCommands } from './commands.tsx';
import texts from './en.json' with { type: 'json' };

declare module '../../i18n/index.ts' {
  interface Texts {
    dashboard: typeof texts;
  }
}

/** Overview of the application. */
export const dashboard: Feature = {
  texts: { dashboard: texts },
  nav: { to: routes.dashboard, label: 'dashboard.nav', Icon: IconLayoutDashboard },
  help: [{ texts: 'dashboard.help', at: routes.dashboard }],
  views: [view(routes.dashboard, async () => (await import('./dashboard.tsx')).Dashboard)],
  useCommands: useDashboardCommands,
};
