import { ARC, Beef, MerklePath, Transaction } from '@bsv/sdk';
import { ARC as WalletArc } from '@bsv/wallet-toolbox-client/out/src/services/providers/ARC.js';
import { ArcSSEClient } from '@bsv/wallet-toolbox-client/out/src/services/providers/ArcSSEClient.js';
import { EventSource } from 'undici';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseTx, toHex, txidOf } from '../../../chain/index.ts';
import { spend } from '../test-support/merchant.ts';
import { TestSandbox } from '../test-support/open-sandbox.ts';

let sandbox: TestSandbox;
let url: string;
let apiKey: string;
beforeEach(async () => {
  sandbox = await TestSandbox.open();
  url = `${sandbox.root}/arc`;
  apiKey = sandbox.service.apiKey();
});
afterEach(() => sandbox.remove());

const sdkTx = (raw: Uint8Array) => Transaction.fromHex(toHex(raw));

/** A transaction of the SDK that knows the one it spends from. */
async function withParent(raw: Uint8Array): Promise<Transaction> {
  const tx = sdkTx(raw);
  const parent = await sandbox.service.node.transaction(parseTx(raw).inputs[0]?.txid ?? '');
  if (parent && tx.inputs[0]) tx.inputs[0].sourceTransaction = sdkTx(parent.raw);
  return tx;
}

describe("the SDK's ARC broadcaster", () => {
  it('broadcasts in the extended format and raw', async () => {
    const arc = new ARC(url, apiKey);
    const raw = spend(await sandbox.coin());
    const accepted = { status: 'success', txid: txidOf(raw), message: 'SEEN_ON_NETWORK ' };
    expect(await arc.broadcast(sdkTx(raw))).toEqual(accepted);
    expect(await arc.broadcast(await withParent(raw))).toEqual(accepted);
    const extended = await withParent(spend(await sandbox.coin()));
    expect(await extended.broadcast(arc)).toMatchObject({ status: 'success' });
  });

  it('reads the reason of a refusal', async () => {
    const arc = new ARC(url, { apiKey, headers: { 'X-WaitFor': 'SEEN_ON_NETWORK' } });
    const tooCheap = spend(await sandbox.coin(), 1);
    expect(await arc.broadcast(sdkTx(tooCheap))).toMatchObject({
      status: 'error',
      code: '465',
      txid: txidOf(tooCheap),
      description: 'Fees are too low',
      more: { extraInfo: 'mempool min fee not met' },
    });
    const coin = await sandbox.coin();
    await arc.broadcast(sdkTx(spend(coin)));
    expect(await arc.broadcast(sdkTx(spend(coin, 300)))).toMatchObject({
      status: 'error',
      code: 'DOUBLE_SPEND_ATTEMPTED',
      more: { competingTxs: [txidOf(spend(coin))] },
    });
    expect(await new ARC(url).broadcast(sdkTx(spend(coin)))).toMatchObject({ status: 'error', code: '401' });
  });

  it('broadcasts several, with a verdict for each', async () => {
    const raws = [spend(await sandbox.coin()), spend(await sandbox.coin(), 1)];
    expect(await new ARC(url, apiKey).broadcastMany(raws.map(sdkTx))).toMatchObject([
      { txid: txidOf(raws[0] as Uint8Array), txStatus: 'SEEN_ON_NETWORK' },
      { status: 465 },
    ]);
  });
});

/** A mined transaction, and two that spend from it one after the other and are not submitted. */
async function chain(): Promise<{ beef: Beef; txids: [string, string]; mined: Transaction }> {
  const coin = await sandbox.coin();
  await sandbox.service.mine({ blocks: 1 });
  const parent = spend(coin);
  const child = spend({ txid: txidOf(parent), vout: 0, satoshis: coin.satoshis - 200 });
  const mined = sdkTx((await sandbox.service.node.transaction(coin.txid))?.raw as Uint8Array);
  const found = await sandbox.service.node.proof(coin.txid);
  const { index = 0, nodes = [] } = found?.proof ?? {};
  const path = nodes.map((hash, level) => [{ offset: (index >>> level) ^ 1, hash }]);
  const leaves = [{ offset: index, hash: coin.txid, txid: true }, ...(path[0] ?? [])];
  path[0] = leaves.sort((a, b) => a.offset - b.offset);
  mined.merklePath = new MerklePath(found?.blockHeight ?? 0, path);
  const beef = new Beef();
  beef.mergeTransaction(mined);
  beef.mergeRawTx([...parent]);
  beef.mergeRawTx([...child]);
  return { beef, txids: [txidOf(parent), txidOf(child)], mined };
}

