import { afterEach, describe, expect, it } from 'vitest';
import { satoshis, serializeTx, type Tx, txidOf, type Utxo } from '../../../../chain/index.ts';
import { lockingScriptOf, openTestNode, otherKey, type TestNode, walletKey } from '../test-support/open-node.ts';
import { accepted, coinOf, outputCoin, spend } from '../test-support/spend.ts';
import type { MempoolLimits, RemovedTransaction } from '../types.ts';

const other = lockingScriptOf(otherKey);
const COIN = 5_000_000_000;

let opened: TestNode;
let removed: [string, string][];
afterEach(() => opened.remove());

async function open(limits: Partial<MempoolLimits>): Promise<TestNode> {
  opened = await openTestNode({ limits });
  removed = [];
  opened.node.onRemoved(({ txid, reason }: RemovedTransaction) => removed.push([txid, reason]));
  return opened;
}

/** A chain of payments that begins with a coin of the wallet, each with the fee given. */
async function chain(coin: Utxo, length: number, fee = 1_000): Promise<Tx[]> {
  const txs: Tx[] = [spend([coin], walletKey, [{ satoshis: coin.satoshis - fee, script: other }])];
  while (txs.length < length) {
    const last = txs.at(-1) as Tx;
    const output = outputCoin(last, txidOf(serializeTx(last)), 0);
    txs.push(spend([output], otherKey, [{ satoshis: output.satoshis - fee, script: other }]));
  }
  return txs;
}

describe('chains of unconfirmed transactions', () => {
  it('may reach the length of the policy, and continue after a block', async () => {
    const { node } = await open({ maxAncestors: 4 });
    const txs = await chain(await coinOf(node, walletKey), 6);
    for (const tx of txs.slice(0, 4)) await accepted(node, tx);
    expect(await node.submit(serializeTx(txs[4] as Tx))).toMatchObject({ code: 64, reason: 'too-long-mempool-chain' });
    await node.mine(1);
    for (const tx of txs.slice(4)) await accepted(node, tx);
    expect([...node.mempool.entries()].map(({ ancestors }) => ancestors)).toEqual([0, 1]);
  });

  it('are counted the same in a batch, in any order, and after a restart', async () => {
    await open({ maxAncestors: 4 });
    const txs = await chain(await coinOf(opened.node, walletKey), 6);
    const results = await opened.node.submitBatch(txs.map(serializeTx).reverse());
    expect(results.reverse().map((result) => (result.ok ? 'taken' : result.reason))).toEqual([
      'taken',
      'taken',
      'taken',
      'taken',
      'too-long-mempool-chain',
      'missing-inputs',
    ]);
    const node = await opened.reopen();
    expect([...node.mempool.entries()].map(({ ancestors }) => ancestors)).toEqual([0, 1, 2, 3]);
  });
});

