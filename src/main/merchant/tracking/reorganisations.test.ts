import { MerklePath } from '@bsv/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fromHex, parseHeader, type Utxo } from '../../../chain/index.ts';
import { PlanchetError, type TrackedTransaction } from '../../../contract/index.ts';
import { seededRandom } from '../../test-support/seeded-random.ts';
import { TrackedNode } from '../test-support/tracked-node.ts';

const RUNS = process.env.PLANCHET_LONG ? 1_000 : 12;
const MAX_DEPTH = 6;
const SEED = Number(process.env.PLANCHET_SEED ?? 20_261_122);
/** Coins of which payments are made; one coin has several payments that exclude each other. */
const COINS_AT_ONCE = 12;
/** States of a transaction that the chain says nothing of. */
const open: readonly string[] = ['queued', 'submitted', 'stale', 'evicted', 'failed'];

interface Attempt {
  readonly coin: Utxo;
  readonly txid: string;
  readonly rawTx: Uint8Array;
}

let tracked: TrackedNode;
let random: () => number;
/** Payments by the coin they spend. */
let attempts: Map<string, Attempt[]>;
let kept: Utxo[];

beforeEach(async () => {
  random = seededRandom(SEED);
  attempts = new Map();
  tracked = await TrackedNode.open();
  kept = [];
});
afterEach(() => tracked.remove());

const upTo = (limit: number): number => Math.floor(random() * limit);
const pick = <T>(list: readonly T[]): T => list[upTo(list.length)] as T;

const keyOf = ({ txid, vout }: Utxo): string => `${txid}:${vout}`;

/** A payment of a coin that is not the same as the ones before. */
function attempt(coin: Utxo): Attempt {
  const key = keyOf(coin);
  const before = attempts.get(key) ?? [];
  const { txid, rawTx } = tracked.payment(coin, 500 + before.length);
  const made = { coin, txid, rawTx };
  attempts.set(key, [...before, made]);
  return made;
}

async function newCoins(): Promise<void> {
  kept = await tracked.coins(COINS_AT_ONCE, 10_000);
  // No reorganisation below takes these coins out of the chain.
  await tracked.opened.node.mine(MAX_DEPTH + 1);
}

/** Submits, mines and replaces blocks. */
async function change(): Promise<void> {
  const { node } = tracked.opened;
  if (kept.every((coin) => (attempts.get(keyOf(coin)) ?? []).length > 2)) await newCoins();
  for (let left = 1 + upTo(3); left > 0; left--) await tracked.submit(attempt(pick(kept)).rawTx);
  if (random() < 0.7) await node.mine(1 + upTo(MAX_DEPTH));
  // What the follower sees in between differs from run to run.
  if (random() < 0.6) await tracked.settle();
  const rivals = new Map<string, Uint8Array>();
  for (let left = upTo(4); left > 0; left--) {
    const coin = pick(kept);
    const known = attempts.get(keyOf(coin)) ?? [];
    // Now a rival that nobody submitted here, now one of the tracked payments.
    const rival = known.length > 0 && random() < 0.4 ? pick(known) : attempt(coin);
    rivals.set(keyOf(coin), rival.rawTx);
  }
  const depth = 1 + upTo(MAX_DEPTH);
  try {
    await node.reorg(depth, { transactions: [...rivals.values()] });
  } catch (error) {
    // The blocks below the fork hold another payment of the coin.
    if (!(error instanceof PlanchetError)) throw error;
    await node.reorg(depth);
  }
}

/** The state that the node's chain and mempool give a payment, and who won where another did. */
async function truthOf({ coin, txid }: Attempt): Promise<{ state: string | readonly string[]; by: string | null }> {
  const { node } = tracked.opened;
  const own = await node.transaction(txid);
  if (own !== undefined) return { state: own.blockHash === null ? 'seen' : 'proven', by: null };
  for (const rival of attempts.get(keyOf(coin)) ?? []) {
    const found = await node.transaction(rival.txid);
    if (found?.blockHash != null) return { state: 'double-spent', by: rival.txid };
  }
  return { state: open, by: null };
}

async function expectTruth(transaction: TrackedTransaction, made: Attempt): Promise<void> {
  const { node } = tracked.opened;
  const { state, by } = await truthOf(made);
  const context = `${made.txid} at height ${node.tip().height}`;
  expect(typeof state === 'string' ? [state] : state, context).toContain(transaction.state);
  if (by !== null) expect(transaction.doubleSpentBy, context).toBe(by);
  const { proof, block } = await tracked.transactions.get(made);
  expect(proof !== null, context).toBe(transaction.state === 'proven');
  if (proof === null) return;
  const own = await node.transaction(made.txid);
  expect({ hash: proof.blockHash, height: proof.height }, context).toEqual({
    hash: own?.blockHash,
    height: own?.blockHeight,
  });
  expect(block, context).toEqual({ hash: proof.blockHash, height: proof.height });
  const path = MerklePath.fromBinary([...fromHex(proof.bump)]);
  expect(path.computeRoot(made.txid), context).toBe(parseHeader(fromHex(proof.header)).merkleRoot);
}

async function expectAll(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const made of [...attempts.values()].flat()) {
    const transaction = await tracked.tracker.get(made.txid);
    if (transaction === undefined) continue;
    counts[transaction.state] = (counts[transaction.state] ?? 0) + 1;
    await expectTruth(transaction, made);
  }
  return counts;
}

describe('reorganisations', () => {
  it(`leave every state as the chain has it, ${RUNS} times, with double spends and restarts`, {
    timeout: 3_600_000,
  }, async () => {
    let counts: Record<string, number> = {};
    for (let run = 0; run < RUNS; run++) {
      await change();
      if (random() < 0.1) {
        await tracked.stop();
        await tracked.start();
      }
      await tracked.settle();
      counts = await expectAll();
      // Payments of coins that are no longer used are settled, and were looked at.
      for (const key of [...attempts.keys()].slice(0, -3 * COINS_AT_ONCE)) attempts.delete(key);
    }
    expect(Object.keys(counts)).toEqual(expect.arrayContaining(['proven', 'double-spent']));
  });
});
