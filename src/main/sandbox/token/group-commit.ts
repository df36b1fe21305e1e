import { setImmediate } from 'node:timers/promises';
import type { Kysely, Transaction } from 'kysely';

type Write<Tables> = (db: Transaction<Tables>) => Promise<void>;

interface Waiting<Tables> {
  readonly write: Write<Tables>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Commits the writes of concurrent requests in one transaction, so that the disk is synced once for all of them. */
export class GroupCommit<Tables> {
  readonly #db: Kysely<Tables>;
  #waiting: Waiting<Tables>[] = [];
  #isRunning = false;

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Resolves when the write is durable. @throws what the write throws; only that write is rolled back */
  write(write: Write<Tables>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ write, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      // Requests of the same turn of the event loop join this transaction.
      await setImmediate();
      const group = this.#waiting.splice(0);
      try {
        await this.#commit(group.map(({ write }) => write));
        for (const { resolve } of group) resolve();
      } catch {
        for (const one of group) await this.#commit([one.write]).then(one.resolve, one.reject);
      }
    }
    this.#isRunning = false;
  }

  async #commit(writes: readonly Write<Tables>[]): Promise<void> {
    await this.#db.transaction().execute(async (db) => {
      for (const write of writes) await write(db);
    });
  }
}
