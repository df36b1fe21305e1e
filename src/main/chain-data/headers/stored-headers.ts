import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Network } from '../../../contract/index.ts';
import type { HeaderChain } from '../../ports/headers.ts';
import { type ChainRules, rulesOf } from './chain-rules.ts';
import { HeaderFile } from './header-file.ts';

/** @param dataDir of the network */
export function headersPath(dataDir: string, chain: string): string {
  return join(dataDir, `headers-${chain}.dat`);
}

/** Of the chains that the test network may be, the one whose headers were written last. @param dataDir of the network */
export function lastStored(dataDir: string): ChainRules | undefined {
  const stored = ['test', 'stn', 'regtest'].flatMap((chain) => {
    const rules = rulesOf('test', chain) as ChainRules;
    const info = statSync(headersPath(dataDir, rules.name), { throwIfNoEntry: false });
    return info === undefined ? [] : [{ rules, writtenAt: info.mtimeMs }];
  });
  return stored.sort((a, b) => b.writtenAt - a.writtenAt)[0]?.rules;
}

/**
 * Uses the stored headers of a network alone, so neither the application nor a node is needed.
 * @param dataDir of the application
 * @param use called with each stored chain: a test network may have been one of several
 * @returns what `use` returned for each
 */
export async function withStoredHeaders<T>(
  dataDir: string,
  network: Network,
  use: (headers: HeaderChain) => T | Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  for (const chain of ['main', 'test', 'stn', 'regtest']) {
    const rules = rulesOf(network, chain);
    const path = headersPath(join(dataDir, network), chain);
    if (rules?.name !== chain || !existsSync(path)) continue;
    const file = await HeaderFile.open(path, rules.genesis, { readOnly: true });
    try {
      results.push(await use(chainOf(file)));
    } finally {
      file.close();
    }
  }
  return results;
}

/** The blocks among these that this installation knows as part of the chain that it follows. @param hashes display hex */
export async function knownBlocks(dataDir: string, network: Network, hashes: readonly string[]): Promise<Set<string>> {
  const known = await withStoredHeaders(dataDir, network, (headers) => hashes.filter((hash) => headers.isActive(hash)));
  return new Set(known.flat());
}

function chainOf(file: HeaderFile): HeaderChain {
  return {
    header: (hash) => file.find(hash),
    at: (height) => file.entry(height),
    tip: file.tip ?? null,
    isAgreed: true,
    isActive: (hash) => file.find(hash) !== undefined,
    refresh: async () => undefined,
    onChange: () => () => undefined,
  };
}
