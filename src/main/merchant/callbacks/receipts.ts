import { hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type Database from 'better-sqlite3';
import type { Clock } from '../../ports/clock.ts';
import { storeFailure } from '../../store/store.ts';

/** Messages that share one commit at most, and their bytes. */
const MAX_GROUP = 500;
const MAX_GROUP_CHARS = 8_000_000;
/** How often requests that are still arriving are waited for before a group is written. */
const MORE_READS = 4;
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
export interface WaitingReceipt {
  readonly id: number;
  readonly minerId: string;
  readonly signature: string;
  readonly at: number;
  readonly message: string;
}

interface Pending {
  readonly receipts: readonly NewReceipt[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The journal of callbacks. All that arrive while one group is synced make the next group, so that many share one fsync; each is on the
 * disk when its promise resolves, once, however often it is sent. SQLite writes a group into its log and this class syncs the log, because
 * SQLite would hold up the event loop meanwhile.
 */
export class Receipts {
  readonly #sqlite: Database.Database;
  readonly #clock: Clock;
  readonly #insert: Database.Statement<unknown[]>;
  readonly #wait: Database.Statement<unknown[]>;
  readonly #next: Database.Statement<unknown[], WaitingReceipt>;
  readonly #done: Database.Statement<unknown[]>;
  readonly #clear: Database.Statement<unknown[]>;
  readonly #forget: Database.Statement<unknown[]>;
  readonly #count: Database.Statement<[], number>;
  readonly #last: Database.Statement<[], number | null>;
  readonly #log: FileHandle;
  #pending: Pending[] = [];
  #flushing: Promise<void> | undefined;

  /** @param sqlite opened with `callbackMigrations`, synchronous `full`, and used by nobody else */
  static async open(sqlite: Database.Database, clock: Clock): Promise<Receipts> {
    // a commit that SQLite syncs, so that the log itself is there after a power cut
    sqlite.pragma('user_version = 1');
    sqlite.pragma('synchronous = normal');
    sqlite.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    return new Receipts(sqlite, clock, await open(`${sqlite.name}-wal`, 'r+'));
  }

  private constructor(sqlite: Database.Database, clock: Clock, log: FileHandle) {
    this.#sqlite = sqlite;
    this.#clock = clock;
    this.#log = log;
    this.#insert = sqlite.prepare(
      'insert into callback_receipts (digest, miner_id, signature, at, message) values (?, ?, ?, ?, ?) on conflict do nothing',
    );
    this.#wait = sqlite.prepare('insert into callback_waiting (receipt_id) values (?)');
    this.#next = sqlite.prepare(`select id, miner_id as minerId, signature, at, message from callback_waiting
      join callback_receipts on id = receipt_id order by receipt_id limit ?`);
    this.#done = sqlite.prepare('delete from callback_waiting where receipt_id <= ?');
    this.#clear = sqlite.prepare(`update callback_receipts set message = null
      where id in (select receipt_id from callback_waiting where receipt_id <= ?)`);
    this.#forget = sqlite.prepare('delete from callback_receipts where at < ? and message is null');
    this.#count = sqlite.prepare<[], number>('select count(*) from callback_waiting').pluck();
    this.#last = sqlite.prepare<[], number | null>('select max(receipt_id) from callback_waiting').pluck();
  }

  /** Resolves when the messages are on the disk. @throws PlanchetError `disk-full`, `store-failed`; nothing is stored then */
  add(receipts: readonly NewReceipt[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#pending.push({ receipts, resolve, reject });
      this.#flushing ??= this.#flush();
    });
  }

  /** The oldest messages that the tracker does not have. */
  waiting(limit: number): WaitingReceipt[] {
    return this.#next.all(limit);
  }

  countWaiting(): number {
    return this.#count.get() ?? 0;
  }

  /** Id of the newest of them; 0 where there is none. */
  lastWaiting(): number {
    return this.#last.get() ?? 0;
  }

  /** The tracker has every message up to this one, with its text in its history. */
  handled(lastId: number): void {
    this.#sqlite.transaction(() => {
      this.#clear.run(lastId);
      this.#done.run(lastId);
    })();
  }

  /** Forgets messages that no miner sends again. */
  forgetOld(): void {
    this.#forget.run(this.#clock.now() - REMEMBERED_MS);
  }

  /** Resolves when everything handed in is on the disk or refused. */
  async idle(): Promise<void> {
    await this.#flushing;
  }

  /** Resolves when the log is closed; nothing may be handed in any more. */
  async close(): Promise<void> {
    await this.idle();
    await this.#log.close();
  }

  async #flush(): Promise<void> {
    try {
      while (this.#pending.length > 0) {
        await this.#gather();
        const group = this.#nextGroup();
        try {
          this.#write(group.flatMap(({ receipts }) => receipts));
          await this.#log.datasync();
          for (const { resolve } of group) resolve();
        } catch (error) {
          const failure = storeFailure(error, this.#sqlite.name);
          for (const { reject } of group) reject(failure);
        }
      }
    } finally {
      this.#flushing = undefined;
    }
  }

  /** Requests whose bytes are already here join the group: each group less is a sync less. */
  async #gather(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    for (let reads = 0, before = 0; reads < MORE_READS && this.#pending.length > before; reads++) {
      before = this.#pending.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #nextGroup(): Pending[] {
    let chars = 0;
    let count = 0;
    for (const { receipts } of this.#pending) {
      for (const { message } of receipts) chars += message.length;
      if (count === MAX_GROUP || (count > 0 && chars > MAX_GROUP_CHARS)) break;
      count += 1;
    }
    return this.#pending.splice(0, count);
  }

  #write(receipts: readonly NewReceipt[]): void {
    const at = this.#clock.now();
    this.#sqlite.transaction(() => {
      for (const { minerId, identity, signature, message } of receipts) {
        const digest = hash('sha256', `${minerId}\n${identity}`, 'buffer');
        const { changes, lastInsertRowid } = this.#insert.run(digest, minerId, signature, at, message);
        if (changes > 0) this.#wait.run(lastInsertRowid);
      }
    })();
  }
}
