import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import {
  type ImportOpenInput,
  type ImportRow,
  type ImportStatus,
  importOpenInputSchema,
  importRowsInputSchema,
} from '../../../../contract/index.ts';
import type { Clock } from '../../../ports/clock.ts';
import { TestService } from '../../test-support/test-service.ts';
import { openStudio, type TestStudio } from '../../test-support/test-studio.ts';
import { until } from '../../test-support/until.ts';

/** A studio over a temporary folder, with another folder for the files to import. */
export class ImportHarness {
  service!: TestService;
  t!: TestStudio;
  folder = '';
  #clock: Clock | undefined;

  /**
   * All tests of the file share one, which is emptied for each: the threads and the process that read an import start once. In the long run, and where
   * `isFresh` says so, each test has its own.
   */
  static forTests({
    isFresh = process.env.PLANCHET_LONG !== undefined,
    clock,
  }: {
    isFresh?: boolean;
    clock?: Clock;
  } = {}): ImportHarness {
    const harness = new ImportHarness();
    harness.#clock = clock;
    if (isFresh) {
      beforeEach(() => harness.#open());
      afterEach(() => harness.#remove());
    } else {
      beforeAll(() => harness.#open());
      afterEach(() => harness.#empty());
      afterAll(() => harness.#remove());
    }
    return harness;
  }

  async #open(): Promise<void> {
    this.service = new TestService();
    await this.service.start();
    this.folder = mkdtempSync(join(tmpdir(), 'planchet-import-'));
    await this.#openStudio();
  }

  async #openStudio(): Promise<void> {
    const clock = this.#clock !== undefined && { clock: this.#clock };
    this.t = await openStudio({ dataDir: join(this.folder, 'data'), url: this.service.url, ...clock });
  }

  async #remove(): Promise<void> {
    await this.t.close();
    await this.service.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Removes what a test made. */
  async #empty(): Promise<void> {
    const { imports } = this.t.studio;
    for (const { id } of await imports.list()) await imports.discard({ id });
    const database = new Database(join(this.folder, 'data', 'planchet.db'));
    database.pragma('foreign_keys = off');
    const tables = database.prepare(
      "select name from sqlite_master where type = 'table' and name like 'studio\\_%' escape '\\'",
    );
    for (const table of tables.pluck().all()) database.exec(`delete from ${table}`);
    database.close();
    for (const made of [this.service.projects, this.service.outputs, this.service.transactions]) made.clear();
    const files = join(this.folder, 'data', 'files');
    for (const name of readdirSync(files)) rmSync(join(files, name), { recursive: true });
    rmSync(join(this.folder, 'art'), { recursive: true, force: true });
  }

  /** Stops the studio, wherever it is in its work, and opens it again. */
  async restart(): Promise<void> {
    await this.t.close();
    await this.#openStudio();
  }

  /** Writes a file into the folder `art`. @returns its full path */
  put(path: string, content: string | Uint8Array): string {
    const full = join(this.folder, 'art', path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, content);
    return full;
  }

  /** Opens an import, of the folder `art` unless something else is named, and waits until it is read. */
  async read(input: Partial<ImportOpenInput> = {}): Promise<ImportStatus> {
    const open = importOpenInputSchema.parse({ paths: [join(this.folder, 'art')], projectName: 'Rings', ...input });
    return this.settled((await this.t.studio.imports.open(open)).id);
  }

  async commit(id: string): Promise<ImportStatus> {
    await this.t.studio.imports.commit({ id });
    return this.settled(id);
  }

  async rows(
    id: string,
    input: { filter?: 'all' | 'errors'; offset?: number; limit?: number } = {},
  ): Promise<ImportRow[]> {
    return (await this.t.studio.imports.rows(importRowsInputSchema.parse({ id, ...input }))).rows;
  }

  /** Changes one cell. */
  async edit(row: ImportRow | undefined, id: string, field: string, value: string | null): Promise<void> {
    await this.t.studio.imports.edit({ id, edits: [{ row: row?.row ?? -1, field, value }] });
  }

  /** Waits until nothing is read or committed. */
  async settled(id: string): Promise<ImportStatus> {
    const { imports } = this.t.studio;
    const ask = async (): Promise<void> => {
      status = await imports.status({ id });
      isAsked = false;
    };
    let status = await imports.status({ id });
    let isAsked = false;
    await until(
      () => status,
      () => {
        if (status.phase !== 'reading' && status.phase !== 'committing') return true;
        if (!isAsked) {
          isAsked = true;
          void ask();
        }
        return false;
      },
    );
    return status;
  }
}
