import { registerHooks } from 'node:module';
import { type Beef, Transaction } from '@bsv/sdk';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { toHex, txidOf } from '../../../chain/index.ts';
import { coinOf, spend } from '../test-support/merchant.ts';
import { TestSandbox, walletAddress } from '../test-support/open-sandbox.ts';

/** The parts that are tried of the client, whose own types name files in a way that is not read here. */
interface OneSat {
  readonly chaintracks: {
    currentHeight(): Promise<number>;
    isValidRootForHeight(root: string, height: number): Promise<boolean>;
    getHeaders(height: number, count: number): Promise<string>;
  };
  readonly txo: {
    getSpend(outpoint: string): Promise<string | null>;
    getSpends(outpoints: readonly string[]): Promise<(string | null)[]>;
  };
  readonly owner: { sync(owners: readonly string[]): AsyncIterable<{ outpoint: string; spendTxid?: string }> };
  readonly arcade: {
    submitTransactionHex(hex: string): Promise<{ txid: string; txStatus: string }>;
    getPolicy(): Promise<{ policy: { miningFee: object } }>;
  };
  getRawTx(txid: string): Promise<{ rawTx?: number[]; error?: Error }>;
  getMerklePath(txid: string): Promise<{ merklePath?: { blockHeight: number; computeRoot(txid: string): string } }>;
  getBeefForTxid(txid: string): Promise<Beef>;
  getStatusForTxids(txids: readonly string[]): Promise<{ results: { status: string; depth?: number }[] }>;
  close(): void;
}

/** Its modules name each other without endings, which Node does not read by itself. */
const endings = registerHooks({
  resolve(name, context, next) {
    if (!name.startsWith('.') || !context.parentURL?.includes('/node_modules/@1sat/')) return next(name, context);
    for (const ending of ['.js', '/index.js']) {
      try {
        return next(name + ending, context);
      } catch {
        // the other one
      }
    }
    return next(name, context);
  },
});

let sandbox: TestSandbox;
let services: OneSat;
/** Mined, and two that wait, one spending from the other. */
let chain: [mined: Uint8Array, waiting: Uint8Array, next: Uint8Array];

beforeAll(async () => {
  sandbox = await TestSandbox.open();
  const { node } = sandbox.service;
  const mined = spend(await sandbox.coin());
  await node.submit(mined);
  await sandbox.service.mine({ blocks: 1 });
  const waiting = spend(coinOf(mined));
  const next = spend(coinOf(waiting));
  for (const raw of [waiting, next]) expect(await node.submit(raw)).toMatchObject({ ok: true });
  chain = [mined, waiting, next];
  const { OneSatServices } = await import('@1sat/client' as string);
  services = new OneSatServices('test', sandbox.root);
});
beforeEach(() => {
  // it tells of each call
  for (const way of ['log', 'error'] as const) vi.spyOn(console, way).mockImplementation(() => undefined);
});
afterEach(() => void vi.restoreAllMocks());
afterAll(async () => {
  endings.deregister();
  await sandbox.remove();
});

describe('@1sat/client', () => {
  it('tracks the chain', async () => {
    const { height } = sandbox.service.node.tip();
    expect(await services.chaintracks.currentHeight()).toBe(height);
    const { merkleRoot } = (await sandbox.send('GET', `/arcade/chaintracks/v2/header/height/${height}`)).body;
    expect(await services.chaintracks.isValidRootForHeight(merkleRoot, height)).toBe(true);
    expect(await services.chaintracks.isValidRootForHeight(merkleRoot, height - 1)).toBe(false);
    expect(await services.chaintracks.getHeaders(height - 1, 2)).toHaveLength(320);
  });

  it('reads transactions, paths and BEEF, of what waits down to what is mined', async () => {
    const [mined, waiting, next] = chain;
    const { rawTx } = await services.getRawTx(txidOf(mined));
    expect(toHex(Uint8Array.from(rawTx ?? []))).toBe(toHex(mined));
    expect((await services.getRawTx('ab'.repeat(32))).error).toBeDefined();
    const { merklePath } = await services.getMerklePath(txidOf(mined));
    const { height } = sandbox.service.node.tip();
    expect(merklePath?.blockHeight).toBe(height);
    const beef = await services.getBeefForTxid(txidOf(next));
    expect(beef.txs.map(({ txid }) => txid)).toEqual([mined, waiting, next].map(txidOf));
    const tracker = {
      isValidRootForHeight: async (root: string, at: number) => services.chaintracks.isValidRootForHeight(root, at),
      currentHeight: async () => height,
    };
    expect(await beef.verify(tracker)).toBe(true);
    const { results } = await services.getStatusForTxids([txidOf(mined), txidOf(next), 'ab'.repeat(32)]);
    expect(results.map(({ status }) => status)).toEqual(['mined', 'known', 'unknown']);
  });

  it('sees what spends outputs, and what an owner has', async () => {
    const [mined, waiting, next] = chain.map(txidOf) as [string, string, string];
    expect(await services.txo.getSpend(`${mined}_0`)).toBe(waiting);
    expect(await services.txo.getSpends([`${waiting}_0`, `${next}.0`])).toEqual([next, null]);
    const rows: { outpoint: string; spendTxid?: string }[] = [];
    for await (const row of services.owner.sync([walletAddress])) rows.push(row);
    expect(rows).toContainEqual(expect.objectContaining({ outpoint: `${mined}.0`, spendTxid: waiting }));
  });

  it('sends over Arcade', async () => {
    const raw = spend(await sandbox.coin());
    const tx = Transaction.fromHex(toHex(raw));
    expect(await services.arcade.submitTransactionHex(tx.toHex())).toMatchObject({ txid: txidOf(raw) });
    expect((await services.getStatusForTxids([txidOf(raw)])).results[0]?.status).toBe('known');
    expect((await services.arcade.getPolicy()).policy.miningFee).toBeDefined();
  });
});
