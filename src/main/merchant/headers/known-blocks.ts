import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { displayToHash } from '../../../chain/index.ts';
import type { Network } from '../../../contract/index.ts';
import { rulesOf } from './chain-rules.ts';
import { HeaderFile } from './header-file.ts';

/**
 * Which of these blocks this installation knows as part of the chain that it follows. Reads the stored headers alone, so neither the
 * application nor a network is needed.
 * @param dataDir of the application
 * @param hashes display hex
 */
export async function knownBlocks(dataDir: string, network: Network, hashes: readonly string[]): Promise<Set<string>> {
  const known = new Set<string>();
  for (const chain of ['main', 'test', 'stn', 'regtest']) {
    const rules = rulesOf(network, chain);
    const path = join(dataDir, network, `headers-${chain}.dat`);
    if (rules?.name !== chain || !existsSync(path)) continue;
    const file = await HeaderFile.open(path, rules.genesis, { readOnly: true });
    for (const hash of hashes) if (file.heightOf(displayToHash(hash)) !== undefined) known.add(hash);
    file.close();
  }
  return known;
}
