import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  dataScript,
  headerHash,
  medianTime,
  meetsTarget,
  parseBlock,
  parseHeader,
  parseTx,
  satoshis,
  serializeTx,
  verifyScripts,
  verifyTscProof,
  workOf,
} from '../../../chain/index.ts';
import { pause } from '../../pause.ts';
import { REGTEST_BITS } from './consensus/consensus.ts';
import { rawBlock } from './storage/block-bytes.ts';
import { blockAtHeight } from './storage/chain-store.ts';
import {
  faucetKey,
  lockingScriptOf,
  openTestNode,
  otherKey,
  START,
  type TestNode,
  walletKey,
} from './test-support/open-node.ts';
import { rebuildUtxoSet, storedUtxoSet } from './test-support/rebuild.ts';
import { accepted, coinOf, outputCoin, spend } from './test-support/spend.ts';

const other = lockingScriptOf(otherKey);
const wallet = lockingScriptOf(walletKey);
const COIN = 5_000_000_000;

let opened: TestNode;
beforeEach(async () => {
  opened = await openTestNode();
});
afterEach(() => opened.remove());

describe('a new chain', () => {
  it('has 120 blocks after the regtest genesis block, each with proof of work and a later time', async () => {
    const { node } = opened;
    expect(node.tip()).toMatchObject({ height: 120, time: START });
    const times: number[] = [];
    let work = 0n;
    let previous = '0'.repeat(64);
    for (let height = 0; height <= 120; height++) {
      const row = await blockAtHeight(node.db, height);
      const header = parseHeader(row?.header ?? new Uint8Array());
      expect(header).toMatchObject({ bits: REGTEST_BITS, previousHash: previous });
      previous = headerHash(header);
      expect(meetsTarget(previous, header.bits)).toBe(true);
      expect(header.time).toBeGreaterThan(times.at(-1) ?? 0);
      times.push(header.time);
      work += workOf(header.bits);
      expect(row).toMatchObject({
        hash: previous,
        median_time: medianTime(times),
        chainwork: work.toString(16).padStart(64, '0'),
        chain_transactions: height + 1,
      });
    }
    expect((await blockAtHeight(node.db, 0))?.hash).toBe(
      '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
    );
    expect(previous).toBe(node.tip().hash);
  });

  it('gives the wallet ten spendable coinbases, and the faucet the mature ones', async () => {
    const { node } = opened;
    expect((await node.spendable(wallet)).map(({ satoshis: value }) => value)).toEqual(Array(10).fill(COIN));
    expect((await node.spendable(lockingScriptOf(faucetKey))).map(({ height }) => height).sort()).toEqual(
      Array.from({ length: 11 }, (_, index) => index + 11),
    );
  });

  it('is the same chain when it is opened again', async () => {
    const tip = opened.node.tip();
    const chainTip = opened.node.chainTip();
    await opened.reopen();
    expect(opened.node.tip()).toEqual(tip);
    expect(opened.node.chainTip()).toEqual(chainTip);
  });

  it('is built even if the clock is before the genesis block', async () => {
    const early = await openTestNode({ now: 0 });
    expect(early.node.tip().height).toBe(120);
    await early.remove();
  });
});

