import { IconPlugConnected } from '@tabler/icons-react';
import { lazy } from 'react';
import { type Feature, view } from '../../lib/feature.ts';
import { routes } from '../../lib/routes.ts';
import texts from './en.json' with { type: 'json' };
import { GatewayWarning } from './warning.tsx';

declare module '../../i18n/index.ts' {
  interface Texts {
    gateway: typeof texts;
  }
}

/** Loaded on demand: web pages rarely ask for access. */
const PairingPrompt = lazy(async () => ({ default: (await import('./keys/pairing-prompt.tsx')).PairingPrompt }));

/** The node endpoint for other programs. */
export const gateway: Feature = {
  texts: { gateway: texts },
  nav: { group: 'connect', to: routes.gateway, label: 'gateway.nav', Icon: IconPlugConnected },
  help: [{ texts: 'gateway.viewHelp', at: routes.gateway }],
  views: [view('/gateway/:view?', async () => (await import('./gateway.tsx')).Gateway, { isHeavy: true })],
  Banner: GatewayWarning,
  Background: PairingPrompt,
};
