import { afterEach, beforeEach, expect, it } from 'vitest';
import { formatOutpoint, fromHex, parseBlock, satoshis, serializeBlock, toHex } from '../../../../chain/index.ts';
import type { NodeRpc } from '../../../ports/node.ts';
import { TestHarness } from '../../test-support/harness.ts';
import { PATIENCE_MS, WriterProcesses } from '../../test-support/writer-client.ts';

let before: WriterProcesses;
let writers: WriterProcesses;
let harness: TestHarness;
/** A writer made the coins, a block holds them, and its journal is lost. */
beforeEach(async () => {
  before = await WriterProcesses.open();
  writers = await WriterProcesses.open();
  harness = new TestHarness(1_000_000);
  const first = await before.start(harness);
  expect((await first.write('0')).status).toBe(201);
  harness.mine();
  await first.service.stop();
});
afterEach(async () => {
  await writers.close();
  await before.close();
});

const lying = (lie: (method: string, answer: unknown) => unknown): NodeRpc => ({
  call: async <T>(method: string, params: readonly unknown[] = []): Promise<T> =>
    lie(method, await harness.node.call(method, params)) as T,
});
const found = () => writers.db.selectFrom('writer_coins').select(['txid', 'vout', 'satoshis']).execute();
const scanned = async () =>
  (await writers.db.selectFrom('writer_scans').select('next_height').execute())[0]?.next_height;

it('the search for coins takes the values of the coins it finds from the block, whatever the node says of them', async () => {
  const node = lying((method, answer) =>
    method === 'gettxout' && answer !== null ? { ...(answer as object), value: 21 } : answer,
  );
  await writers.start(harness, { options: { node, poolBirth: () => 0 } });
  await expect.poll(async () => (await found()).length, { timeout: PATIENCE_MS }).toBe(harness.poolCoins.length);
  const coins = await found();
  expect(coins.map(formatOutpoint).sort()).toEqual(harness.poolCoins);
  for (const coin of coins) expect(coin.satoshis).toBe(harness.coins.get(formatOutpoint(coin))?.satoshis);
});

it('the search for coins takes nothing from a block whose transactions are not those of its header', async () => {
  let lies = 0;
  const node = lying((method, answer) => {
    if (method === 'gettxout') return { value: 1, confirmations: 1, scriptPubKey: { hex: '51' } };
    const block = method === 'getblock' && typeof answer === 'string' ? parseBlock(fromHex(answer)) : undefined;
    if (block === undefined || block.transactions.length === 1) return answer;
    lies += 1;
    const transactions = block.transactions.map((tx) => ({
      ...tx,
      outputs: tx.outputs.map((output) => ({ ...output, satoshis: satoshis(5_000_000) })),
    }));
    return toHex(serializeBlock({ ...block, transactions }));
  });
  await writers.start(harness, { options: { node, poolBirth: () => 0 } });
  // it asks for the block again after a while
  await expect.poll(() => lies, { timeout: PATIENCE_MS }).toBeGreaterThan(1);
  expect(await found()).toEqual([]);
  expect(await scanned()).toBe(0);
});

it('the search for coins takes nothing from a block that the verified headers do not have', async () => {
  harness.headers.at = (height) =>
    harness.blocks[height] && { hash: 'ab'.repeat(32), height, header: new Uint8Array(80) };
  let asked = 0;
  const node = lying((method, answer) => {
    if (method === 'getblock') asked += 1;
    return answer;
  });
  await writers.start(harness, { options: { node, poolBirth: () => 0 } });
  await expect.poll(() => asked, { timeout: PATIENCE_MS }).toBeGreaterThan(1);
  expect(await found()).toEqual([]);
  expect(await scanned()).toBe(0);
});
