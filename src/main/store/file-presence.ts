import { statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { PlanchetError } from '../../contract/index.ts';

/** Device and inode of the file at a path; null if there is none, undefined if the system does not say. */
function identityOf(path: string): string | null | undefined {
  try {
    const found = statSync(path, { bigint: true });
    return `${found.dev} ${found.ino}`;
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code)) ? null : undefined;
  }
}

/**
 * Whether an open database and its log are still the files at their paths. SQLite goes on in files that were removed or replaced, and all that it is
 * given then is lost with the process. Both are looked up within ten microseconds.
 */
export class FilePresence {
  readonly #sqlite: Database.Database;
  readonly #file: string | null | undefined;
  /** SQLite makes the log when it first reads or writes. */
  #log: string | null | undefined;
  #isSaved = false;

  constructor(sqlite: Database.Database) {
    this.#sqlite = sqlite;
    this.#file = sqlite.memory ? undefined : identityOf(sqlite.name);
  }

  /** @throws PlanchetError `store-failed` while the database or its log is not where it was */
  require(): void {
    if (this.#file === undefined) return;
    const { name } = this.#sqlite;
    const file = identityOf(name);
    const log = identityOf(`${name}-wal`);
    this.#log ??= log;
    const isThere = file === this.#file && log === this.#log;
    if (isThere || file === undefined || log === undefined) return;
    this.#save();
    throw new PlanchetError('store.removed', { file: name });
  }

  /** Writes what is only in the log into the file, which may still be there. */
  #save(): void {
    if (this.#isSaved || this.#sqlite.inTransaction) return;
    this.#isSaved = true;
    try {
      this.#sqlite.pragma('wal_checkpoint(PASSIVE)');
    } catch {
      // closing it tries again
    }
  }
}
