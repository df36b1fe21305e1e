import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { z } from 'zod';
import { type Rehearsal, type RunItem, rehearsalSchema, runItemSchema } from '../../../contract/index.ts';

const keptSchema = z.object({ rehearsal: rehearsalSchema, items: z.array(runItemSchema) });

/** What a rehearsal came to. Its network is gone. */
export class EndedRehearsal {
  readonly #view: Rehearsal;
  readonly #items: readonly RunItem[];

  constructor(view: Rehearsal, items: readonly RunItem[]) {
    this.#view = view;
    this.#items = items;
  }

  view(): Rehearsal {
    return this.#view;
  }

  async items(offset: number, limit: number): Promise<{ items: RunItem[]; next: number | null }> {
    return pageOf(this.#items, offset, limit);
  }

  /** There is nothing left to end. */
  async cancel(): Promise<void> {}
}

/** A page of a list. `next` is the offset of the next one. */
export function pageOf(
  items: readonly RunItem[],
  offset: number,
  limit: number,
): { items: RunItem[]; next: number | null } {
  const end = offset + limit;
  return { items: items.slice(offset, end), next: end < items.length ? end : null };
}

/** What rehearsals came to, one file each. They name no money: losing one costs another rehearsal. */
export class RehearsalResults {
  readonly #folder: string;
  readonly #logger: Logger;
  #last: Promise<void> = Promise.resolve();

  constructor(folder: string, logger: Logger) {
    this.#folder = folder;
    this.#logger = logger;
  }

  /** Oldest first. A file that cannot be read, as one of another version, is left out. */
  async load(): Promise<EndedRehearsal[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const kept: z.infer<typeof keptSchema>[] = [];
    for (const name of names.filter((one) => one.endsWith('.json'))) {
      try {
        kept.push(keptSchema.parse(JSON.parse(await readFile(join(this.#folder, name), 'utf8'))));
      } catch (error) {
        this.#logger.info({ err: error, name }, 'the result of a rehearsal cannot be read');
      }
    }
    kept.sort((a, b) => a.rehearsal.startedAt - b.rehearsal.startedAt);
    return kept.map(({ rehearsal, items }) => new EndedRehearsal(rehearsal, items));
  }

  /** Never fails: a result that could not be written is gone after a restart. */
  keep(rehearsal: Rehearsal, items: readonly RunItem[]): void {
    this.#then(async () => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      const part = `${this.#file(rehearsal.id)}.part`;
      await writeFile(part, JSON.stringify({ rehearsal, items }), { mode: 0o600 });
      await rename(part, this.#file(rehearsal.id));
    });
  }

  forget(id: string): void {
    this.#then(() => rm(this.#file(id), { force: true }));
  }

  /** Resolves once all is written. */
  settled(): Promise<void> {
    return this.#last;
  }

  #file(id: string): string {
    return join(this.#folder, `${id}.json`);
  }

  #then(work: () => Promise<void>): void {
    this.#last = this.#last.then(work).catch((error: unknown) => {
      this.#logger.warn({ err: error }, 'the result of a rehearsal could not be kept');
    });
  }
}
