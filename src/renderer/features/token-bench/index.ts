import { IconCoins } from '@tabler/icons-react';
import { type Feature, view } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';
import { useTokenCommands } from './commands.tsx';
import texts from './en.json' with { type: 'json' };

declare module '../../i18n/index.ts' {
  interface Texts {
    tokenBench: typeof texts;
  }
}

/** Fungible tokens: contracts, holdings and their transactions. */
export const tokenBench: Feature = {
  texts: { tokenBench: texts },
  nav: { group: 'create', to: routes.tokenBench, label: 'tokenBench.nav', Icon: IconCoins },
  help: [{ texts: 'tokenBench.help', at: routes.tokenBench }],
  views: [
    view(routes.tokenBench, async () => (await import('./token-bench.tsx')).TokenBench),
    view(routes.tokenDesign, async () => (await import('./design-page.tsx')).TokenDesignPage),
    view('/token-bench/jobs/:id', async () => (await import('./jobs/job-page.tsx')).TokenJobPage, { keyedBy: 'id' }),
    view('/token-bench/history/:outpoint', async () => (await import('./history/history-page.tsx')).TokenHistoryPage, {
      keyedBy: 'outpoint',
    }),
  ],
  useCommands: useTokenCommands,
};