describe('transactions that do not pay the mining fee', () => {
  /** A payment of 191 to 193 bytes costs 96 satoshis at the mining price, 48 at the relay price. */
  const CHEAP = 60;
  const onto = (tx: Tx, fee: number): Tx => {
    const coin = outputCoin(tx, txidOf(serializeTx(tx)), 0);
    return spend([coin], otherKey, [{ satoshis: coin.satoshis - fee, script: other }]);
  };
  const tooLong = { ok: false, code: 64, reason: 'too-long-mempool-chain' };
  const unpaid = (node: TestNode['node']): number =>
    [...node.mempool.entries()].filter(({ txid }) => node.mempool.unpaid(txid) !== undefined).length;

  it('are limited to twenty-five in a group, whatever the next one pays', async () => {
    const { node } = await open({});
    const txs = await chain(await coinOf(node, walletKey), 25, CHEAP);
    for (const tx of txs) await accepted(node, tx);
    expect(unpaid(node)).toBe(25);
    expect(node.mempool.unpaidBytes).toBe(node.mempool.bytes);
    const last = txs.at(-1) as Tx;
    expect(await node.submit(serializeTx(onto(last, CHEAP)))).toMatchObject(tooLong);
    expect(await node.submit(serializeTx(onto(last, 100_000)))).toMatchObject(tooLong);
    await opened.reopen();
    expect(unpaid(opened.node)).toBe(25);
    expect(await opened.node.submit(serializeTx(onto(last, 100_000)))).toMatchObject(tooLong);
    await opened.node.mine(1);
    await accepted(opened.node, onto(last, CHEAP));
  });

  it('are released by a single child that pays for all of them', async () => {
    const { node } = await open({ maxUnpaidAncestors: 4 });
    const txs = await chain(await coinOf(node, walletKey), 3, CHEAP);
    for (const tx of txs) await accepted(node, tx);
    const short = onto(txs[2] as Tx, 4 * 96 - 3 * CHEAP - 10);
    const branch = serializeTx(short);
    expect(await node.submit(branch)).toMatchObject({ ok: true });
    expect(unpaid(node)).toBe(4);
    const payer = onto(short, 300);
    expect(await node.submit(serializeTx(payer))).toMatchObject(tooLong);
    await node.mine(1);
    const again = await chain(await coinOf(node, walletKey), 3, CHEAP);
    for (const tx of again) await accepted(node, tx);
    const paying = onto(again[2] as Tx, 300);
    await accepted(node, paying);
    expect(unpaid(node)).toBe(0);
    let last = paying;
    for (let more = 0; more < 4; more++) {
      last = onto(last, CHEAP);
      await accepted(node, last);
    }
    expect(unpaid(node)).toBe(4);
    expect(await node.submit(serializeTx(onto(last, CHEAP)))).toMatchObject(tooLong);
  });

  it('are counted the same in a batch, and together with paying ones', async () => {
    const { node } = await open({ maxUnpaidAncestors: 3 });
    const cheap = await chain(await coinOf(node, walletKey), 2, CHEAP);
    const paying = onto(cheap[1] as Tx, 1_000);
    const third = onto(paying, CHEAP);
    const rest = [third, onto(third, CHEAP)];
    const end = onto(rest[1] as Tx, CHEAP);
    const batch = [...cheap, paying, ...rest, end, onto(end, 5_000)].map(serializeTx);
    const results = await node.submitBatch(batch.reverse());
    expect(results.reverse().map((result) => (result.ok ? 'taken' : result.reason))).toEqual([
      'taken',
      'taken',
      'taken',
      'taken',
      'taken',
      'taken',
      'too-long-mempool-chain',
    ]);
    expect(unpaid(node)).toBe(3);
    await node.mine(1);
    await node.reorg(1);
    expect(unpaid(node)).toBe(3);
  });

  it('count as unpaid again if the child that paid for them leaves', async () => {
    const { node, clock } = await open({ expiryMs: 60_000 });
    const [parent] = (await chain(await coinOf(node, walletKey), 1, CHEAP)) as [Tx];
    await accepted(node, parent);
    const child = onto(parent, 1_000);
    await accepted(node, child);
    expect(unpaid(node)).toBe(0);
    const rival = spend([outputCoin(parent, txidOf(serializeTx(parent)), 0)], otherKey, [
      { satoshis: 5, script: other },
    ]);
    expect(await node.submit(serializeTx(rival))).toMatchObject({ code: 258 });
    node.mempool.remove(txidOf(serializeTx(child)));
    expect(unpaid(node)).toBe(1);
    clock.advance(61_000);
    await node.expire();
    expect(node.mempool.unpaidBytes).toBe(0);
  });
});

describe('a batch submitted to the node', () => {
  it('is answered in order: accepted, known, conflicting, malformed, missing', async () => {
    const { node } = await open({});
    const coin = await coinOf(node, walletKey);
    const [parent, child] = (await chain(coin, 2)).map(serializeTx) as [Uint8Array, Uint8Array];
    const rival = serializeTx(spend([coin], walletKey, [{ satoshis: COIN - 9_000, script: other }]));
    const lost = serializeTx(
      spend([{ ...coin, txid: 'ab'.repeat(32) }], walletKey, [{ satoshis: COIN - 9_000, script: other }]),
    );
    const forged = Uint8Array.from(
      serializeTx(spend([await coinOf(node, walletKey, 1)], walletKey, [{ satoshis: 5, script: other }])),
    );
    forged[60] = (forged[60] as number) ^ 1;
    const results = await node.submitBatch([child, parent, parent, rival, Uint8Array.of(1), lost, forged]);
    expect(
      results.map((result) => (result.ok ? (result.known ?? 'taken') : `${result.code} ${result.reason}`)),
    ).toEqual([
      'taken',
      'taken',
      true,
      '18 txn-double-spend-detected',
      '1 tx-malformed',
      '16 missing-inputs',
      expect.stringMatching(/^16 mandatory-script-verify-flag-failed \(.+\)$/),
    ]);
    expect(node.mempool.txids()).toEqual([txidOf(parent), txidOf(child)]);
    expect(await node.submitBatch([])).toEqual([]);
  });

  it('that repeats a parent mined in the meantime accepts its child', async () => {
    const { node } = await open({});
    const [parent, child] = (await chain(await coinOf(node, walletKey), 2)).map(serializeTx) as [
      Uint8Array,
      Uint8Array,
    ];
    await node.submit(parent);
    await node.mine(1);
    const results = await node.submitBatch([parent, child]);
    expect(results).toEqual([
      { ok: true, txid: txidOf(parent), known: true },
      { ok: true, txid: txidOf(child) },
    ]);
    await node.mine(1);
    expect(await node.submitBatch([parent, child])).toMatchObject([{ known: true }, { known: true }]);
  });

  it('of two thousand dependent transactions is accepted in any order', async () => {
    const { node } = await open({ maxAncestors: 20_000 });
    let verified = 0;
    const fast = await openTestNode({
      verify: async () => {
        verified++;
        return { ok: true };
      },
    });
    const first = await coinOf(fast.node, walletKey);
    const raws: Uint8Array[] = [];
    let input = { txid: first.txid, vout: first.vout };
    let value: number = first.satoshis;
    while (raws.length < 2_000) {
      value -= 500;
      const raw = serializeTx({
        version: 1,
        inputs: [{ ...input, script: Uint8Array.of(1, raws.length % 250), sequence: 0xffffffff }],
        outputs: [{ satoshis: satoshis(value), script: other }],
        lockTime: 0,
      });
      raws.push(raw);
      input = { txid: txidOf(raw), vout: 0 };
    }
    const shuffled = raws.map((raw, n) => ({ raw, key: (n * 7_919) % 2_003 })).sort((a, b) => a.key - b.key);
    const results = await fast.node.submitBatch(shuffled.map(({ raw }) => raw));
    expect(results.filter(({ ok }) => ok)).toHaveLength(2_000);
    expect(verified).toBe(2_000);
    expect(fast.node.mempool.txids()).toEqual(raws.map((raw) => txidOf(raw)));
    await fast.remove();
    expect(node.mempool.size).toBe(0);
  });
});

