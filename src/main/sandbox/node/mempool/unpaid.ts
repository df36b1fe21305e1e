import { feeFor, requiredFee, type Steps } from '../../../../chain/index.ts';
import { policy } from '../consensus/consensus.ts';
import { STEP_INPUTS } from '../consensus/validate.ts';
import type { MempoolEntry } from './mempool-entry.ts';

/** Finds a mempool transaction that neither pays the mining fee nor has a child that pays for it. */
export type FindUnpaid = (txid: string) => MempoolEntry | undefined;

const NONE: ReadonlySet<MempoolEntry> = new Set();

/**
 * The unpaid ancestors of a transaction with these inputs, which form a group with it. In steps.
 * @param outpoints spent outpoints as `<txid>_<vout>`
 */
export function* unpaidAncestors(outpoints: readonly string[], find: FindUnpaid): Steps<ReadonlySet<MempoolEntry>> {
  // most have none
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

/** Whether a transaction pays the mining fee for itself and its group. @param group its unpaid ancestors */
export function paysFor(entry: MempoolEntry, group: ReadonlySet<MempoolEntry>): boolean {
  // the required fee never exceeds the rate for all bytes, so most need not be parsed
  if (group.size === 0 && entry.fee >= feeFor(entry.raw.length, policy.miningFee)) return true;
  let missing = owed(entry);
  for (const ancestor of group) missing += owed(ancestor);
  return missing <= 0;
}

/** Satoshis by which a transaction falls short of the mining fee; negative if it pays more. */
function owed({ fee, tx }: MempoolEntry): number {
  return requiredFee(tx, { standard: policy.miningFee, data: policy.miningFee }) - fee;
}

/** @param outpoint `<txid>_<vout>` */
export function spentTxid(outpoint: string): string {
  return outpoint.slice(0, 64);
}
