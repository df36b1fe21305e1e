import { IconCoins } from '@tabler/icons-react';
import { type Feature, view } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';
import { useTokenCommands } from './commands.tsx';
import texts from './en.json' with { type: 'json' };

declare module '../../i18n/index.ts' {
  interface Texts {
    redeemableTokens: typeof texts;
  }
}

/** Fungible tokens: contracts, holdings and their transactions. */
export const redeemableTokens: Feature = {
  texts: { redeemableTokens: texts },
  nav: { group: 'create', to: routes.redeemableTokens, label: 'redeemableTokens.nav', Icon: IconCoins },
  help: [{ texts: 'redeemableTokens.help', at: routes.redeemableTokens }],
  views: [
    view(routes.redeemableTokens, async () => (await import('./redeemable-tokens.tsx')).RedeemableTokens),
    view(routes.tokenDesign, async () => (await import('./design-page.tsx')).TokenDesignPage),
    view('/redeemable-tokens/jobs/:id', async () => (await import('./jobs/job-page.tsx')).TokenJobPage, {
      keyedBy: 'id',
    }),
    view(
      '/redeemable-tokens/history/:outpoint',
      async () => (await import('./history/history-page.tsx')).TokenHistoryPage,
      { keyedBy: 'outpoint' },
    ),
  ],
  useCommands: useTokenCommands,
};
