import type { TrackedTransaction, TransactionState } from '../../../contract/index.ts';
import type { MinerVerdict } from '../../ports/merchant/miners.ts';
import { firstLook } from './storage/due-times.ts';
import type { TransactionUpdate } from './storage/steps.ts';

/** A miner that refuses a transaction for these may be late, or be contradicted by the next block. */
const MAY_PASS: readonly string[] = ['double-spend', 'missing-inputs'];

/**
 * What a miner's word alone may change. That a block holds a transaction is believed only of a verified proof or the node, so such a word
 * only makes the tracker look.
 * @param now milliseconds since 1970
 */
export function changeOf(
  known: TrackedTransaction,
  { status, reason, conflicts }: MinerVerdict,
  request: 'submit' | 'status' | 'callback',
  now: number,
): TransactionUpdate {
  const { state } = known;
  if (state === 'proven' || state === 'double-spent') return {};
  const to = (next: TransactionState, why = reason): TransactionUpdate => ({
    state: next,
    reason: why,
    attempts: 0,
    dueAt: firstLook(next, now, why),
  });
  const rival = conflicts.find(({ txid }) => txid !== known.txid)?.txid;
  const look: TransactionUpdate = { dueAt: now, ...(rival !== undefined && { doubleSpentBy: rival }) };
  // What a miner tells by itself may overtake the answer to what is being sent, and another miner may take it: that answer decides.
  const isBeingSent = state === 'queued' && request !== 'submit';
  const isWaiting = ['queued', 'failed', 'kept-back', 'evicted', 'stale'].includes(state);
  switch (status) {
    case 'accepted':
      return isWaiting ? to('submitted', null) : {};
    case 'mined':
    case 'stale':
    case 'double-spend-attempted':
      return { ...(isWaiting ? to('submitted', null) : {}), ...look };
    case 'seen':
      return isWaiting || state === 'submitted' ? to('seen', null) : {};
    case 'evicted':
      if (isBeingSent) return { reason };
      if (state === 'queued' && !isSentFromHere(known)) return to('failed');
      if (state === 'queued' || state === 'submitted') return to('evicted');
      if (state !== 'evicted' && state !== 'stale') return { dueAt: now };
      // Another miner says so as well, or the same one again: sent at once, it would be refused and sent without end.
      return request === 'submit' ? { reason, dueAt: firstLook('evicted', now, reason) } : {};
    case 'rejected': {
      if (isBeingSent) return { reason, ...(rival !== undefined && { doubleSpentBy: rival }) };
      if (state === 'queued' && reason?.retriedByItself === true && isSentFromHere(known)) return to('evicted');
      if (state === 'queued') return { ...to('failed'), ...(rival !== undefined && { doubleSpentBy: rival }) };
      const isFinal = reason !== null && !reason.retriedByItself && !MAY_PASS.includes(reason.code);
      if (request === 'submit' && (state === 'evicted' || state === 'stale'))
        return isFinal ? to('failed') : { reason };
      // Another miner has it, or had: the chain decides.
      return rival === undefined ? {} : look;
    }
    default:
      return state === 'queued' ? { reason, dueAt: firstLook('queued', now) } : {};
  }
}

/**
 * Whether the tracker alone decides to send a transaction that no miner has taken yet. A service that heard of a refusal may have released
 * its coins.
 */
export function isSentFromHere({ origin }: Pick<TrackedTransaction, 'origin'>): boolean {
  return origin === 'manual' || origin === 'gateway';
}
