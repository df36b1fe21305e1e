import { expect } from 'vitest';
import type { Approval, Remember } from '../../../contract/index.ts';
import type { ApprovalRequest } from '../../ports/approvals.ts';
import type { SqliteStore } from '../../store/store.ts';
import { StillClock } from '../../test-support/still-clock.ts';
import { ApprovalQueue } from '../approval-queue.ts';
import type { ApprovalTables } from '../tables.ts';
import { broadcastRequest, openApprovalStore } from './approval-store.ts';

export const DAY = 86_400_000;
export const START = 20_000 * DAY;

/** A queue of approvals with its store and a clock that stands. */
export class QueueWorld {
  readonly clock = new StillClock(START);
  locked = false;
  /** How many requests waited at each change. */
  changes: number[] = [];
  queue!: ApprovalQueue;
  readonly store: SqliteStore<ApprovalTables>;
  readonly #remove: () => Promise<void>;

  private constructor(store: SqliteStore<ApprovalTables>, remove: () => Promise<void>) {
    this.store = store;
    this.#remove = remove;
  }

  static async open(): Promise<QueueWorld> {
    const { store, remove } = await openApprovalStore();
    const world = new QueueWorld(store, remove);
    world.queue = await world.openQueue();
    return world;
  }

  openQueue(): Promise<ApprovalQueue> {
    return ApprovalQueue.open({
      db: this.store.db,
      clock: this.clock,
      isLocked: () => this.locked,
      onChange: (waiting) => void this.changes.push(waiting.length),
    });
  }

  async close(): Promise<void> {
    await this.queue.denyAll('stopped');
    await this.#remove();
  }

  /** What an ask came to, as soon as it is known. */
  asked(more: Partial<ApprovalRequest> = {}): Promise<string> {
    return this.queue.ask(broadcastRequest(more)).then(
      () => 'approved',
      (error: { id?: string; message: string }) => error.message,
    );
  }

  async shown(count = 1): Promise<Approval> {
    await expect.poll(() => this.queue.list().waiting, { interval: 2, timeout: 30_000 }).toHaveLength(count);
    // Shown before it is journalled would be too soon.
    await expect.poll(async () => (await this.open()).length, { interval: 2, timeout: 30_000 }).toBe(count);
    return this.queue.list().waiting.at(-1) as Approval;
  }

  /** The rows that no outcome has. */
  open(): Promise<unknown[]> {
    return this.store.db.selectFrom('approvals').select('id').where('outcome', 'is', null).execute();
  }

  /** Limits of a permission for a week. */
  week(mostEach: number, mostPerDay: number): Remember {
    return { mostEach, mostPerDay, expiresAt: this.clock.now() + 7 * DAY };
  }
}
