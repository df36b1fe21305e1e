import { hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type Database from 'better-sqlite3';
import { Groups } from '../../async/groups.ts';
import type { Clock } from '../../ports/clock.ts';
import { type SqliteStore, storeFailure } from '../../store/store.ts';

/** Messages that share one commit at most, and their characters. */
const MAX_GROUP = 500;
const MAX_GROUP_CHARS = 8_000_000;
/** Pages between two checkpoints, 64 MB: the index of digests has no order, so that each group touches many of its pages. */
const CHECKPOINT_PAGES = 16_000;
/** A miner gives up long before: ARC after 24 hours. */
const REMEMBERED_MS = 7 * 86_400_000;

export interface NewReceipt {
  readonly minerId: string;
  /** Two messages of a miner with the same identity are one. */
  readonly identity: string;
  readonly signature: string;
  readonly message: string;
}

/** A message that the tracker does not have yet. */
export interface WaitingReceipt extends Omit<NewReceipt, 'identity'> {
  readonly id: number;
  readonly at: number;
}

type OwnStore = Pick<SqliteStore<unknown>, 'sqlite' | 'requirePresent'>;

/**
 * The journal of callbacks. All that arrive while one group is synced make the next group, so that many share one fsync; each is on the
 * disk when its promise resolves, once, however often it is sent. SQLite writes a group into its log and this class syncs the log, because
 * SQLite would hold up the event loop meanwhile.
 */
export class Receipts {
  readonly #sqlite: Database.Database;
  readonly #requirePresent: () => void;
  readonly #clock: Clock;
  readonly #statements: ReturnType<typeof statementsOf>;
  readonly #log: FileHandle;
  readonly #groups = new Groups<readonly NewReceipt[], undefined>({
    write: (group) => this.#store(group),
    most: MAX_GROUP,
    maxSize: MAX_GROUP_CHARS,
    sizeOf: (receipts) => receipts.reduce((chars, { message }) => chars + message.length, 0),
  });

  /** @param store opened with `callbackMigrations`, synchronous `full`, and used by nobody else */
  static async open(store: OwnStore, clock: Clock): Promise<Receipts> {
    const { sqlite } = store;
    // a commit that SQLite syncs, so that the log itself is there after a power cut
    sqlite.pragma('user_version = 1');
    sqlite.pragma('synchronous = normal');
    sqlite.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    return new Receipts(store, clock, await open(`${sqlite.name}-wal`, 'r+'));
  }

  private constructor({ sqlite, requirePresent }: OwnStore, clock: Clock, log: FileHandle) {
    this.#sqlite = sqlite;
    this.#requirePresent = requirePresent;
    this.#clock = clock;
    this.#log = log;
    this.#statements = statementsOf(sqlite);
  }

  /** Resolves when the messages are on the disk. @throws PlanchetError `disk-full`, `store-failed`; nothing is stored then */
  add(receipts: readonly NewReceipt[]): Promise<void> {
    return this.#groups.add(receipts);
  }

  /** The oldest messages that the tracker does not have. */
  waiting(limit: number): WaitingReceipt[] {
    return this.#statements.next.all(limit);
  }

  countWaiting(): number {
    return this.#statements.count.get() ?? 0;
  }

  /** Id of the newest of them; 0 where there is none. */
  lastWaiting(): number {
    return this.#statements.last.get() ?? 0;
  }

  /** The tracker has every message up to this one, with its text in its history. */
  handled(lastId: number): void {
    this.#sqlite.transaction(() => {
      this.#statements.clear.run(lastId);
      this.#statements.done.run(lastId);
    })();
  }

  /** Forgets messages that no miner sends again. */
  forgetOld(): void {
    this.#statements.forget.run(this.#clock.now() - REMEMBERED_MS);
  }

  /** Resolves when everything handed in is on the disk or refused. */
  idle(): Promise<void> {
    return this.#groups.idle();
  }

  /** Resolves when the log is closed; nothing may be handed in any more. */
  async close(): Promise<void> {
    await this.idle();
    await this.#log.close();
  }

  async #store(group: readonly (readonly NewReceipt[])[]): Promise<undefined[]> {
    try {
      this.#requirePresent();
      this.#write(group.flat());
      await this.#log.datasync();
      return [];
    } catch (error) {
      throw storeFailure(error, this.#sqlite.name);
    }
  }

  #write(receipts: readonly NewReceipt[]): void {
    const at = this.#clock.now();
    const { insert, wait } = this.#statements;
    this.#sqlite.transaction(() => {
      for (const { minerId, identity, signature, message } of receipts) {
        const digest = hash('sha256', `${minerId}\n${identity}`, 'buffer');
        const { changes, lastInsertRowid } = insert.run(digest, minerId, signature, at, message);
        if (changes > 0) wait.run(lastInsertRowid);
      }
    })();
  }
}

function statementsOf(sqlite: Database.Database) {
  return {
    insert: sqlite.prepare<unknown[]>(
      'insert into callback_receipts (digest, miner_id, signature, at, message) values (?, ?, ?, ?, ?) on conflict do nothing',
    ),
    wait: sqlite.prepare<unknown[]>('insert into callback_waiting (receipt_id) values (?)'),
    next: sqlite.prepare<unknown[], WaitingReceipt>(`select id, miner_id as minerId, signature, at, message
      from callback_waiting join callback_receipts on id = receipt_id order by receipt_id limit ?`),
    done: sqlite.prepare<unknown[]>('delete from callback_waiting where receipt_id <= ?'),
    clear: sqlite.prepare<unknown[]>(`update callback_receipts set message = null
      where id in (select receipt_id from callback_waiting where receipt_id <= ?)`),
    forget: sqlite.prepare<unknown[]>('delete from callback_receipts where at < ? and message is null'),
    count: sqlite.prepare<[], number>('select count(*) from callback_waiting').pluck(),
    last: sqlite.prepare<[], number | null>('select max(receipt_id) from callback_waiting').pluck(),
  };
}