describe('SandboxNode.submit', () => {
  it('accepts a signed payment, returns its outputs, and recognises it if it is submitted again', async () => {
    const { node } = opened;
    const coin = await coinOf(node, walletKey);
    const tx = spend([coin], walletKey, [
      { satoshis: 1, script: other },
      { satoshis: 0, script: dataScript([Uint8Array.of(1)]) },
      { satoshis: COIN - 1_000, script: wallet },
    ]);
    const raw = serializeTx(tx);
    const seen: string[] = [];
    const stop = node.onTransactions((taken) => seen.push(...taken.map(({ txid }) => txid)));
    const txid = await accepted(node, tx);
    expect(await node.submit(raw)).toEqual({ ok: true, txid, known: true });
    stop();
    expect(seen).toEqual([txid]);
    expect(node.mempool.txids()).toEqual([txid]);
    expect(await node.transaction(txid)).toEqual({ raw, blockHash: null, blockHeight: null, confirmations: 0 });
    expect(await node.utxo(coin, true)).toBeUndefined();
    expect(await node.utxo(coin, false)).toMatchObject({ satoshis: COIN, coinbase: true });
    expect(await node.utxo({ txid, vout: 0 }, true)).toEqual({
      satoshis: 1,
      lockingScript: other,
      height: null,
      coinbase: false,
    });
    expect(await node.utxo({ txid, vout: 0 }, false)).toBeUndefined();
    expect(await node.utxo({ txid, vout: 1 }, true)).toBeUndefined();
    expect(await node.proof(txid)).toBeUndefined();
  });

  it('preserves waiting transactions over a restart, parents before children', async () => {
    const coin = await coinOf(opened.node, walletKey);
    const parent = spend([coin], walletKey, [{ satoshis: COIN - 1_000, script: other }]);
    const parentId = await accepted(opened.node, parent);
    const child = spend([outputCoin(parent, parentId, 0)], otherKey, [{ satoshis: COIN - 2_000, script: wallet }]);
    const childId = await accepted(opened.node, child);
    const before = [...opened.node.mempool.entries()];
    const node = await opened.reopen();
    expect([...node.mempool.entries()]).toEqual(before);
    const [hash = ''] = await node.mine(1);
    const block = parseBlock((await rawBlock(node.db, hash)) ?? new Uint8Array());
    expect(block.transactions.map((tx) => tx.outputs[0]?.satoshis)).toEqual([COIN + 2_000, COIN - 1_000, COIN - 2_000]);
    expect((await node.transaction(childId))?.blockHash).toBe(hash);
    expect(await node.utxo({ txid: parentId, vout: 0 }, true)).toBeUndefined();
    expect(await storedUtxoSet(node.db)).toEqual(await rebuildUtxoSet(node.db));
  });

  it('accepts exactly one of many simultaneous transactions that spend the same output', async () => {
    const { node } = opened;
    const coin = await coinOf(node, walletKey);
    const rivals = Array.from({ length: 8 }, (_, n) =>
      spend([coin], walletKey, [{ satoshis: COIN - 1_000 - n, script: other }]),
    );
    const results = await Promise.all(rivals.map((tx) => node.submit(serializeTx(tx))));
    const winner = results[0];
    expect(winner?.ok).toBe(true);
    const first = serializeTx(rivals[0] as (typeof rivals)[number]);
    for (const result of results.slice(1)) {
      expect(result).toMatchObject({
        ok: false,
        code: 18,
        reason: 'txn-double-spend-detected',
        conflictedWith: [{ txid: winner?.txid, size: first.length, hex: Buffer.from(first).toString('hex') }],
      });
    }
    const late = spend([coin], walletKey, [{ satoshis: COIN - 3_000, script: other }]);
    expect(await node.submit(serializeTx(late))).toMatchObject({ code: 258, reason: 'txn-mempool-conflict' });
    await node.mine(1);
    expect(await node.submit(serializeTx(late))).toMatchObject({ code: 16, reason: 'missing-inputs' });
  });

  it('accepts a conflicting transaction if the earlier one turns out to be invalid', async () => {
    const { node } = opened;
    const coin = await coinOf(node, walletKey);
    const unsigned = spend([coin], walletKey, [{ satoshis: COIN - 1_000, script: other }]);
    const wrong = { ...unsigned, outputs: [{ satoshis: satoshis(COIN - 2_000), script: other }] };
    const right = spend([coin], walletKey, [{ satoshis: COIN - 3_000, script: other }]);
    const [refused, taken] = await Promise.all([node.submit(serializeTx(wrong)), node.submit(serializeTx(right))]);
    expect(refused).toMatchObject({ ok: false, code: 16 });
    expect(refused.ok ? '' : refused.reason).toMatch(/^mandatory-script-verify-flag-failed \(.+\)$/);
    expect(taken).toMatchObject({ ok: true });
  });

  it('changes nothing if the script check itself fails, and continues', async () => {
    let broken = true;
    const fragile = await openTestNode({
      verify: async (tx, spent) => {
        if (broken) throw new Error('the worker died');
        return verifyScripts(tx, spent);
      },
    });
    const coin = await coinOf(fragile.node, walletKey);
    const tx = spend([coin], walletKey, [{ satoshis: COIN - 1_000, script: other }]);
    await expect(fragile.node.submit(serializeTx(tx))).rejects.toThrow('the worker died');
    expect(fragile.node.mempool.txids()).toEqual([]);
    broken = false;
    await accepted(fragile.node, tx);
    await fragile.remove();
  });

  it('is not affected if the caller modifies its bytes afterwards', async () => {
    const { node } = opened;
    const coin = await coinOf(node, walletKey);
    const raw = serializeTx(spend([coin], walletKey, [{ satoshis: COIN - 1_000, script: other }]));
    const handedIn = Uint8Array.from(raw);
    const submitted = node.submit(handedIn);
    handedIn.fill(0);
    const { txid } = await submitted;
    expect((await node.transaction(txid ?? ''))?.raw).toEqual(raw);
  });
});

