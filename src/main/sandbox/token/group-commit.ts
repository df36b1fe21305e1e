import type { Kysely, Transaction } from 'kysely';
import { Groups } from '../../async/groups.ts';

type Write<Tables> = (db: Transaction<Tables>) => Promise<void>;

/** Commits the writes of concurrent requests in one transaction, so that the disk is synced once for all of them. */
export class GroupCommit<Tables> {
  readonly #db: Kysely<Tables>;
  readonly #groups = new Groups<Write<Tables>, { readonly error: unknown } | undefined>({
    write: (writes) => this.#commitAll(writes),
  });

  constructor(db: Kysely<Tables>) {
    this.#db = db;
  }

  /** Resolves when the write is durable. @throws what the write throws; only that write is rolled back */
  async write(write: Write<Tables>): Promise<void> {
    const failed = await this.#groups.add(write);
    if (failed !== undefined) throw failed.error;
  }

  async #commitAll(writes: readonly Write<Tables>[]): Promise<({ error: unknown } | undefined)[]> {
    try {
      await this.#commit(writes);
      return [];
    } catch {
      const outcomes = [];
      for (const write of writes)
        outcomes.push(
          await this.#commit([write]).then(
            () => undefined,
            (error: unknown) => ({ error }),
          ),
        );
      return outcomes;
    }
  }

  async #commit(writes: readonly Write<Tables>[]): Promise<void> {
    await this.#db.transaction().execute(async (db) => {
      for (const write of writes) await write(db);
    });
  }
}
