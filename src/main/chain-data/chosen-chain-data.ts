import type { ChainData } from '../ports/chain-data.ts';

/**
 * Asks whoever is chosen when a question comes: a setting may change it while the program runs.
 * @param onTransaction of the only one that tells of transactions by itself
 */
export function chosenChainData(chosen: () => ChainData, onTransaction: ChainData['onTransaction']): ChainData {
  return new Proxy({ onTransaction } as ChainData, {
    get(own, name): unknown {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name);
      const chain = chosen();
      const part: unknown = Reflect.get(chain, name);
      return typeof part === 'function' ? part.bind(chain) : part;
    },
  });
}
