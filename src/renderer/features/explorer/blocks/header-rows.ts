import type { BlockRow } from '../../../../contract/index.ts';

/** Blocks this close to the tip may still be replaced. */
const UNSETTLED = 200;
/** Headers asked for at once. */
const TOGETHER = 25;

export interface HeaderRow {
  height: number;
  /** Undefined until it was read. */
  header: BlockRow | undefined;
}

/** The headers read so far, by height. A row stays the same object until its header changes, so that lists draw only what is new. */
export class HeaderRows {
  readonly #headerAt: (height: number) => Promise<BlockRow>;
  readonly #rows = new Map<number, HeaderRow>();
  readonly #reading = new Set<number>();
  #tip: string | undefined;
  #highest = -1;

  constructor(headerAt: (height: number) => Promise<BlockRow>) {
    this.#headerAt = headerAt;
  }

  row(height: number): HeaderRow {
    let row = this.#rows.get(height);
    if (row === undefined) {
      row = { height, header: undefined };
      this.#rows.set(height, row);
    }
    return row;
  }

  /** A new tip may have replaced blocks near it; deeper ones stay as they were read. */
  tipMoved(tip: { height: number; hash: string }): void {
    if (tip.hash === this.#tip) return;
    this.#tip = tip.hash;
    this.#reading.clear();
    for (let height = Math.max(0, tip.height - UNSETTLED); height <= this.#highest; height++) this.#rows.delete(height);
    this.#highest = tip.height;
  }

  /** All of these rows, with the headers of one chain. @throws why a header could not be read */
  async complete(heights: readonly number[]): Promise<readonly HeaderRow[]> {
    for (;;) {
      const tip = this.#tip;
      const missing = heights.filter((height) => this.row(height).header === undefined);
      if (missing.length === 0) return heights.map((height) => this.row(height));
      // Also what a round for the rows in sight is still waiting for.
      for (const height of missing) this.#reading.delete(height);
      const { error } = await this.read(missing);
      // A new tip may have replaced some of them, which are then read again.
      if (error !== undefined && tip === this.#tip) throw error;
    }
  }

  /** Reads the headers that are not known yet. @returns whether there are new ones, and why some could not be read */
  async read(heights: readonly number[]): Promise<{ changed: boolean; error: unknown }> {
    const tip = this.#tip;
    const wanted = heights.filter((height) => this.row(height).header === undefined && !this.#reading.has(height));
    let changed = false;
    let error: unknown;
    for (let at = 0; at < wanted.length; at += TOGETHER) {
      const part = wanted.slice(at, at + TOGETHER);
      for (const height of part) this.#reading.add(height);
      const answers = await Promise.allSettled(part.map(this.#headerAt));
      for (const [index, answer] of answers.entries()) {
        if (tip !== this.#tip) return { changed, error };
        const height = part[index] as number;
        this.#reading.delete(height);
        if (answer.status === 'rejected') error ??= answer.reason;
        else {
          this.#rows.set(height, { height, header: answer.value });
          changed = true;
        }
      }
    }
    return { changed, error };
  }
}
