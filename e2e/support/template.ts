import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildIfStale } from '../../scripts/build.ts';
import { root } from '../../scripts/paths.ts';
import { walletFollows } from '../../src/main/test-support/hosts/wallet-follows.ts';
import { PROGRAM, startHost, TEMPLATE } from './host.ts';

/** Builds the page and the program unless they are up to date, and makes the data folder that the hosts of a run copy: a first start would take two thirds of a second of a processor more. */
export default async function setup(): Promise<() => void> {
  buildIfStale();
  process.env[PROGRAM] = join(root, 'out', 'main', 'cli.js');
  const dataDir = mkdtempSync(join(tmpdir(), 'planchet-e2e-template-'));
  const host = await startHost({ dataDir });
  await walletFollows(host.client());
  await host.stop();
  rmSync(join(dataDir, 'logs'), { recursive: true, force: true });
  process.env[TEMPLATE] = dataDir;
  return () => rmSync(dataDir, { recursive: true, force: true });
}
