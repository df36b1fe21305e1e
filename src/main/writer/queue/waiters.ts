import type { Clock } from '../../ports/clock.ts';
import { type DocumentRow, isSettled } from '../storage/document.ts';
import type { WriteQueue } from './queue.ts';

interface Waiter {
  readonly wanted: 'submitted' | 'mined';
  notify(row: DocumentRow): void;
  finish(): void;
}

/** Clients that wait until their document reaches a state. */
export class DocumentWaiters {
  readonly #queue: WriteQueue;
  readonly #clock: Clock;
  readonly #waiters = new Map<string, Set<Waiter>>();

  constructor(queue: WriteQueue, clock: Clock) {
    this.#queue = queue;
    this.#clock = clock;
  }

  get size(): number {
    return this.#waiters.size;
  }

  /** Ids of the documents that clients wait for. */
  waitedFor(): string[] {
    return [...this.#waiters.keys()];
  }

  /**
   * Waits until a document is with the miner, or in a block, or dead.
   * @returns the row as it then is, or as it is when `limitMs` is over
   */
  async settled(row: DocumentRow, wanted: Waiter['wanted'], limitMs: number): Promise<DocumentRow> {
    if (isSettled(row, wanted)) return row;
    return new Promise((resolve) => {
      let latest = row;
      const waiters = this.#waiters.get(row.id) ?? new Set();
      const waiter: Waiter = {
        wanted,
        notify: (now) => {
          latest = now;
          if (isSettled(now, wanted)) waiter.finish();
        },
        finish: () => {
          cancel();
          waiters.delete(waiter);
          if (waiters.size === 0) this.#waiters.delete(row.id);
          resolve(latest);
        },
      };
      const cancel = this.#clock.after(limitMs, waiter.finish);
      waiters.add(waiter);
      this.#waiters.set(row.id, waiters);
      // It may have settled between the caller's reading and now.
      this.notify([row.id]).catch(waiter.finish);
    });
  }

  /** Reads these documents again for whoever waits for them. */
  async notify(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      if (!this.#waiters.has(id)) continue;
      const row = await this.#queue.find(id);
      if (row === undefined) continue;
      for (const waiter of [...(this.#waiters.get(id) ?? [])]) waiter.notify(row);
    }
  }

  /** As {@link notify}, for the documents of these transactions. */
  async notifyOf(transactionIds: readonly string[]): Promise<void> {
    if (this.size === 0) return;
    for (const row of await this.#queue.documentsOf(transactionIds, this.waitedFor())) {
      for (const waiter of [...(this.#waiters.get(row.id) ?? [])]) waiter.notify(row);
    }
  }

  /** Reads every document that a client waits for again: another process may have changed it. */
  async recheck(): Promise<void> {
    await this.notify(this.waitedFor()).catch(() => undefined);
  }

  finishAll(): void {
    for (const waiters of [...this.#waiters.values()]) for (const { finish } of [...waiters]) finish();
  }
}
