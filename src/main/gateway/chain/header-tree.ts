import { type BlockHeader, workOf } from '../../../chain/index.ts';

/** Headers read back from a block to one whose place is known: two days of blocks. */
const LONGEST_WALK = 288;
/** Blocks whose places are remembered. */
const KNOWN_BLOCKS = 2_000;

/** Where a block stands. */
export interface Place {
  readonly height: number;
  /** Work of the blocks from the first known one up to this; tells which of two branches is longer. */
  readonly work: bigint;
  /** Undefined for the first known block. */
  readonly previous: string | undefined;
  readonly bits: number | undefined;
}

interface Step {
  readonly hash: string;
  readonly header: BlockHeader;
}

/** The newest blocks of all branches that were seen, bound to one another by their headers. */
export class HeaderTree {
  readonly #places = new Map<string, Place>();
  readonly #tooCheap: (bits: number, beside: number) => boolean;

  /** @param tooCheap whether a block of these bits cannot be near one of those */
  constructor(tooCheap: (bits: number, beside: number) => boolean) {
    this.#tooCheap = tooCheap;
  }

  /**
   * Begins anew with one block, and those below it that are bound to it.
   * @param headers proven, by their hashes
   */
  begin(hash: string, height: number, headers: ReadonlyMap<string, BlockHeader> = new Map()): void {
    const path: Step[] = [];
    let lowest = hash;
    for (let header = headers.get(lowest); header !== undefined; header = headers.get(lowest)) {
      path.push({ hash: lowest, header });
      lowest = header.previousHash;
    }
    this.#places.clear();
    this.#places.set(lowest, { height: height - path.length, work: 0n, previous: undefined, bits: undefined });
    this.#lay(path);
  }

  clear(): void {
    this.#places.clear();
  }

  placeOf(hash: string): Place | undefined {
    return this.#places.get(hash);
  }

  /**
   * Finds the place of a block by the headers between it and one whose place is known.
   * @param headerOf the header of a block, proven; undefined where there is none
   * @returns undefined where they do not lead to one
   * @throws what `headerOf` does
   */
  async follow(hash: string, headerOf: (hash: string) => Promise<BlockHeader | undefined>): Promise<Place | undefined> {
    const path: Step[] = [];
    let at = hash;
    while (!this.#places.has(at)) {
      const header = path.length < LONGEST_WALK ? await headerOf(at) : undefined;
      if (header === undefined) return undefined;
      path.push({ hash: at, header });
      at = header.previousHash;
    }
    const { bits } = this.#places.get(at) as Place;
    if (bits !== undefined && path.some(({ header }) => this.#tooCheap(header.bits, bits))) return undefined;
    this.#lay(path);
    const place = this.#places.get(hash);
    this.#trim();
    return place;
  }

  /** @param path the highest first, the last one on a block whose place is known */
  #lay(path: Step[]): void {
    for (const { hash, header } of path.reverse()) {
      const below = this.#places.get(header.previousHash) as Place;
      const work = below.work + workOf(header.bits);
      this.#places.set(hash, { height: below.height + 1, work, previous: header.previousHash, bits: header.bits });
    }
  }

  /** Height of the last block that two branches have in common; undefined where that is older than what is known. */
  forkOf(one: string, other: string): number | undefined {
    let [a, b]: [string | undefined, string | undefined] = [one, other];
    while (a !== b) {
      const [placeA, placeB]: [Place | undefined, Place | undefined] = [
        a === undefined ? undefined : this.#places.get(a),
        b === undefined ? undefined : this.#places.get(b),
      ];
      if (placeA === undefined || placeB === undefined) return undefined;
      if (placeA.height >= placeB.height) a = placeA.previous;
      if (placeB.height >= placeA.height) b = placeB.previous;
    }
    return a === undefined ? undefined : this.#places.get(a)?.height;
  }

  #trim(): void {
    for (const [oldest] of this.#places) {
      if (this.#places.size <= KNOWN_BLOCKS) return;
      this.#places.delete(oldest);
    }
  }
}