describe("a wallet's client of ARC", () => {
  it('posts a BEEF, and finds the state of every transaction in it', async () => {
    const { beef, txids } = await chain();
    const arc = new WalletArc(url, { apiKey });
    expect(await arc.postBeef(beef, [...txids])).toMatchObject({
      status: 'success',
      txidResults: [
        { txid: txids[1], status: 'success', data: 'SEEN_ON_NETWORK ' },
        { txid: txids[0], status: 'success', data: 'SEEN_ON_NETWORK' },
      ],
    });
    expect(sandbox.service.node.mempool.size).toBe(2);
    expect(await arc.getTxData(txids[0])).toMatchObject({ txid: txids[0], txStatus: 'SEEN_ON_NETWORK' });
  });

  it('posts raw transactions and reads refusals', async () => {
    const arc = new WalletArc(url, { apiKey });
    const coin = await sandbox.coin();
    expect(await arc.postRawTx(toHex(spend(coin)))).toMatchObject({ status: 'success', txid: txidOf(spend(coin)) });
    expect(await arc.postRawTx(toHex(spend(coin, 300)))).toMatchObject({
      status: 'error',
      doubleSpend: true,
      competingTxs: [txidOf(spend(coin))],
    });
    expect(await arc.postRawTx(toHex(spend(await sandbox.coin(), 1)))).toMatchObject({
      status: 'error',
      data: { status: '465', detail: 'Fees are too low' },
    });
  });
});

it("the wallet toolbox receives the statuses of its transactions from Arcade's event stream", async () => {
  const told: { txid: string; txStatus: string }[] = [];
  const ids: string[] = [];
  const stream = new ArcSSEClient({
    baseUrl: `${sandbox.root}/arcade`,
    callbackToken: 'token of the toolbox',
    EventSourceClass: EventSource,
    onEvent: (event) => void told.push(event),
    onLastEventIdChanged: (id) => void ids.push(id),
  });
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  stream.connect();
  const raw = spend(await sandbox.coin());
  const headers = { 'x-callbacktoken': 'token of the toolbox' };
  expect(await sandbox.send('POST', '/arcade/tx', { rawTx: toHex(raw) }, headers)).toMatchObject({ status: 202 });
  await sandbox.service.mine({ blocks: 1 });
  await expect.poll(() => told.at(-1)).toMatchObject({ txid: txidOf(raw), txStatus: 'MINED' });
  expect(ids).toHaveLength(told.length);
  expect(stream.lastEventId).toBe(ids.at(-1));
  stream.close();
  vi.restoreAllMocks();
});

describe('an invalid BEEF sent to ARC', () => {
  const answer = async (bytes: readonly number[]) => (await sandbox.arc('POST', '/tx', Uint8Array.from(bytes))).body;

  it('is refused with 468 if it cannot be read or its path contradicts itself', async () => {
    const { beef } = await chain();
    const bytes = beef.toBinary();
    expect(await answer(bytes.slice(0, -3))).toMatchObject({ status: 468 });
    expect(await answer([1, 0, 0xbe, 0xef])).toMatchObject({ status: 468 });
  });

  it('is refused with 469 if no block has its Merkle root', async () => {
    const { beef, mined } = await chain();
    (mined.merklePath as MerklePath).blockHeight--;
    for (const bump of beef.bumps) bump.blockHeight = (mined.merklePath as MerklePath).blockHeight;
    expect(await answer(beef.toBinary())).toMatchObject({ status: 469 });
  });

  it('is refused with 467 if an ancestor is missing', async () => {
    const { txids, beef } = await chain();
    const without = new Beef();
    without.mergeRawTx(beef.findTxid(txids[1])?.rawTx ?? []);
    expect(await answer(without.toBinary())).toMatchObject({ status: 467, txid: txids[1] });
  });

  it('is refused with 475 if a mined ancestor is not in its path', async () => {
    const { beef, txids } = await chain();
    const parent = beef.findTxid(txids[0]);
    if (parent) parent.bumpIndex = 0;
    expect(await answer(beef.toBinary())).toMatchObject({ status: 475, txid: txids[1] });
  });
});
