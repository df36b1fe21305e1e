import type { TrackedTransaction } from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Events } from '../../ports/events.ts';
import type { TransactionTracker } from '../../ports/merchant/transactions.ts';

const PAUSE_MS = 250;
/** Views fetch again what does not fit. */
const MAX_NAMED = 200;

/**
 * Tells views of transactions that entered another state: the first at once, what follows at most four times a second.
 * @returns stops it
 */
export function publishChanges(
  events: Events,
  tracker: Pick<TransactionTracker, 'onChange'>,
  clock: Clock,
): () => void {
  let changed = new Map<string, TrackedTransaction>();
  let total = 0;
  let cancelPause: (() => void) | undefined;
  const publish = (): void => {
    cancelPause = undefined;
    if (total === 0) return;
    events.publish({ type: 'transaction', transactions: [...changed.values()], isComplete: total === changed.size });
    changed = new Map();
    total = 0;
    cancelPause = clock.after(PAUSE_MS, publish);
  };
  const stopListening = tracker.onChange(({ txid, transaction }) => {
    if (!changed.has(txid)) total += 1;
    if (changed.has(txid) || changed.size < MAX_NAMED) changed.set(txid, transaction);
    if (cancelPause === undefined) publish();
  });
  return () => {
    stopListening();
    cancelPause?.();
  };
}
