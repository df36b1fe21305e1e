import { IconArrowsExchange } from '@tabler/icons-react';
import { type Feature, view } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';
import { useTransactionCommands } from './commands.tsx';
import texts from './en.json' with { type: 'json' };
import { ReorganisationToast } from './reorganisations/reorganisation-toast.tsx';

declare module '../../i18n/index.ts' {
  interface Texts {
    submitted: typeof texts;
  }
}

/** What Planchet submitted to miners, for whatever service, and what became of it. */
export const transactions: Feature = {
  texts: { submitted: texts },
  nav: { group: 'money', to: routes.submitted, label: 'submitted.nav', Icon: IconArrowsExchange },
  help: [{ texts: 'submitted.help', at: routes.submitted }],
  views: [
    view(routes.submitted, async () => (await import('./history/history-page.tsx')).HistoryPage),
    view(routes.submit, async () => (await import('./submit/submit-page.tsx')).SubmitPage),
    view('/transactions/:txid', async () => (await import('./page/submitted-page.tsx')).SubmittedPage, {
      keyedBy: 'txid',
    }),
  ],
  useCommands: useTransactionCommands,
  Background: ReorganisationToast,
};
