import { IconPhotoHexagon } from '@tabler/icons-react';
import { type Feature, view } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';
import texts from './en.json' with { type: 'json' };

declare module '../../i18n/index.ts' {
  interface Texts {
    tokens: typeof texts;
  }
}

/** Every minted token of all projects, and what was received. */
export const tokens: Feature = {
  texts: { tokens: texts },
  nav: { group: 'create', to: routes.tokens, label: 'tokens.nav', Icon: IconPhotoHexagon },
  help: [{ texts: 'tokens.help', at: routes.tokens }],
  views: [
    view(routes.tokensSend, async () => (await import('./send-many/send-many-page.tsx')).SendManyPage),
    view('/tokens/:outpoint/send/:id', async () => (await import('./send/sending-page.tsx')).SendingTokenPage, {
      keyedBy: 'id',
    }),
    view('/tokens/:outpoint/send', async () => (await import('./send/send-page.tsx')).SendTokenPage, {
      keyedBy: 'outpoint',
    }),
    view('/tokens/:outpoint?', async () => (await import('./tokens.tsx')).Tokens),
  ],
};
