import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import {
  type ImportOpenInput,
  type ImportRow,
  type ImportStatus,
  importOpenInputSchema,
  importRowsInputSchema,
} from '../../../../contract/index.ts';
import { TestService } from '../../test-support/test-service.ts';
import { openStudio, type TestStudio } from '../../test-support/test-studio.ts';
import { until } from '../../test-support/until.ts';

/** A studio over a temporary folder, with a folder beside it for what is imported. */
export class ImportHarness {
  service!: TestService;
  t!: TestStudio;
  folder = '';

  /** Opens and removes it with the tests of the file. */
  static forTests(): ImportHarness {
    const harness = new ImportHarness();
    beforeEach(async () => {
      harness.service = new TestService();
      await harness.service.start();
      harness.folder = mkdtempSync(join(tmpdir(), 'planchet-import-'));
      harness.t = await openStudio({ dataDir: join(harness.folder, 'data'), url: harness.service.url });
    });
    afterEach(async () => {
      await harness.t.close();
      await harness.service.stop();
      rmSync(harness.folder, { recursive: true, force: true });
    });
    return harness;
  }

  /** Stops the studio, wherever it is in its work, and opens it again. */
  async restart(): Promise<void> {
    await this.t.close();
    this.t = await openStudio({ dataDir: join(this.folder, 'data'), url: this.service.url });
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
    return this.#settled((await this.t.studio.imports.open(open)).id);
  }

  async commit(id: string): Promise<ImportStatus> {
    await this.t.studio.imports.commit({ id });
    return this.#settled(id);
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

  async #settled(id: string): Promise<ImportStatus> {
    const { imports } = this.t.studio;
    const ask = (): void =>
      void imports.status({ id }).then((now) => {
        status = now;
        isAsked = false;
      });
    let status = await imports.status({ id });
    let isAsked = false;
    await until(
      () => status,
      () => {
        if (status.phase !== 'reading' && status.phase !== 'committing') return true;
        if (!isAsked) {
          isAsked = true;
          ask();
        }
        return false;
      },
    );
    return status;
  }
}
