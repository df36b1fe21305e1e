import { type Feature, view } from '../../lib/feature.ts';
import { useNetworkCommands } from './commands.tsx';

/** Each network with its own addresses and keys, what it still needs, its test, and the switch to it. */
export const networks: Feature = {
  // Loaded with the page: see texts.ts.
  texts: {},
  views: [
    view('/networks/:network', async () => (await import('./network-page.tsx')).NetworkPage, { keyedBy: 'network' }),
  ],
  useCommands: useNetworkCommands,
};