describe('SandboxNode.mine', () => {
  it('puts waiting transactions into a block that pays their fees to the faucet', async () => {
    const { node } = opened;
    const coin = await coinOf(node, walletKey);
    const txid = await accepted(node, spend([coin], walletKey, [{ satoshis: COIN - 700, script: other }]));
    const tips: number[] = [];
    const blocks: string[][] = [];
    node.onTip((tip, block) => {
      tips.push(tip.height);
      blocks.push(block.transactions.map((tx) => `${tx.txid} ${tx.fromMempool}`));
      expect(parseBlock(block.raw()).transactions.length).toBe(block.transactions.length);
    });
    const hashes = await node.mine(3);
    expect(tips).toEqual([121, 122, 123]);
    expect(blocks.map((block) => block.length)).toEqual([2, 1, 1]);
    expect(blocks[0]?.[1]).toBe(`${txid} true`);
    expect(node.tip()).toMatchObject({ hash: hashes[2], height: 123 });
    expect(await node.transaction(txid)).toMatchObject({ blockHash: hashes[0], blockHeight: 121, confirmations: 3 });
    const coinbase = parseBlock((await rawBlock(node.db, hashes[0] ?? '')) ?? new Uint8Array()).transactions[0];
    expect(coinbase?.outputs).toEqual([{ satoshis: COIN + 700, script: lockingScriptOf(faucetKey) }]);
    const proven = await node.proof(txid);
    const header = parseHeader((await blockAtHeight(node.db, 121))?.header ?? new Uint8Array());
    expect(proven).toMatchObject({ blockHash: hashes[0], blockHeight: 121, proof: { index: 1, targetType: 'header' } });
    expect(proven && verifyTscProof(proven.proof, header.merkleRoot)).toBe(true);
  });

  it('increases block times by the median rule while the clock is fixed', async () => {
    const { node } = opened;
    await node.mine(30);
    const { times, medianTime: median } = node.chainTip();
    expect(median).toBe(medianTime([...times]));
    for (let height = 121; height <= 150; height++) {
      const before = await blockAtHeight(node.db, height - 1);
      expect((await blockAtHeight(node.db, height))?.time).toBeGreaterThan(before?.median_time ?? 0);
    }
  });

  it('pays the given script, and survives a failing listener', async () => {
    const { node } = opened;
    node.onTip(() => {
      throw new Error('a careless listener');
    });
    await node.mine(1, other);
    const coinbase = await node.transaction((await blockTxid(node, 121)) ?? '');
    expect(parseTx(coinbase?.raw ?? new Uint8Array()).outputs[0]?.script).toEqual(other);
  });

  it('refuses new work once it is closed, but finishes pending work', async () => {
    const { node } = opened;
    const mined = node.mine(1);
    await node.close();
    expect(await mined).toHaveLength(1);
    await expect(node.mine(1)).rejects.toMatchObject({ code: 'not-running' });
  });
});

describe('SandboxNode.reorg', () => {
  it('lets a transaction and its outputs be found at every moment', async () => {
    const { node } = opened;
    const txid = await node.fund(other, satoshis(1_000));
    const { outputs } = parseTx((await node.transaction(txid))?.raw ?? new Uint8Array());
    const vout = outputs.findIndex((output) => output.satoshis === 1_000);
    await node.mine(1);
    let isOver = false;
    const reorganising = (async () => {
      for (let round = 0; round < 10; round++) {
        await node.reorg(1);
        await node.mine(1);
      }
      isOver = true;
    })();
    const readings: boolean[] = [];
    while (!isOver) {
      const [transaction, output] = await Promise.all([node.transaction(txid), node.utxo({ txid, vout }, true)]);
      readings.push(transaction !== undefined && output !== undefined);
      if (readings.length % 10 === 0) await pause();
    }
    await reorganising;
    expect(readings.length).toBeGreaterThan(20);
    expect(readings.filter((found) => !found)).toEqual([]);
  });
});

describe('the faucet', () => {
  it('makes many simultaneous payments, each once, also from its own change', async () => {
    const { node } = opened;
    const amounts = Array.from({ length: 25 }, (_, n) => satoshis(1_000 + n));
    const txids = await Promise.all(amounts.map((value) => node.fund(other, value)));
    expect(new Set(txids).size).toBe(25);
    await node.mine(1);
    const paid = await node.spendable(other);
    expect(paid.map(({ satoshis: value }) => value).sort()).toEqual(amounts);
    expect(await storedUtxoSet(node.db)).toEqual(await rebuildUtxoSet(node.db));
  });

  it('combines coins for a large amount, and reports insufficient funds', async () => {
    const { node } = opened;
    const txid = await node.fund(other, satoshis(COIN * 5));
    expect(parseTx((await node.transaction(txid))?.raw ?? new Uint8Array()).inputs.length).toBe(6);
    await expect(node.fund(other, satoshis(COIN * 100))).rejects.toMatchObject({ code: 'funds-insufficient' });
    await expect(node.fund(other, satoshis(0))).rejects.toMatchObject({ code: 'invalid-input' });
  });
});

async function blockTxid(node: TestNode['node'], height: number): Promise<string | undefined> {
  const row = await node.db
    .selectFrom('node_transactions')
    .select('txid')
    .where('height', '=', height)
    .executeTakeFirst();
  return row?.txid;
}
