import fc from 'fast-check';
import { expect, it } from 'vitest';
import { concatBytes, satoshis, serializeTx, txidOf } from '../../../../chain/index.ts';
import { cheapest } from './eviction.ts';
import { Mempool } from './mempool.ts';
import { MempoolEntry } from './mempool-entry.ts';

/** A waiting transaction with one input and two outputs; its size grows with `padding`. */
function entryOf(mempool: Mempool, parent: string, vout: number, fee: number, padding: number): MempoolEntry {
  const script = concatBytes(Uint8Array.of(0x51), new Uint8Array(padding).fill(0x61));
  const output = { satoshis: satoshis(1), script };
  const raw = serializeTx({
    version: 1,
    inputs: [{ txid: parent, vout, script: new Uint8Array(), sequence: 0xffffffff }],
    outputs: [output, output],
    lockTime: 0,
  });
  return new MempoolEntry({
    txid: txidOf(raw),
    raw,
    outpoints: [`${parent}_${vout}`],
    fee: satoshis(fee),
    time: 0,
    height: 120,
    sequence: mempool.nextSequence,
    ancestors: 0,
  });
}

/** Number n builds on the one `back` places before it, or on a coin of its own. */
function mempoolOf(parts: readonly { fee: number; padding: number; back: number }[]): Mempool {
  const mempool = new Mempool();
  const txids: string[] = [];
  const used = new Map<string, number>();
  for (const [n, { fee, padding, back }] of parts.entries()) {
    const waiting = back > 0 ? txids[n - back] : undefined;
    const free = waiting === undefined ? 2 : (used.get(waiting) ?? 0);
    const parent = waiting !== undefined && free < 2 ? waiting : n.toString(16).padStart(64, 'c');
    const entry = entryOf(mempool, parent, parent === waiting ? free : 0, fee, padding);
    used.set(parent, (used.get(parent) ?? 0) + 1);
    mempool.add(entry);
    txids.push(entry.txid);
  }
  return mempool;
}

/** The rule said plainly: everything sorted at once, with what builds on each summed from the end. */
function sortedAtOnce(mempool: Mempool, bytes: number): string[] {
  const entries = [...mempool.entries()];
  const sums = new Map(entries.map((entry) => [entry.txid, { fee: entry.fee as number, bytes: entry.raw.length }]));
  for (const entry of [...entries].reverse()) {
    const own = sums.get(entry.txid) ?? { fee: 0, bytes: 0 };
    const parent = sums.get(mempool.parents(entry)[0] ?? '');
    if (parent === undefined) continue;
    parent.fee += own.fee;
    parent.bytes += own.bytes;
  }
  const rate = ({ txid, fee, raw }: MempoolEntry): number => {
    const sum = sums.get(txid) ?? { fee: 0, bytes: 1 };
    return Math.max(fee / raw.length, sum.fee / sum.bytes);
  };
  const doomed = new Set<string>();
  let freed = 0;
  for (const entry of [...entries].sort((a, b) => rate(a) - rate(b) || b.sequence - a.sequence)) {
    if (freed >= bytes) break;
    for (const one of [entry, ...mempool.descendants(entry)]) {
      if (doomed.has(one.txid)) continue;
      doomed.add(one.txid);
      freed += one.raw.length;
    }
  }
  return [...doomed];
}

const parts = fc.record({ fee: fc.nat(40), padding: fc.nat(60), back: fc.nat(4) });

it('the mempool evicts the same entries, in the same order, as a full sort would', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(parts, { maxLength: 60 }), fc.nat(6_000), async (many, bytes) => {
      const mempool = mempoolOf(many);
      expect((await cheapest(mempool, bytes)).map(({ txid }) => txid)).toEqual(sortedAtOnce(mempool, bytes));
    }),
    { numRuns: 100 },
  );
});

it('the order of eviction merges several sorted slices, and yields to the event loop', async () => {
  const mempool = mempoolOf(
    Array.from({ length: 30_000 }, (_, n) => ({ fee: (n * 7_919) % 30_011, padding: n % 3, back: n % 5 })),
  );
  let turns = 0;
  let done = false;
  const count = (): void => {
    turns++;
    if (!done) setImmediate(count);
  };
  setImmediate(count);
  const doomed = await cheapest(mempool, 200_000);
  done = true;
  expect(doomed.map(({ txid }) => txid)).toEqual(sortedAtOnce(mempool, 200_000));
  expect(turns).toBeGreaterThan(3);
});
