import { HEADER_BYTES, headerHash, parseHeader } from '../../../chain/index.ts';
import type { ChainRules } from './chain-rules.ts';
import { workAt } from './difficulty.ts';
import type { HeaderFile } from './header-file.ts';

/** Headers that are summed up in one turn, and for which one sum is kept. */
const STEP = 4_096;

interface Sum {
  readonly height: number;
  readonly hash: string;
  /** Of the chain up to this block. */
  readonly work: bigint;
}

/**
 * The work of a chain up to any of its headers, which no header tells. It is counted from the first block, or from a block whose work is fixed in the
 * program. Sums are kept at some heights, so that a question reads few headers.
 */
export class ChainWork {
  readonly #rules: ChainRules;
  readonly #file: HeaderFile;
  /** The lowest first. */
  readonly #sums: Sum[] = [];
  #startedAt = -1;

  constructor(rules: ChainRules, file: HeaderFile) {
    this.#rules = rules;
    this.#file = file;
  }

  /** @returns undefined where there is no header at the height, or nothing to count from */
  async at(height: number): Promise<bigint | undefined> {
    if (this.#file.hashAt(height) === undefined) return undefined;
    // sums of blocks that left the chain
    while (this.#sums.length > 0 && !this.#holds(this.#sums.at(-1) as Sum)) this.#sums.pop();
    const start = this.#start();
    if (start === undefined) return undefined;
    if (start.height !== this.#startedAt) this.#sums.length = 0;
    this.#startedAt = start.height;
    if (height < start.height) return start.work - this.#between(height, start.height);
    let sum = this.#sums.findLast((known) => known.height <= height) ?? start;
    while (height - sum.height > STEP) {
      sum = this.#next(sum);
      if (sum.height > (this.#sums.at(-1)?.height ?? 0)) this.#sums.push(sum);
      await new Promise((resolve) => setImmediate(resolve));
      // the chain left the branch meanwhile
      if (!this.#holds(sum)) return this.at(height);
    }
    return sum.work + this.#between(sum.height, height);
  }

  #next({ height, work }: Sum): Sum {
    const next = height + STEP;
    return { height: next, hash: this.#file.hashAt(next) as string, work: work + this.#between(height, next) };
  }

  #holds({ height, hash }: Sum): boolean {
    return this.#file.hashAt(height) === hash;
  }

  #start(): Sum | undefined {
    const { lowest } = this.#file;
    if (lowest === 0) {
      const { bits } = parseHeader(this.#rules.genesis);
      return { height: 0, hash: headerHash(this.#rules.genesis), work: workAt(bits) };
    }
    const known = this.#rules.checkpoints.findLast(
      ({ height, hash, work }) => work !== undefined && this.#file.hashAt(height) === hash,
    );
    return known?.work === undefined ? undefined : { ...known, work: known.work };
  }

  /** Work of the headers above one height, up to another. */
  #between(below: number, to: number): bigint {
    let work = 0n;
    for (let from = below + 1; from <= to; from += STEP) {
      const headers = this.#file.range(from, Math.min(to, from + STEP - 1));
      for (let at = 0; at < headers.length; at += HEADER_BYTES)
        work += workAt(parseHeader(headers.subarray(at, at + HEADER_BYTES)).bits);
    }
    return work;
  }
}
