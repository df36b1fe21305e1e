import type { Logger } from 'pino';
import type { TransactionState } from '../../../contract/index.ts';
import { Sequencer } from '../../async/sequencer.ts';
import type { Clock } from '../../ports/clock.ts';
import type { TransactionChange } from '../../ports/merchant/transactions.ts';
import type { Tracker } from './tracker.ts';
import { seenStep } from './waiting.ts';

/** Most transactions whose announcement is awaited. */
const MAX_AWAITED = 100_000;
/** What is announced within this time is written together. */
const GATHER_MS = 50;
const TXID_BYTES = 32;
const awaitedStates: readonly TransactionState[] = ['queued', 'submitted', 'evicted', 'stale'];

export interface AnnouncedTransactionsOptions {
  tracker: Tracker;
  clock: Clock;
  logger: Logger;
}

/**
 * Marks transactions as seen when the node announces them (ZMQ topic `hashtx`), without asking for its mempool. An announcement may be lost
 * or have come before the start, so the mempool is still asked about what is due.
 */
export class AnnouncedTransactions {
  readonly #options: AnnouncedTransactionsOptions;
  readonly #awaited = new Set<string>();
  readonly #stopListening: () => void;
  #heard: string[] = [];
  readonly #writing = new Sequencer();
  #cancel: () => void = () => undefined;

  constructor(options: AnnouncedTransactionsOptions) {
    this.#options = options;
    this.#stopListening = options.tracker.onChange((change) => this.#note(change));
  }

  /** @param hash a transaction that the node put into its mempool or found in a block: 32 bytes, display order; called for every one */
  announced(hash: Uint8Array): void {
    if (this.#awaited.size === 0 || hash.length < TXID_BYTES) return;
    const txid = Buffer.from(hash.buffer, hash.byteOffset, TXID_BYTES).toString('hex');
    if (!this.#awaited.delete(txid)) return;
    this.#heard.push(txid);
    if (this.#heard.length > 1) return;
    this.#cancel = this.#options.clock.after(GATHER_MS, () => {
      void this.#writing.run(() => this.#write());
    });
  }

  /** Listens no more; resolves when what was begun is written. */
  async close(): Promise<void> {
    this.#stopListening();
    this.#cancel();
    this.#awaited.clear();
    await this.#writing.idle();
  }

  #note({ txid, transaction: { state } }: TransactionChange): void {
    if (!awaitedStates.includes(state)) this.#awaited.delete(txid);
    else if (this.#awaited.size < MAX_AWAITED) this.#awaited.add(txid);
  }

  async #write(): Promise<void> {
    const { tracker, clock, logger } = this.#options;
    const heard = this.#heard;
    this.#heard = [];
    try {
      await tracker.change(heard, ({ state }) => (awaitedStates.includes(state) ? seenStep(clock.now()) : undefined));
    } catch (error) {
      logger.warn({ err: error }, 'announced transactions could not be noted; the next look finds them');
    }
  }
}
