import type { TransactionReason, TransactionState } from '../../../../contract/index.ts';

/** A first look, after the miner had a moment to tell its node. */
const SOON_MS = 300;
/** A transaction that is about to be sent is looked for only if its answer does not come. */
const UNANSWERED_MS = 5_000;
const MIN_MS = 1_000;
const MAX_MS = 600_000;
/** Looks further apart than this fall on whole minutes, so that one list of the mempool serves many. */
const SHARED_MS = 60_000;
const EVICTED_MS = 3_600_000;
/** No look is so far ahead: the clock was put back since its time was written down. */
export const IMPOSSIBLE_MS = 2 * EVICTED_MS;
/** Refusals that may turn out to be a double spend once the rival is mined. */
const MAY_BE_DOUBLE_SPENT: readonly string[] = ['double-spend', 'missing-inputs'];
/** For so long after a refusal it is looked for who spent its inputs. */
const LOOKED_FOR_MS = 3 * 24 * 3_600_000;

/**
 * When a transaction that has just reached a state is looked at first, in milliseconds since 1970.
 * @returns null where no look can find anything
 */
export function firstLook(
  state: TransactionState,
  now: number,
  reason: TransactionReason | null = null,
): number | null {
  switch (state) {
    case 'proven':
    case 'double-spent':
    case 'kept-back':
      return null;
    case 'failed':
      return reason !== null && MAY_BE_DOUBLE_SPENT.includes(reason.code) ? now : null;
    case 'queued':
      return now + UNANSWERED_MS;
    case 'evicted':
      return reason?.code === 'no-room' ? now + EVICTED_MS : now;
    case 'stale':
      return now;
    default:
      return now + SOON_MS;
  }
}

/**
 * When a transaction whose state has not changed is looked at again: soon while it is new, seldom later.
 * @param since when it was last sent or changed its state
 */
export function nextLook(state: TransactionState, now: number, since: number): number | null {
  const age = now - since;
  if (state === 'failed' && age > LOOKED_FOR_MS) return null;
  const wait = Math.min(MAX_MS, Math.max(MIN_MS, age / 4));
  return wait < SHARED_MS ? now + wait : Math.ceil((now + wait) / SHARED_MS) * SHARED_MS;
}
