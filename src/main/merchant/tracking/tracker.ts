import type { Logger } from 'pino';
import type { TrackedTransaction, TransactionState } from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MinerVerdict, NamedMiner } from '../../ports/miners.ts';
import type { TrackRequest, TransactionChange, TransactionTracker } from '../../ports/transactions.ts';
import type { TransactionStore, TransactionUpdate } from './transaction-store.ts';

export interface TrackerOptions {
  transactions: TransactionStore;
  clock: Clock;
  logger: Logger;
}

/** See {@link TransactionTracker}. */
export class Tracker implements TransactionTracker {
  readonly #options: TrackerOptions;
  readonly #listeners = new Set<(change: TransactionChange) => void>();

  constructor(options: TrackerOptions) {
    this.#options = options;
  }

  async track(requests: readonly TrackRequest[]): Promise<void> {
    const { transactions } = this.#options;
    const added = await transactions.add(requests);
    for (const transaction of added) this.#publish({ txid: transaction.txid, from: null, transaction });
  }

  async answered(
    miner: NamedMiner,
    request: 'submit' | 'status' | 'callback',
    verdicts: readonly MinerVerdict[],
  ): Promise<void> {
    const { transactions, clock } = this.#options;
    const byTxid = new Map(verdicts.map((verdict) => [verdict.txid, verdict]));
    const changes = await transactions.update([...byTxid.keys()], (before) => {
      const verdict = byTxid.get(before.txid) as MinerVerdict;
      const { word, reason, raw, signature } = verdict;
      const change = changeOf(before, verdict);
      const answer = {
        minerId: miner.id,
        name: miner.name,
        kind: miner.kind,
        at: clock.now(),
        request,
        status: word,
        accepted: !['rejected', 'unclear', 'unknown', 'evicted'].includes(verdict.status),
        reason,
      };
      return { change, events: [{ kind: 'answer', text: '', state: change.state ?? null, answer, raw, signature }] };
    });
    for (const { before, after } of changes)
      if (before.state !== after.state) this.#publish({ txid: after.txid, from: before.state, transaction: after });
  }

  get(txid: string): Promise<TrackedTransaction | undefined> {
    return this.#options.transactions.get(txid);
  }

  onChange(listener: (change: TransactionChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #publish(change: TransactionChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        this.#options.logger.error({ err: error, txid: change.txid }, 'a listener of the tracker failed');
      }
    }
  }
}

/** What a miner's word alone may change. That a block holds a transaction is believed only of a verified proof or the node. */
function changeOf(known: TrackedTransaction, { status, reason }: MinerVerdict): TransactionUpdate {
  const isWaiting = known.state === 'queued' || known.state === 'failed' || known.state === 'evicted';
  const to = (state: TransactionState): TransactionUpdate => ({ state, reason: null });
  switch (status) {
    case 'accepted':
    case 'mined':
    case 'stale':
    case 'double-spend-attempted':
      return isWaiting ? to('submitted') : {};
    case 'seen':
      return isWaiting || known.state === 'submitted' ? to('seen') : {};
    case 'rejected':
      return known.state === 'queued' ? { state: 'failed', reason } : {};
    default:
      return known.state === 'queued' ? { reason } : {};
  }
}
