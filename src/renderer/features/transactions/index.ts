import { IconArrowsExchange } from '@tabler/icons-react';
import { type Feature, view } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';
import { useTransactionCommands } from './commands.tsx';
import texts from './en.json' with { type: 'json' };
import pageTexts from './page/en.json' with { type: 'json' };
import { ReorganisationToast } from './reorganisations/reorganisation-toast.tsx';

declare module '../../i18n/index.ts' {
  interface Texts {
    submitted: typeof texts;
    transactions: typeof pageTexts;
  }
}

const transactionPage = async () => (await import('./page/transaction-page.tsx')).TransactionPage;

/** What Planchet submitted to miners, for whatever service, and what became of it; and the page of any transaction. */
export const transactions: Feature = {
  texts: { submitted: texts, transactions: pageTexts },
  nav: { group: 'money', to: routes.submitted, label: 'submitted.nav', Icon: IconArrowsExchange },
  help: [{ texts: 'submitted.help', at: routes.submitted }],
  views: [
    view(routes.submitted, async () => (await import('./history/history-page.tsx')).HistoryPage),
    view(routes.submit, async () => (await import('./submit/submit-page.tsx')).SubmitPage),
    // One page at two addresses: its breadcrumb leads back to the explorer or to the history.
    view('/tx/:txid', transactionPage, { keyedBy: 'txid', props: { home: 'explorer' } }),
    view('/transactions/:txid', transactionPage, { keyedBy: 'txid', props: { home: 'submitted' } }),
  ],
  useCommands: useTransactionCommands,
  Background: ReorganisationToast,
};
