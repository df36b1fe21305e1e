import { type BlockHeader, workOf } from '../../../chain/index.ts';

/** Most headers to read from a block back to a known one: two days of blocks. */
const LONGEST_WALK = 288;
/** Most blocks to remember. */
const KNOWN_BLOCKS = 2_000;

/** Position of a block in the tree. */
export interface Place {
  readonly height: number;
  /** Total work from the first known block up to this one. The branch with more work is the main chain. */
  readonly work: bigint;
  /** Undefined for the first known block. */
  readonly previous: string | undefined;
  readonly bits: number | undefined;
}

interface Step {
  readonly hash: string;
  readonly header: BlockHeader;
}

/** The newest blocks of all branches seen so far, connected by their headers. */
export class HeaderTree {
  readonly #places = new Map<string, Place>();
  readonly #tooCheap: (bits: number, beside: number) => boolean;

  /** @param tooCheap whether a block with the first target is too easy to be near a block with the second */
  constructor(tooCheap: (bits: number, beside: number) => boolean) {
    this.#tooCheap = tooCheap;
  }

  /**
   * Starts again with one block and the blocks below it that its headers connect to.
   * @param headers verified headers by hash
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
   * Finds the position of a block by reading headers back to a known block.
   * @param headerOf returns the verified header of a block; undefined if there is none
   * @returns undefined if the headers do not lead to a known block
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

  /** @param path highest block first; the parent of the last one is known */
  #lay(path: Step[]): void {
    for (const { hash, header } of path.reverse()) {
      const below = this.#places.get(header.previousHash) as Place;
      const work = below.work + workOf(header.bits);
      this.#places.set(hash, { height: below.height + 1, work, previous: header.previousHash, bits: header.bits });
    }
  }

  /** Height of the last common block of two branches; undefined if it is older than all known blocks. */
  forkOf(one: string, other: string): number | undefined {
    let [a, b]: [string | undefined, string | undefined] = [one, other];
    while (a !== b) {
      const placeA: Place | undefined = a === undefined ? undefined : this.#places.get(a);
      const placeB: Place | undefined = b === undefined ? undefined : this.#places.get(b);
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
