import { IconPlugConnected } from '@tabler/icons-react';
import { type Feature, view } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';
import texts from './en.json' with { type: 'json' };
import { PairingPrompt } from './keys/pairing-prompt.tsx';
import { GatewayWarning } from './warning.tsx';

declare module '../../i18n/index.ts' {
  interface Texts {
    gateway: typeof texts;
  }
}

/** The node endpoint for other programs. */
export const gateway: Feature = {
  texts: { gateway: texts },
  nav: { group: 'connect', to: routes.gateway, label: 'gateway.nav', Icon: IconPlugConnected },
  help: [{ texts: 'gateway.viewHelp', at: routes.gateway }],
  views: [view('/gateway/:view?', async () => (await import('./gateway.tsx')).Gateway)],
  Banner: GatewayWarning,
  Background: PairingPrompt,
};
