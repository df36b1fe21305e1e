import { HEADER_BYTES, headerHash, parseHeader } from '../../../chain/index.ts';
import type { ChainRules } from './chain-rules.ts';
import { workAt } from './difficulty.ts';
import type { HeaderFile } from './header-file.ts';

/** Headers that are summed up in one turn, and for which one sum is kept. */
const STEP = 256;
/** Offset of the compact target in a header. */
const BITS_AT = 72;

interface Sum {
  readonly height: number;
  readonly hash: string;
  /** Work of the chain up to this block. */
  readonly work: bigint;
}

/**
 * The work of a chain up to any of its headers, which no header tells. It is counted from a block whose work is fixed in the program, or from the
 * first one. Sums are kept at some heights, so that a question reads few headers.
 */
export class ChainWork {
  readonly #rules: ChainRules;
  readonly #file: HeaderFile;
  /** The lowest first. */
  readonly #sums: Sum[] = [];
  #tip: Sum | undefined;

  constructor(rules: ChainRules, file: HeaderFile) {
    this.#rules = rules;
    this.#file = file;
  }

  /** @returns undefined where there is no header at the height, or nothing to count from */
  async at(height: number): Promise<bigint | undefined> {
    for (;;) {
      const near = this.#file.hashAt(height) === undefined ? undefined : this.#nearest(height);
      if (near === undefined) return undefined;
      const away = height - near.height;
      if (Math.abs(away) <= STEP) return this.#moved(near, height).work;
      this.#keep(this.#moved(near, near.height + Math.sign(away) * STEP));
      // the chain may leave the branch meanwhile
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Work of the whole chain; undefined where it has no block whose work is fixed. */
  get ofTip(): bigint | undefined {
    const fixed = this.#fixed();
    if (fixed === undefined) return undefined;
    const known = this.#tip !== undefined && this.#holds(this.#tip) ? this.#tip : fixed;
    this.#tip = this.#moved(known, this.#file.count - 1);
    return this.#tip.work;
  }

  /** Work of the headers above a height. */
  above(height: number): bigint {
    return this.#between(height, this.#file.count - 1);
  }

  /** The sum at or below a height; above it where there is none. */
  #nearest(height: number): Sum | undefined {
    const sums = this.#sums;
    // those of blocks that left the chain
    while (sums.length > 0 && !this.#holds(sums.at(-1) as Sum)) sums.pop();
    const start = sums.length === 0 ? (this.#fixed() ?? this.#first()) : undefined;
    if (start !== undefined) sums.push(start);
    return sums.findLast((sum) => sum.height <= height) ?? sums[0];
  }

  #keep(sum: Sum): void {
    const above = this.#sums.findIndex(({ height }) => height > sum.height);
    this.#sums.splice(above < 0 ? this.#sums.length : above, 0, sum);
  }

  #moved({ height, work }: Sum, to: number): Sum {
    const moved = to < height ? work - this.#between(to, height) : work + this.#between(height, to);
    return { height: to, hash: this.#file.hashAt(to) as string, work: moved };
  }

  #holds({ height, hash }: Sum): boolean {
    return this.#file.hashAt(height) === hash;
  }

  /** The last block whose work is fixed in the program. */
  #fixed(): Sum | undefined {
    const known = this.#rules.checkpoints.findLast(
      ({ height, hash, work }) => work !== undefined && this.#file.hashAt(height) === hash,
    );
    return known?.work === undefined ? undefined : { ...known, work: known.work };
  }

  #first(): Sum | undefined {
    if (this.#file.lowest > 0) return undefined;
    const { genesis } = this.#rules;
    return { height: 0, hash: headerHash(genesis), work: workAt(parseHeader(genesis).bits) };
  }

  /** Work of the headers above one height, up to another. */
  #between(below: number, to: number): bigint {
    let work = 0n;
    for (let from = below + 1; from <= to; from += STEP) {
      const headers = this.#file.range(from, Math.min(to, from + STEP - 1));
      const view = new DataView(headers.buffer, headers.byteOffset, headers.length);
      for (let at = BITS_AT; at < headers.length; at += HEADER_BYTES) work += workAt(view.getUint32(at, true));
    }
    return work;
  }
}