describe('a full mempool', () => {
  it('evicts the cheapest transaction with its descendants, and refuses cheaper ones', async () => {
    const { node } = await open({ maxBytes: 1_000 });
    const cheap = await chain(await coinOf(node, walletKey, 0), 2, 200);
    const [cheapId, childId] = [await accepted(node, cheap[0] as Tx), await accepted(node, cheap[1] as Tx)];
    const [rich] = await chain(await coinOf(node, walletKey, 1), 1, 5_000);
    const richId = await accepted(node, rich as Tx);
    const big = spend([await coinOf(node, walletKey, 2)], walletKey, [
      { satoshis: COIN - 9_000, script: other },
      ...Array.from({ length: 12 }, () => ({ satoshis: 1, script: other })),
    ]);
    const bigId = await accepted(node, big);
    expect(removed).toEqual(
      [
        [childId, 'mempool-sizelimit-exceeded'],
        [cheapId, 'mempool-sizelimit-exceeded'],
      ].sort((a, b) => (a[0] === cheapId ? -1 : b[0] === cheapId ? 1 : 0)),
    );
    expect(node.mempool.txids()).toEqual([richId, bigId]);
    const poor = spend([await coinOf(node, walletKey, 0)], walletKey, [
      { satoshis: COIN - 400, script: other },
      ...Array.from({ length: 9 }, () => ({ satoshis: 1, script: other })),
    ]);
    expect(await node.submit(serializeTx(poor))).toMatchObject({ ok: false, code: 66, reason: 'mempool full' });
    expect((await opened.reopen()).mempool.txids()).toEqual([richId, bigId]);
  });

  it('drops any number of transactions whose lock time never came', async () => {
    const { node } = await open({ nonFinalExpiryMs: 60_000 });
    const input = { txid: 'ab'.repeat(32), vout: 0, script: new Uint8Array(), sequence: 0 };
    const tx: Tx = { version: 1, inputs: [input], outputs: [], lockTime: 500 };
    // more than a statement of the database takes values
    for (let n = 0; n < 33_000; n++) {
      node.nonFinal.add({
        txid: n.toString(16).padStart(64, '0'),
        tx,
        raw: serializeTx(tx),
        fee: satoshis(0),
        time: 0,
      });
    }
    await node.expire();
    expect(node.nonFinal.size).toBe(0);
  });

  it('drops expired transactions with their descendants', async () => {
    const { node, clock } = await open({ expiryMs: 60_000, nonFinalExpiryMs: 60_000 });
    const [old, child] = await chain(await coinOf(node, walletKey), 2);
    const oldId = await accepted(node, old as Tx);
    clock.advance(59_000);
    const childId = await accepted(node, child as Tx);
    const held = await coinOf(node, walletKey, 3);
    const locked = spend([held], walletKey, [{ satoshis: COIN - 1_000, script: other }], {
      lockTime: 2_000_000_000,
      inputs: [{ txid: held.txid, vout: held.vout, script: new Uint8Array(), sequence: 1 }],
    });
    await accepted(node, locked);
    clock.advance(2_000);
    // nothing is mined here, so only the clock can remove
    await node.expire();
    expect(removed).toEqual([
      [oldId, 'expired'],
      [childId, 'expired'],
    ]);
    expect(node.nonFinal.size).toBe(1);
    clock.advance(60_000);
    await node.expire();
    expect(node.nonFinal.size).toBe(0);
    expect((await opened.reopen()).mempool.size).toBe(0);
  });
});
