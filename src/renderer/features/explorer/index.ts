import { IconCubeSpark } from '@tabler/icons-react';
import { type Feature, view } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../i18n/index.ts' {
  interface Texts {
    explorer: typeof texts;
  }
}

/** Blocks, the mempool, addresses and outputs, as the chain has them. */
export const explorer: Feature = {
  texts: { explorer: texts },
  nav: { group: 'connect', to: routes.explorer, label: 'explorer.nav', Icon: IconCubeSpark, alsoAt: '/tx' },
  help: [routes.explorer, '/tx'].map((at) => ({ texts: 'explorer.help', at })),
  views: [
    view(routes.explorer, async () => (await import('./explorer.tsx')).Explorer),
    view(routes.mempool, async () => (await import('./mempool-page.tsx')).MempoolPage),
    view('/explorer/block/:hash', async () => (await import('./blocks/block-page.tsx')).BlockPage, { keyedBy: 'hash' }),
    view('/explorer/address/:address', async () => (await import('./address/address-page.tsx')).AddressPage, {
      keyedBy: 'address',
    }),
    view('/explorer/outpoint/:outpoint', async () => (await import('./outpoint-page.tsx')).OutpointPage, {
      keyedBy: 'outpoint',
    }),
  ],
};
