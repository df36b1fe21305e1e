import type { Logger } from 'pino';
import { txidOf } from '../../../chain/index.ts';
import type { TrackedTransaction } from '../../../contract/index.ts';
import type { Inclusion } from '../../ports/chain-data.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MinerVerdict, NamedMiner } from '../../ports/merchant/miners.ts';
import type {
  KeptBackRequest,
  TrackRequest,
  TransactionChange,
  TransactionTracker,
} from '../../ports/merchant/transactions.ts';
import { answerOf } from '../answers.ts';
import { changeOf } from './answers.ts';
import { firstLook } from './storage/due-times.ts';
import { keptBackSentence } from './storage/rows.ts';
import type { TransactionStep } from './storage/steps.ts';
import type { TransactionStore } from './storage/transaction-store.ts';

export interface TrackerOptions {
  transactions: TransactionStore;
  clock: Clock;
  logger: Logger;
}

/** What changes about transactions, by txid. */
export type FurtherSteps = ReadonlyMap<string, (before: TrackedTransaction) => TransactionStep | undefined>;

/** See {@link TransactionTracker}. It records changes; {@link ChainFollower} reads the chain. */
export class Tracker implements TransactionTracker {
  readonly #options: TrackerOptions;
  readonly #listeners = new Set<(change: TransactionChange) => void>();
  /** Called when transactions may be due earlier than before. */
  onDue: () => void = () => undefined;
  /** Called with transactions that a miner says spend the same coins as one that was submitted. */
  onConflicts: (txid: string, conflicts: MinerVerdict['conflicts'], miner: NamedMiner) => void = () => undefined;

  constructor(options: TrackerOptions) {
    this.#options = options;
  }

  async track(requests: readonly TrackRequest[]): Promise<void> {
    const added = await this.#add(requests);
    if (added.size < requests.length) {
      const known = requests.map(({ rawTx }) => txidOf(rawTx)).filter((txid) => !added.has(txid));
      const dueAt = firstLook('queued', this.#options.clock.now());
      await this.change(known, ({ state }) =>
        state === 'kept-back'
          ? {
              change: { state: 'queued', reason: null, attempts: 0, dueAt },
              events: [{ kind: 'state', state: 'queued' }],
            }
          : undefined,
      );
    }
    this.onDue();
  }

  async keepBack(requests: readonly KeptBackRequest[]): Promise<void> {
    const added = await this.#add(requests);
    const known = new Map(requests.map(({ rawTx, reason }) => [txidOf(rawTx), reason]));
    for (const txid of added) known.delete(txid);
    await this.change([...known.keys()], (before) => {
      const reason = known.get(before.txid) ?? null;
      const isOpen = before.state === 'failed' || before.state === 'kept-back';
      // A program that tries again and again is told the same, and adds no line each time.
      if (!isOpen || (before.state === 'kept-back' && before.reason?.text === reason?.text)) return undefined;
      return {
        change: { state: 'kept-back', reason, dueAt: null },
        events: [{ kind: 'state', state: 'kept-back', sentence: reason && keptBackSentence(reason) }],
      };
    });
  }

  /** @returns the txids of those that are new */
  async #add(requests: readonly (TrackRequest | KeptBackRequest)[]): Promise<ReadonlySet<string>> {
    const added = await this.#options.transactions.add(requests);
    for (const transaction of added) this.#publish({ txid: transaction.txid, from: null, transaction });
    return new Set(added.map(({ txid }) => txid));
  }

  /** @param further what is known of a transaction beside the answer, and written with it */
  async answered(
    miner: NamedMiner,
    request: 'submit' | 'status' | 'callback',
    verdicts: readonly MinerVerdict[],
    further?: FurtherSteps,
  ): Promise<void> {
    const now = this.#options.clock.now();
    const byTxid = new Map(verdicts.map((verdict) => [verdict.txid, verdict]));
    await this.change([...byTxid.keys()], (before) => {
      const verdict = byTxid.get(before.txid) as MinerVerdict;
      const { raw, signature } = verdict;
      const change = changeOf(before, verdict, request, now);
      const answer = answerOf(miner, request, verdict, now);
      const kind = request === 'callback' ? 'callback' : 'answer';
      const told = { kind, state: change.state ?? null, answer, raw, signature } as const;
      const next = further?.get(before.txid)?.(before);
      return { ...next, change: { ...change, ...next?.change }, events: [told, ...(next?.events ?? [])] };
    });
    for (const { txid, conflicts } of verdicts) if (conflicts.length > 0) this.onConflicts(txid, conflicts, miner);
    this.onDue();
  }

  /** Writes changes and tells the listeners of each new state. */
  async change(
    txids: readonly string[],
    decide: (before: TrackedTransaction, attempts: number) => TransactionStep | undefined,
  ): Promise<void> {
    const changes = await this.#options.transactions.update(txids, decide);
    for (const { before, after } of changes)
      if (before.state !== after.state) this.#publish({ txid: after.txid, from: before.state, transaction: after });
  }

  get(txid: string): Promise<TrackedTransaction | undefined> {
    return this.#options.transactions.find(txid);
  }

  proofOf(txid: string): Promise<Inclusion | undefined> {
    return this.#options.transactions.proofOf(txid);
  }

  /** Those of the transactions that are tracked. */
  many(txids: readonly string[]): Promise<ReadonlyMap<string, TrackedTransaction>> {
    return this.#options.transactions.many(txids);
  }

  /** The raw forms of those transactions that are tracked. */
  rawOf(txids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    return this.#options.transactions.rawOf(txids);
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
