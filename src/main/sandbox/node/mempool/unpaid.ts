import { feeFor, requiredFee, type Steps } from '../../../../chain/index.ts';
import { policy } from '../consensus/consensus.ts';
import { STEP_INPUTS } from '../consensus/validate.ts';
import type { MempoolEntry } from './mempool-entry.ts';

/** Finds a waiting transaction that neither pays the mining fee nor has a child that pays for it. */
export type FindUnpaid = (txid: string) => MempoolEntry | undefined;

const NONE: ReadonlySet<MempoolEntry> = new Set();

/**
 * The unpaid transactions that one with these inputs builds on; it makes up a group with them. Step by step.
 * @param outpoints what it spends, as `<txid>_<vout>`
 */
export function* unpaidAncestors(outpoints: readonly string[], find: FindUnpaid): Steps<ReadonlySet<MempoolEntry>> {
  // most build on none
  let group: Set<MempoolEntry> | undefined;
  const open = [outpoints];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const [index, outpoint] of next.entries()) {
      if (index % STEP_INPUTS === STEP_INPUTS - 1) yield '';
      const entry = find(spentTxid(outpoint));
      if (entry === undefined || group?.has(entry)) continue;
      group ??= new Set();
      group.add(entry);
      open.push(entry.outpoints);
    }
  }
  return group ?? NONE;
}

/** Whether a transaction pays the mining fee for itself and for all of its group. @param group unpaid ones it builds on */
export function paysFor(entry: MempoolEntry, group: ReadonlySet<MempoolEntry>): boolean {
  // no rule asks for more than the price of all its bytes, so most need not be read
  if (group.size === 0 && entry.fee >= feeFor(entry.raw.length, policy.miningFee)) return true;
  let missing = owed(entry);
  for (const ancestor of group) missing += owed(ancestor);
  return missing <= 0;
}

/** Satoshis a transaction itself is short of the mining fee; negative where it pays more. */
function owed({ fee, tx }: MempoolEntry): number {
  return requiredFee(tx, { standard: policy.miningFee, data: policy.miningFee }) - fee;
}

/** @param outpoint `<txid>_<vout>` */
export function spentTxid(outpoint: string): string {
  return outpoint.slice(0, 64);
}
