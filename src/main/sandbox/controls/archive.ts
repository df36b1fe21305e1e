import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { PlanchetError, type SandboxSnapshot } from '../../../contract/index.ts';
import { keepToOwner, storeFailure } from '../../store/store.ts';
import { contentFolder, databaseFile } from '../core.ts';

/** Pages copied in one step; other work runs between steps. */
const PAGES_AT_ONCE = 2_000;
const DATABASE = 'sandbox.db';
const CONTENTS = 'contents';
/** Names the newest block of a snapshot. */
const TIP = 'tip.json';
/** Suffix of incomplete files and folders. */
const PART = '.part';
/** Tables that every network database has. */
const NEEDED_TABLES = ['node_blocks', 'node_utxos', 'token_keys', 'sandbox_state', 'sandbox_contents'];

/** Copies of networks in files: snapshots, exports and imports. */
export class Archive {
  readonly #dataDir: string;
  /** Folder for temporary files; emptied at every start. */
  readonly workFolder: string;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
    this.workFolder = join(dataDir, 'exchange');
  }

  /** Creates the folders and removes leftovers of a killed process. */
  async prepare(): Promise<void> {
    await guarded(this.#dataDir, async () => {
      await rm(this.workFolder, { recursive: true, force: true });
      await mkdir(this.workFolder, { recursive: true, mode: 0o700 });
      await mkdir(this.#snapshots, { recursive: true, mode: 0o700 });
      for (const name of await readdir(this.#snapshots)) {
        if (name.endsWith(PART)) await rm(join(this.#snapshots, name), { recursive: true, force: true });
      }
      // an interrupted replacement: restore the previous network
      const before = `${databaseFile(this.#dataDir)}.before`;
      if (await exists(before)) await this.#putBack();
    });
  }

  /** All snapshots, oldest first. */
  async list(): Promise<SandboxSnapshot[]> {
    return guarded(this.#dataDir, async () => {
      const snapshots: SandboxSnapshot[] = [];
      for (const name of await readdir(this.#snapshots)) {
        const found = name.endsWith(PART) ? undefined : await this.#describe(name);
        if (found !== undefined) snapshots.push(found);
      }
      return snapshots.sort((a, b) => a.takenAt - b.takenAt);
    });
  }

  /** Takes a snapshot of the network, which may keep running. @throws PlanchetError `conflict` if the name is taken */
  async take(name: string, now: number): Promise<SandboxSnapshot> {
    const folder = join(this.#snapshots, name);
    return guarded(folder, async () => {
      if (await exists(folder)) throw new PlanchetError('sandbox.snapshot-exists', { name });
      const part = `${folder}${PART}`;
      await rm(part, { recursive: true, force: true });
      await mkdir(join(part, CONTENTS), { recursive: true, mode: 0o700 });
      await backUp(databaseFile(this.#dataDir), join(part, DATABASE));
      await this.#linkContents(contentFolder(this.#dataDir), join(part, CONTENTS));
      await writeFile(join(part, TIP), JSON.stringify(await tipOf(join(part, DATABASE))), { mode: 0o600 });
      await writeFile(join(part, 'taken'), String(now), { mode: 0o600 });
      await rename(part, folder);
      return (await this.#describe(name)) as SandboxSnapshot;
    });
  }

  /** @throws PlanchetError `not-found` */
  async remove(name: string): Promise<void> {
    await this.#require(name);
    await guarded(this.#dataDir, async () => {
      // renamed first, so that a partly removed folder is not taken for a snapshot
      const part = join(this.#snapshots, `${name}${PART}`);
      await rename(join(this.#snapshots, name), part);
      await rm(part, { recursive: true, force: true });
    });
  }

  /**
   * Restores a snapshot in place of the network, which must be closed.
   * @throws PlanchetError `not-found`
   */
  async restore(name: string): Promise<void> {
    await this.#require(name);
    const folder = join(this.#snapshots, name);
    await this.replace(async () => {
      await copyFile(join(folder, DATABASE), databaseFile(this.#dataDir), constants.COPYFILE_FICLONE);
      await this.#linkContents(join(folder, CONTENTS), contentFolder(this.#dataDir));
    });
  }

  /** Moves the closed network aside and lets `fill` create another. Must be followed by {@link keep} or {@link undo}. */
  async replace(fill: () => Promise<void>): Promise<void> {
    const file = databaseFile(this.#dataDir);
    await guarded(file, async () => {
      await mergeLog(file);
      await rename(file, `${file}.before`);
      try {
        await fill();
      } catch (error) {
        await this.#putBack();
        throw error;
      }
    });
  }

  /** Confirms the new network and removes the previous one. */
  async keep(): Promise<void> {
    await rm(`${databaseFile(this.#dataDir)}.before`, { force: true });
  }

  /** Restores the previous network because the new one does not open. */
  async undo(): Promise<void> {
    await guarded(this.#dataDir, () => this.#putBack());
  }

  /**
   * Exports the network to one new file: a database that includes the contents as a table.
   * @param state additional rows of `sandbox_state`
   * @throws PlanchetError `conflict` if the file exists
   */
  async exportTo(file: string, state: Readonly<Record<string, string>>): Promise<{ bytes: number }> {
    if (await exists(file)) throw new PlanchetError('sandbox.export-exists', { file });
    return guarded(file, async () => {
      const part = join(this.workFolder, `export-${process.hrtime.bigint()}.db`);
      try {
        await backUp(databaseFile(this.#dataDir), part);
        await fillContents(part, contentFolder(this.#dataDir), state);
        // an interrupted copy must not be taken for an export
        await copyFile(part, `${file}${PART}`, constants.COPYFILE_FICLONE);
        await rename(`${file}${PART}`, file);
        return { bytes: (await stat(file)).size };
      } finally {
        for (const left of [part, `${file}${PART}`]) await rm(left, { force: true });
      }
    });
  }

  /**
   * Reads an exported network into a temporary copy.
   * @returns a function that puts it in place while the network is closed
   * @throws PlanchetError `not-found`, `invalid-input` for a file that is not an exported network
   */
  async readImport(file: string): Promise<() => Promise<void>> {
    if (!(await exists(file))) throw new PlanchetError('sandbox.import-missing', { file });
    const copy = join(this.workFolder, `import-${process.hrtime.bigint()}.db`);
    await guarded(copy, async () => {
      keepToOwner(copy);
      await copyFile(file, copy, constants.COPYFILE_FICLONE);
      keepToOwner(copy);
    });
    try {
      await checkNetwork(copy);
    } catch (error) {
      await rm(copy, { force: true });
      throw new PlanchetError('sandbox.import-invalid', { file }, { cause: error });
    }
    return () =>
      this.replace(async () => {
        await extractContents(copy, contentFolder(this.#dataDir));
        await rename(copy, databaseFile(this.#dataDir));
      });
  }

  get #snapshots(): string {
    return join(this.#dataDir, 'snapshots');
  }

  async #require(name: string): Promise<void> {
    if ((await this.#describe(name)) !== undefined) return;
    throw new PlanchetError('sandbox.snapshot-missing', { name });
  }

  async #describe(name: string): Promise<SandboxSnapshot | undefined> {
    const folder = join(this.#snapshots, name);
    const taken = await readFile(join(folder, 'taken'), 'utf8').catch(() => undefined);
    if (taken === undefined) return undefined;
    const tip = await readFile(join(folder, TIP), 'utf8').then(
      (text) => JSON.parse(text) as SandboxSnapshot['tip'],
      () => null,
    );
    return { name, takenAt: Number(taken), bytes: (await stat(join(folder, DATABASE))).size, tip };
  }

  async #putBack(): Promise<void> {
    const file = databaseFile(this.#dataDir);
    for (const left of [file, `${file}-wal`, `${file}-shm`]) await rm(left, { force: true });
    await rename(`${file}.before`, file);
  }

  /** Content files never change, so a hard link is as good as a copy. */
  async #linkContents(from: string, to: string): Promise<void> {
    await mkdir(to, { recursive: true, mode: 0o700 });
    for (const name of await readdir(from).catch(() => [])) {
      if (!/^[0-9a-f]{64}$/.test(name)) continue;
      const target = join(to, name);
      await link(join(from, name), target).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return;
        await copyFile(join(from, name), target, constants.COPYFILE_FICLONE);
      });
    }
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

async function guarded<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof PlanchetError ? error : storeFailure(error, path);
  }
}

/** Opens a database for some work and always closes it. */
async function within<T>(file: string, work: (database: Database.Database) => T | Promise<T>): Promise<T> {
  const database = new Database(file, { fileMustExist: true });
  try {
    return await work(database);
  } finally {
    database.close();
  }
}

/** A consistent copy of a database in use. */
async function backUp(from: string, to: string): Promise<void> {
  await within(from, async (database) => {
    keepToOwner(to);
    await database.backup(to, { progress: () => PAGES_AT_ONCE });
  });
}

/** The newest block of a copy. */
function tipOf(file: string): Promise<SandboxSnapshot['tip']> {
  return within(file, (database) => {
    const newest = database.prepare('SELECT hash, height FROM node_blocks ORDER BY height DESC LIMIT 1').get();
    return (newest as SandboxSnapshot['tip'] | undefined) ?? null;
  });
}

/** Checkpoints the write-ahead log of a closed database, so that its file is complete. */
async function mergeLog(file: string): Promise<void> {
  await within(file, (database) => database.pragma('wal_checkpoint(TRUNCATE)'));
  for (const left of [`${file}-wal`, `${file}-shm`]) await rm(left, { force: true });
}

async function fillContents(file: string, contents: string, state: Readonly<Record<string, string>>): Promise<void> {
  await within(file, async (database) => {
    // a single file without a write-ahead log
    database.pragma('journal_mode = DELETE');
    const setState = database.prepare('INSERT OR REPLACE INTO sandbox_state (name, value) VALUES (?, ?)');
    for (const [name, value] of Object.entries(state)) setState.run(name, value);
    // callbacks of this network must not be sent by whoever imports it
    forgetCallbacks(database);
    const insert = database.prepare('INSERT OR REPLACE INTO sandbox_contents (sha256, bytes) VALUES (?, ?)');
    const used = database.prepare('SELECT DISTINCT content_hash FROM token_outputs').pluck().all() as string[];
    const small = database.prepare('SELECT bytes FROM token_contents WHERE sha256 = ?').pluck();
    for (const name of used) insert.run(name, small.get(name) ?? (await readFile(join(contents, name))));
    database.exec('DELETE FROM token_contents');
  });
}

async function extractContents(file: string, contents: string): Promise<void> {
  await within(file, async (database) => {
    await mkdir(contents, { recursive: true, mode: 0o700 });
    const names = database.prepare('SELECT sha256 FROM sandbox_contents').pluck().all() as string[];
    const read = database.prepare('SELECT bytes FROM sandbox_contents WHERE sha256 = ?').pluck();
    for (const name of names) {
      const bytes = read.get(name) as Buffer;
      if (createHash('sha256').update(bytes).digest('hex') !== name) {
        throw new PlanchetError('sandbox.import-incomplete', { name });
      }
      if (await exists(join(contents, name))) continue;
      const part = join(contents, `${name}${PART}`);
      await writeFile(part, bytes, { mode: 0o600 });
      await rename(part, join(contents, name));
    }
    database.exec('DELETE FROM sandbox_contents');
    forgetCallbacks(database);
    // only contents whose digests were checked above may be imported
    const hasSmall = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'token_contents'").get() !== undefined;
    if (hasSmall) database.exec('DELETE FROM token_contents');
  });
}

/** @throws if the file is not a network database, or contains triggers or views */
async function checkNetwork(file: string): Promise<void> {
  await within(file, (database) => {
    database.pragma('trusted_schema = OFF');
    const parts = database.prepare('SELECT type, name FROM sqlite_master').all() as { type: string; name: string }[];
    if (parts.some(({ type }) => type === 'trigger' || type === 'view')) throw new Error('it holds triggers or views');
    const tables = new Set(parts.filter(({ type }) => type === 'table').map(({ name }) => name));
    for (const name of NEEDED_TABLES) if (!tables.has(name)) throw new Error(`the table ${name} is missing`);
    const check = database.pragma('quick_check(1)', { simple: true });
    if (check !== 'ok') throw new Error(String(check));
  });
}

/** Removes all requests for callbacks; a database of an earlier version does not have every table. */
function forgetCallbacks(database: Database.Database): void {
  const exists = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?");
  for (const table of ['mapi_callbacks', 'mapi_watches', 'arc_callbacks', 'arc_watches']) {
    if (exists.get(table) !== undefined) database.exec(`DELETE FROM ${table}`);
  }
}
