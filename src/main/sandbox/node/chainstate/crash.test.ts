import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../clock.ts';
import { SandboxNode } from '../node.ts';
import { faucetKey, lockingScriptOf, openNodeStore, verifyHere, walletKey } from '../test-support/open-node.ts';
import { rebuildUtxoSet, storedUtxoSet } from '../test-support/rebuild.ts';

const KILLS = process.env.PLANCHET_LONG ? 50 : 5;
const script = fileURLToPath(new URL('../test-support/mine-until-killed.ts', import.meta.url));

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-crash-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the miner, kills it some milliseconds after its first promise, and returns what it had promised. */
async function killedAfter(ms: number): Promise<string[]> {
  const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (output === '') setTimeout(() => child.kill('SIGKILL'), ms);
    output += text;
  });
  await ended;
  expect(child.signalCode).toBe('SIGKILL');
  // the last line may be cut
  return output.split('\n').slice(0, -1);
}

describe('a node that is killed', () => {
  it(
    `has every acknowledged transaction and a consistent UTXO set, ${KILLS} times in a row`,
    async () => {
      const promised: string[] = [];
      let height = 120;
      for (let kill = 0; kill < KILLS; kill++) {
        promised.push(...(await killedAfter(17 + ((kill * 53) % 200))));
        const store = await openNodeStore(folder);
        const node = await SandboxNode.open({
          store,
          clock: systemClock,
          logger: pino({ level: 'silent' }),
          verify: verifyHere,
          genesis: { wallet: lockingScriptOf(walletKey), faucet: faucetKey },
        });
        expect(node.tip().height).toBeGreaterThanOrEqual(height);
        height = node.tip().height;
        for (const txid of promised) expect(await node.transaction(txid), txid).toBeDefined();
        expect(await storedUtxoSet(store.db)).toEqual(await rebuildUtxoSet(store.db));
        const waiting = node.mempoolTxids();
        const [hash = ''] = await node.mine(1);
        expect((await node.transaction(waiting[0] ?? ''))?.blockHash ?? hash).toBe(hash);
        expect(node.mempoolTxids()).toEqual([]);
        expect(await storedUtxoSet(store.db)).toEqual(await rebuildUtxoSet(store.db));
        await node.close();
        await store.close();
      }
      expect(promised.length).toBeGreaterThan(KILLS);
      expect(height).toBeGreaterThan(120);
    },
    KILLS * 12_000,
  );
});
