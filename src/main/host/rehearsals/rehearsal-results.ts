import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { z } from 'zod';
import { type Rehearsal, type RunItem, rehearsalSchema, runItemSchema } from '../../../contract/index.ts';
import { Sequencer } from '../../async/sequencer.ts';

const VIEW = '.view.json';
const ITEMS = '.items.json';
const itemsSchema = z.array(runItemSchema);

/** The result of a rehearsal, whose network is removed. */
export class EndedRehearsal {
  readonly #view: Rehearsal;
  readonly #read: () => Promise<readonly RunItem[]>;
  #items: Promise<readonly RunItem[]> | undefined;

  /** @param read reads the items when they are first asked for: there may be thousands */
  constructor(view: Rehearsal, read: () => Promise<readonly RunItem[]>) {
    this.#view = view;
    this.#read = read;
  }

  view(): Rehearsal {
    return this.#view;
  }

  async items(offset: number, limit: number): Promise<{ items: RunItem[]; next: number | null }> {
    this.#items ??= this.#read();
    return pageOf(await this.#items, offset, limit);
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

/** Results of rehearsals, with their items in a file of their own. They hold no money, so a lost one only has to be rehearsed again. */
export class RehearsalResults {
  readonly #folder: string;
  readonly #logger: Logger;
  readonly #last = new Sequencer();

  constructor(folder: string, logger: Logger) {
    this.#folder = folder;
    this.#logger = logger;
  }

  /** Oldest first. A file that cannot be read, as one of another version, is left out. */
  async load(): Promise<EndedRehearsal[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const kept: Rehearsal[] = [];
    for (const name of names.filter((one) => one.endsWith(VIEW))) {
      const view = await this.#read(name, rehearsalSchema);
      if (view !== undefined) kept.push(view);
    }
    kept.sort((a, b) => a.startedAt - b.startedAt);
    return kept.map(
      (view) => new EndedRehearsal(view, async () => (await this.#read(`${view.id}${ITEMS}`, itemsSchema)) ?? []),
    );
  }

  /** Never fails: a result that could not be written is gone after a restart. */
  keep(rehearsal: Rehearsal, items: readonly RunItem[]): void {
    this.#then(async () => {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      // A rehearsal is listed by its view, so that comes last.
      await this.#write(`${rehearsal.id}${ITEMS}`, items);
      await this.#write(`${rehearsal.id}${VIEW}`, rehearsal);
    });
  }

  forget(id: string): void {
    this.#then(async () => {
      for (const kind of [VIEW, ITEMS]) await rm(join(this.#folder, `${id}${kind}`), { force: true });
    });
  }

  /** Resolves once all is written. */
  settled(): Promise<void> {
    return this.#last.idle();
  }

  /** @returns undefined where it cannot be read */
  async #read<T>(name: string, schema: z.ZodType<T>): Promise<T | undefined> {
    try {
      return schema.parse(JSON.parse(await readFile(join(this.#folder, name), 'utf8')));
    } catch (error) {
      this.#logger.info({ err: error, name }, 'the result of a rehearsal cannot be read');
      return undefined;
    }
  }

  async #write(name: string, content: unknown): Promise<void> {
    const file = join(this.#folder, name);
    await writeFile(`${file}.part`, JSON.stringify(content), { mode: 0o600 });
    await rename(`${file}.part`, file);
  }

  #then(work: () => Promise<void>): void {
    void this.#last.run(work).catch((error: unknown) => {
      this.#logger.warn({ err: error }, 'the result of a rehearsal could not be kept');
    });
  }
}
