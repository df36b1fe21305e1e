import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  concatBytes,
  headerHash,
  meetsTarget,
  merkleRoot,
  parseScript,
  pushData,
  type Satoshis,
  satoshis,
  scriptNumber,
  serializeTx,
  subsidyAt,
  type Tx,
  txidOf,
} from '../../../../chain/index.ts';
import { type BlockTransaction, heightPush, makeBlock, type NewBlock } from '../consensus/blocks.ts';
import { REGTEST_BITS } from '../consensus/consensus.ts';
import { RuleSets } from '../consensus/rule-sets.ts';
import { lockingScriptOf, openTestNode, otherKey, type TestNode, walletKey } from '../test-support/open-node.ts';
import { storedUtxoSet } from '../test-support/rebuild.ts';
import { coinOf, outputCoin, spend } from '../test-support/spend.ts';
import { connectBlock } from './chainstate.ts';

const other = lockingScriptOf(otherKey);
const COIN = 5_000_000_000;

let opened: TestNode;
let before: string[];
beforeEach(async () => {
  opened = await openTestNode();
  before = await storedUtxoSet(opened.node.db);
});
afterEach(() => opened.remove());

function named(tx: Tx): BlockTransaction {
  const raw = serializeTx(tx);
  return { txid: txidOf(raw), tx, raw };
}

/** A block that follows the tip, with what the test changes in it; work is done again after a change. */
function block(transactions: Tx[] = [], options: { reward?: number; time?: number } = {}): NewBlock {
  const tip = opened.node.chainTip();
  return makeBlock({
    height: tip.height + 1,
    previousHash: tip.hash,
    time: options.time ?? tip.time + 1,
    payTo: other,
    reward: satoshis(options.reward ?? COIN),
    transactions: transactions.map(named),
  });
}

function worked(header: NewBlock['header'], transactions: NewBlock['transactions']): NewBlock {
  for (let nonce = 0; ; nonce++) {
    const tried = { ...header, nonce };
    const hash = headerHash(tried);
    if (meetsTarget(hash, REGTEST_BITS)) return { hash, header: tried, transactions };
  }
}

function withTransactions(from: NewBlock, transactions: BlockTransaction[]): NewBlock {
  return worked({ ...from.header, merkleRoot: merkleRoot(transactions.map(({ txid }) => txid)) }, transactions);
}

function withCoinbaseScript(from: NewBlock, script: Uint8Array): NewBlock {
  const coinbase = from.transactions[0]?.tx as Tx;
  const input = coinbase.inputs[0] as Tx['inputs'][number];
  return withTransactions(from, [named({ ...coinbase, inputs: [{ ...input, script }] })]);
}

/** Connects in a database transaction as the node does. @returns the reason of the refusal. */
async function connect(candidate: NewBlock): Promise<string> {
  try {
    await opened.store.db
      .transaction()
      .execute((db) =>
        connectBlock(db, opened.node.chainTip(), candidate, { arrival: 121, ruleSets: new RuleSets(0) }),
      );
    return 'connected';
  } catch (error) {
    expect(await storedUtxoSet(opened.node.db)).toEqual(before);
    return (error as { reason: string }).reason;
  }
}

