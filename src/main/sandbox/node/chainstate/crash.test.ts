import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { satoshis } from '../../../../chain/index.ts';
import { systemClock } from '../../../clock.ts';
import { SandboxNode } from '../node.ts';
import {
  faucetKey,
  lockingScriptOf,
  openNodeStore,
  otherKey,
  verifyHere,
  walletKey,
} from '../test-support/open-node.ts';
import { rebuildUtxoSet, storedUtxoSet } from '../test-support/rebuild.ts';

const KILLS = process.env.PLANCHET_LONG ? 50 : 2;
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

async function openNode(where: string) {
  const store = await openNodeStore(where);
  const node = await SandboxNode.open({
    store,
    clock: systemClock,
    logger: pino({ level: 'silent' }),
    verify: verifyHere,
    genesis: { wallet: lockingScriptOf(walletKey), faucet: faucetKey },
  });
  const close = async (): Promise<void> => {
    await node.close();
    await store.close();
  };
  return { node, store, close };
}

describe('a node that is killed', () => {
  it(
    `has every acknowledged transaction and a consistent UTXO set, ${KILLS} times in a row`,
    async () => {
      const promised: string[] = [];
      let height = 120;
      for (let kill = 0; kill < KILLS; kill++) {
        promised.push(...(await killedAfter(17 + ((kill * 53) % 200))));
        const { node, store, close } = await openNode(folder);
        expect(node.tip().height).toBeGreaterThanOrEqual(height);
        height = node.tip().height;
        for (const txid of promised) expect(await node.transaction(txid), txid).toBeDefined();
        expect(await storedUtxoSet(store.db)).toEqual(await rebuildUtxoSet(store.db));
        const waiting = node.mempool.txids();
        const [hash = ''] = await node.mine(1);
        expect((await node.transaction(waiting[0] ?? ''))?.blockHash ?? hash).toBe(hash);
        expect(node.mempool.txids()).toEqual([]);
        expect(await storedUtxoSet(store.db)).toEqual(await rebuildUtxoSet(store.db));
        await close();
      }
      expect(promised.length).toBeGreaterThanOrEqual(KILLS);
      expect(height).toBeGreaterThan(120);
    },
    180_000 + KILLS * 12_000,
  );
});

describe('a node whose power was cut', () => {
  it('comes up at an earlier block, with a consistent UTXO set, wherever its log ends', async () => {
    const running = await openNode(folder);
    const file = running.store.sqlite.name;
    running.store.sqlite.pragma('wal_checkpoint(TRUNCATE)');
    for (let round = 0; round < 8; round++) {
      await running.node.fund(lockingScriptOf(otherKey), satoshis(1_000 + round));
      if (round % 2 === 0) await running.node.mine(2);
      if (round % 3 === 1) await running.node.reorg(1);
    }
    const { height } = running.node.tip();
    const log = readFileSync(`${file}-wal`);
    const heights: number[] = [];
    for (let part = 0; part <= 6; part++) {
      // what the disk holds of the log; it rarely ends with a commit
      const cut = join(folder, `cut-${part}`);
      mkdirSync(cut);
      copyFileSync(file, join(cut, 'node.db'));
      writeFileSync(join(cut, 'node.db-wal'), log.subarray(0, Math.floor((log.length * part) / 6)));
      const { node, store, close } = await openNode(cut);
      heights.push(node.tip().height);
      expect(await storedUtxoSet(store.db)).toEqual(await rebuildUtxoSet(store.db));
      await node.mine(1);
      expect(node.mempool.txids()).toEqual([]);
      expect(await storedUtxoSet(store.db)).toEqual(await rebuildUtxoSet(store.db));
      await close();
    }
    expect(heights).toEqual(heights.toSorted((a, b) => a - b));
    expect(heights[0]).toBeLessThan(height);
    expect(heights.at(-1)).toBe(height);
    await running.close();
  });
});
