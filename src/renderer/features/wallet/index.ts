import { IconWallet } from '@tabler/icons-react';
import { type Feature, view } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';
import { useWalletCommands } from './commands.tsx';
import texts from './en.json' with { type: 'json' };

declare module '../../i18n/index.ts' {
  interface Texts {
    wallet: typeof texts;
  }
}

/** Balance, history, coins, payments and the keys behind them. */
export const wallet: Feature = {
  texts: { wallet: texts },
  nav: { group: 'money', to: routes.wallet, label: 'wallet.nav', Icon: IconWallet },
  help: [{ texts: 'wallet.help', at: routes.wallet }],
  views: [
    view(routes.walletSend, async () => (await import('./send/send-page.tsx')).SendPage),
    view('/wallet/payments/:id', async () => (await import('./send/payment-page.tsx')).PaymentPage, { keyedBy: 'id' }),
    view('/wallet/:part?', async () => (await import('./wallet.tsx')).WalletPage),
  ],
  useCommands: useWalletCommands,
};
