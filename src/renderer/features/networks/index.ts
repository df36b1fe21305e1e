import { type Feature, view } from '../../lib/feature.ts';
import { useNetworkCommands } from './commands.tsx';

/** Each network with its own addresses and keys, what it lacks, its test, and the change to it. */
export const networks: Feature = {
  // They come with the page: see texts.ts.
  texts: {},
  views: [
    view('/networks/:network', async () => (await import('./network-page.tsx')).NetworkPage, { keyedBy: 'network' }),
  ],
  useCommands: useNetworkCommands,
};
