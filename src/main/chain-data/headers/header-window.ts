import { HEADER_BYTES, hashToDisplay, meetsTarget, parseHeader, sha256d } from '../../../chain/index.ts';
import { PlanchetError, phrase, type Reason } from '../../../contract/index.ts';
import type { ChainRules } from './chain-rules.ts';
import { type HeaderView, medianTimeAt, requiredBits, workAt } from './difficulty.ts';
import type { HeaderFile } from './header-file.ts';

/** Power of two, above the 2,016 headers that the rules look back. */
const SIZE = 4_096;
/** Seconds that a header may be ahead of the clock. */
const MOST_AHEAD = 7_200;

type HeaderFault = 'order' | 'difficulty' | 'work' | 'old' | 'future' | 'split-off' | 'checkpoint';

/** A header that the rules forbid, or that is not what a source says of it. */
export class HeaderRefused extends PlanchetError<'chain.source-of-no-use'> {
  constructor(reason: Reason) {
    super('chain.source-of-no-use', { reason });
  }
}

/** The newest headers of a branch, as far as the next one depends on them. */
export class HeaderWindow implements HeaderView {
  readonly #rules: ChainRules;
  readonly #times = new Uint32Array(SIZE);
  readonly #bits = new Uint32Array(SIZE);
  #height: number;
  #tipHash: string;

  /** Reads the headers of a file up to a height. */
  constructor(rules: ChainRules, file: HeaderFile, height: number) {
    this.#rules = rules;
    this.#height = height;
    this.#tipHash = file.hashAt(height) as string;
    for (let at = Math.max(file.lowest, height - SIZE + 1); at <= height; at++) {
      const { time, bits } = parseHeader(file.at(at) as Uint8Array);
      this.#times[at % SIZE] = time;
      this.#bits[at % SIZE] = bits;
    }
  }

  get height(): number {
    return this.#height;
  }

  /** Display hex. */
  get tipHash(): string {
    return this.#tipHash;
  }

  time(height: number): number {
    return this.#times[height % SIZE] as number;
  }

  bits(height: number): number {
    return this.#bits[height % SIZE] as number;
  }

  /**
   * Checks the next header and adds it.
   * @param now seconds since 1970-01-01 UTC
   * @returns its hash in internal byte order, and its work
   * @throws HeaderRefused
   */
  add(bytes: Uint8Array, now: number): { hash: Uint8Array; work: bigint } {
    const rules = this.#rules;
    const height = this.#height + 1;
    const { previousHash, time, bits } = parseHeader(bytes);
    const internal = sha256d(bytes);
    const hash = hashToDisplay(internal);
    const refuse = (why: HeaderFault): HeaderRefused => new HeaderRefused(phrase(`reason.header-${why}`, { height }));
    if (previousHash !== this.#tipHash) throw refuse('order');
    if (bits !== requiredBits(rules, this, time)) throw refuse('difficulty');
    if (!meetsTarget(hash, bits)) throw refuse('work');
    if (time <= medianTimeAt(this, this.#height)) throw refuse('old');
    if (!rules.isFixed && time > now + MOST_AHEAD) throw refuse('future');
    if (rules.denied.has(hash)) throw refuse('split-off');
    const checkpoint = rules.checkpoints.find((known) => known.height === height);
    if (checkpoint !== undefined && checkpoint.hash !== hash) throw refuse('checkpoint');
    this.#times[height % SIZE] = time;
    this.#bits[height % SIZE] = bits;
    this.#height = height;
    this.#tipHash = hash;
    return { hash: internal, work: workAt(bits) };
  }

  /**
   * Adds headers one after the other, up to the first that is refused.
   * @param headers 80 bytes each
   * @param now seconds since 1970-01-01 UTC
   */
  addAll(headers: Uint8Array, now: number): { hashes: Uint8Array[]; work: bigint; refused?: HeaderRefused } {
    const hashes: Uint8Array[] = [];
    let work = 0n;
    for (let at = 0; at < headers.length; at += HEADER_BYTES) {
      try {
        const added = this.add(headers.subarray(at, at + HEADER_BYTES), now);
        hashes.push(added.hash);
        work += added.work;
      } catch (error) {
        if (error instanceof HeaderRefused) return { hashes, work, refused: error };
        throw error;
      }
    }
    return { hashes, work };
  }
}