describe('a block of the sandbox node', () => {
  it('is connected if it is valid', async () => {
    const parent = spend([await coinOf(opened.node, walletKey)], walletKey, [{ satoshis: COIN - 5, script: other }]);
    const child = spend([outputCoin(parent, txidOf(parent), 0)], otherKey, [{ satoshis: COIN - 6, script: other }]);
    expect(await connect(block([parent, child], { reward: COIN + 6 }))).toBe('connected');
  });

  it('must follow the tip, with the right target, enough work and a later time than the median', async () => {
    const { header, transactions } = block();
    expect(await connect(worked({ ...header, previousHash: 'ab'.repeat(32) }, transactions))).toBe(
      'prev-blk-not-found',
    );
    expect(await connect(worked({ ...header, bits: 0x1d00ffff }, transactions))).toBe('bad-diffbits');
    expect(await connect(block([], { time: opened.node.chainTip().medianTime }))).toBe('time-too-old');
    for (let nonce = 0; ; nonce++) {
      const lazy = { ...header, nonce };
      const hash = headerHash(lazy);
      if (meetsTarget(hash, REGTEST_BITS)) continue;
      expect(await connect({ hash, header: lazy, transactions })).toBe('high-hash');
      break;
    }
    expect(await connect({ ...block(), hash: '00'.repeat(32) })).toBe('high-hash');
  });

  it('must have the Merkle root of its transactions, without duplicates', async () => {
    const good = block();
    expect(await connect(worked({ ...good.header, merkleRoot: 'ab'.repeat(32) }, good.transactions))).toBe(
      'bad-txnmrklroot',
    );
    const tx = spend([await coinOf(opened.node, walletKey)], walletKey, [{ satoshis: COIN - 5, script: other }]);
    const second = spend([await coinOf(opened.node, walletKey, 1)], walletKey, [{ satoshis: COIN, script: other }]);
    const odd = block([tx, second]);
    // the same root as without the repetition
    const repeated = { ...odd, transactions: [...odd.transactions, named(second)] };
    expect(merkleRoot(repeated.transactions.map(({ txid }) => txid))).toBe(odd.header.merkleRoot);
    expect(await connect(repeated)).toBe('bad-txns-duplicate');
  });

  it('must start with one coinbase that contains its height', async () => {
    const good = block();
    const [coinbase] = good.transactions as [BlockTransaction];
    const tx = spend([await coinOf(opened.node, walletKey)], walletKey, [{ satoshis: COIN, script: other }]);
    expect(await connect(withTransactions(good, [named(tx)]))).toBe('bad-cb-missing');
    const another = named({ ...coinbase.tx, version: 2 });
    expect(await connect(withTransactions(good, [coinbase, another]))).toBe('bad-cb-multiple');
    expect(await connect(withCoinbaseScript(good, concatBytes(heightPush(120), pushData(new Uint8Array(9)))))).toBe(
      'bad-cb-height',
    );
    expect(await connect(withCoinbaseScript(good, Uint8Array.of(0)))).toBe('bad-cb-length');
    expect(await connect(withCoinbaseScript(good, concatBytes(heightPush(121), new Uint8Array(100))))).toBe(
      'bad-cb-length',
    );
  });

  it('may claim the subsidy and the fees, and not a satoshi more', async () => {
    const tx = spend([await coinOf(opened.node, walletKey)], walletKey, [{ satoshis: COIN - 7, script: other }]);
    expect(await connect(block([tx], { reward: COIN + 8 }))).toBe('bad-cb-amount');
    expect(await connect(block([], { reward: COIN + 1 }))).toBe('bad-cb-amount');
    expect(await connect(block([tx], { reward: COIN + 7 }))).toBe('connected');
  });

  it('may spend only existing outputs, once, and no more than they hold', async () => {
    const coin = await coinOf(opened.node, walletKey);
    const pay = (value: number) => spend([coin], walletKey, [{ satoshis: value, script: other }]);
    expect(await connect(block([pay(COIN - 1), pay(COIN - 2)]))).toBe('bad-txns-inputs-missingorspent');
    expect(await connect(block([pay(COIN + 1)]))).toBe('bad-txns-in-belowout');
    const ghost = spend([{ ...coin, vout: 9 }], walletKey, [{ satoshis: 5, script: other }]);
    expect(await connect(block([ghost]))).toBe('bad-txns-inputs-missingorspent');
    const child = spend([outputCoin(pay(COIN), txidOf(pay(COIN)), 0)], otherKey, [{ satoshis: 5, script: other }]);
    expect(await connect(block([child, pay(COIN)]))).toBe('bad-txns-inputs-missingorspent');
    expect(await connect(block([{ ...pay(COIN), outputs: [] }]))).toBe('bad-txns-vout-empty');
  });

  it('contains no transaction before its lock time and spends no immature coinbase', async () => {
    const coin = await coinOf(opened.node, walletKey);
    const inputs = [{ txid: coin.txid, vout: coin.vout, script: new Uint8Array(), sequence: 1 }];
    const locked = spend([coin], walletKey, [{ satoshis: COIN, script: other }], { inputs, lockTime: 121 });
    expect(await connect(block([locked]))).toBe('bad-txns-nonfinal');
    const { txid } = await opened.node.db
      .selectFrom('node_transactions')
      .select('txid')
      .where('height', '=', 120)
      .executeTakeFirstOrThrow();
    const young = { txid, vout: 0, satoshis: COIN as Satoshis, lockingScript: lockingScriptOf(walletKey) };
    expect(await connect(block([spend([young], walletKey, [{ satoshis: COIN, script: other }])]))).toBe(
      'bad-txns-premature-spend-of-coinbase',
    );
  });
});

describe('the arithmetic of blocks', () => {
  it('encodes heights as script numbers', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 0x7fff_ffff }), (height) => {
        const [chunk] = parseScript(heightPush(height)).chunks;
        const value = height <= 16 ? (chunk?.op ?? 0) - 0x50 : scriptNumber(chunk?.data ?? new Uint8Array());
        expect(value).toBe(height);
      }),
    );
  });

  it('halves the subsidy every 210,000 blocks and creates less than 21,000,000 BSV in total', () => {
    expect(subsidyAt(209_999)).toBe(COIN);
    expect(subsidyAt(210_000)).toBe(COIN / 2);
    let total = 0;
    for (let halving = 0; halving < 70; halving++) total += 210_000 * subsidyAt(halving * 210_000);
    expect(total).toBe(2_099_999_997_690_000);
  });
});
