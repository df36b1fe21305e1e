import type { OutgoingTransaction } from '../../../ports/merchant/miners.ts';
import type { SubmitPayload } from './payloads.ts';

/** The reference server takes bodies of 30,000,000 bytes; some bytes are left for what is around the transactions. */
export const MAX_BODY_BYTES = 29_000_000;
/** A transaction in a JSON batch has about this many bytes around it. */
const BYTES_AROUND = 32;

/**
 * Divides transactions into the bodies of requests, in their order. A transaction that is too large for any body has one of its own.
 * @param maxBytes limit of a body in bytes
 */
export function inBodies(transactions: readonly OutgoingTransaction[], maxBytes: number): OutgoingTransaction[][] {
  const bodies: OutgoingTransaction[][] = [];
  let bytes = 0;
  for (const transaction of transactions) {
    const size = transaction.rawTx.length + BYTES_AROUND;
    const last = bodies.at(-1);
    if (last !== undefined && bytes + size <= maxBytes) {
      last.push(transaction);
      bytes += size;
    } else {
      bodies.push([transaction]);
      bytes = size;
    }
  }
  return bodies;
}

/**
 * The result of those transactions that no result names: a miner that cannot read a transaction cannot name it.
 * @returns undefined where it is not certain which result belongs to which transaction
 */
export function leftoverOf(
  transactions: readonly OutgoingTransaction[],
  results: readonly SubmitPayload[],
): SubmitPayload | undefined {
  const named = new Set(results.map(({ txid }) => txid.toLowerCase()));
  const unnamed = results.filter(({ txid }) => txid === '');
  const [first] = unnamed;
  const missing = transactions.filter(({ txid }) => !named.has(txid)).length;
  const areAlike = unnamed.every(
    ({ returnResult, resultDescription }) =>
      returnResult === 'failure' && resultDescription === first?.resultDescription,
  );
  return unnamed.length === missing && areAlike ? first : undefined;
}
