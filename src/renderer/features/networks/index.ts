import { type Feature, view } from '../../lib/feature.ts';
import { useNetworkCommands } from './commands.tsx';
import texts from './en.json' with { type: 'json' };

declare module '../../i18n/index.ts' {
  interface Texts {
    networks: typeof texts;
  }
}

/** Each network with its own addresses and keys, what it lacks, its test, and the change to it. */
export const networks: Feature = {
  texts: { networks: texts },
  views: [
    view('/networks/:network', async () => (await import('./network-page.tsx')).NetworkPage, { keyedBy: 'network' }),
  ],
  useCommands: useNetworkCommands,
};
