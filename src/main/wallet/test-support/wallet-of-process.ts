import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromHex, toHex } from '../../../chain/index.ts';
import type { SecretName } from '../../ports/secrets.ts';
import type { Wallet } from '../wallet.ts';
import { type Harness, makeHarness } from './test-wallet.ts';

/** Ends this process as a crash would, when it is called for the last of so many times; never for 0. */
export function killAfter(points: number): () => void {
  let left = points;
  return () => {
    left -= 1;
    if (left === 0) process.kill(process.pid, 'SIGKILL');
  };
}

/** Opens the wallet in a folder with the keys of the process that had it before. */
export async function openInFolder(folder: string): Promise<{ harness: Harness; wallet: Wallet }> {
  const harness = await makeHarness(undefined, folder);
  const secrets = join(folder, 'secrets.json');
  if (existsSync(secrets))
    for (const [name, hex] of JSON.parse(readFileSync(secrets, 'utf8')) as [SecretName, string][])
      harness.secrets.kept.set(name, fromHex(hex));
  const wallet = await harness.open();
  writeFileSync(secrets, JSON.stringify([...harness.secrets.kept].map(([name, bytes]) => [name, toHex(bytes)])));
  return { harness, wallet };
}
