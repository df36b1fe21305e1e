import { setImmediate } from 'node:timers/promises';
import { Rerun } from './rerun.ts';

export interface GroupsOptions<Item, Result> {
  /** Stores a group. What it throws is thrown to all who gave an item of it. @returns a result for each item, in their order */
  write: (group: readonly Item[]) => readonly Result[] | Promise<readonly Result[]>;
  /** Most items of a group; any number where it is left out. */
  most?: number;
  /** Most that the items of a group hold together, counted by `sizeOf`; one alone may hold more. */
  maxSize?: number;
  sizeOf?: (item: Item) => number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** How often requests that are still arriving are waited for before a group is written. */
const MORE_READS = 4;

/** Writes in groups: all that comes while one group is written makes the next, so that many share one sync of the disk. */
export class Groups<Item, Result> {
  readonly #options: GroupsOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  readonly #writing = new Rerun({
    work: async () => {
      while (this.#waiting.length > 0) await this.#writeNext();
    },
    // Whoever gave an item has been told.
    onError: () => undefined,
  });

  constructor(options: GroupsOptions<Item, Result>) {
    this.#options = options;
  }

  /** Resolves when the item is written. @throws what `write` throws */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      void this.#writing.wake();
    });
  }

  /** Resolves when everything handed in is written or refused. */
  idle(): Promise<void> {
    return this.#writing.wake();
  }

  async #writeNext(): Promise<void> {
    await this.#gather();
    const group = this.#nextGroup();
    try {
      const writing = this.#options.write(group.map(({ item }) => item));
      const results = writing instanceof Promise ? await writing : writing;
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  /**
   * Requests whose bytes are already here join the group. Callers' requests come in bursts, so the sockets are read once more, and again
   * as long as that brings some: a read takes microseconds, and each group less is a sync less.
   */
  async #gather(): Promise<void> {
    await setImmediate();
    for (let reads = 0, before = 0; reads < MORE_READS && this.#waiting.length > before; reads++) {
      before = this.#waiting.length;
      await setImmediate();
    }
  }

  #nextGroup(): Waiting<Item, Result>[] {
    const { most, maxSize = Number.POSITIVE_INFINITY, sizeOf = () => 0 } = this.#options;
    let size = 0;
    let count = 0;
    for (const { item } of this.#waiting) {
      size += sizeOf(item);
      if (count === most || (count > 0 && size > maxSize)) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }
}
