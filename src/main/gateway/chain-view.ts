import { PlanchetError } from '../../contract/index.ts';
import { type Clock, NodeRpcError } from '../ports.ts';

/** Heights whose hashes are remembered; the oldest known go first. */
const KNOWN_HEIGHTS = 200_000;
/** Blocks walked back to find where two branches part; past it nothing is taken for known any more. */
const LONGEST_WALK = 1_000;
/** How often a question is asked anew because the tip moved under it. */
const ATTEMPTS = 3;

/** The newest block of the main chain, as an upstream said last. */
export interface ChainTip {
  readonly hash: string;
  readonly height: number;
}

/** A tip as it is kept over a restart. */
export interface KeptTip extends ChainTip {
  /** When an upstream was asked that confirmed it, milliseconds. */
  readonly confirmedAt: number;
}

export interface ChainViewOptions {
  /** One call upstream. @throws NodeRpcError, PlanchetError */
  call: (method: string, params: readonly unknown[]) => Promise<unknown>;
  clock: Clock;
  /** Milliseconds for which a tip that was confirmed is taken for the tip; 0 asks each time. */
  freshFor: () => number;
  /** Told of a reorganisation: blocks above this height are no longer known to be on the main chain. -1 for all. */
  onFork?: (height: number) => void;
  /** Told of each new tip. */
  onTip?: (tip: KeptTip) => void;
}

/**
 * What the gateway knows of the upstream's main chain: its tip, and the hashes of those heights that were asked for. A block that is
 * known to be on the main chain stays on it until a new tip does not descend from the old one; then exactly the heights above the
 * place where the branches part are forgotten.
 */
export class ChainView {
  readonly #options: ChainViewOptions;
  readonly #hashes = new Map<number, string>();
  readonly #heights = new Map<string, number>();
  #tip: ChainTip | null = null;
  /** When the question was sent whose answer confirmed the tip. */
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #asking: { promise: Promise<ChainTip>; announced: number } | undefined;
  #announced = 0;
  /** A block was announced since the tip was confirmed. */
  #doubted = false;
  /** Rises when all that is known is forgotten: what was asked before is not learnt any more. */
  #forgotten = 0;
  /** Rises whenever the tip may have moved: what was asked under an older one is not shared any more. */
  generation = 0;
  reorganisations = 0;

  constructor(options: ChainViewOptions) {
    this.#options = options;
  }

  /** The last tip an upstream told; it may be old. */
  get tip(): ChainTip | null {
    return this.#tip;
  }

  /** The tip with the time it was confirmed at; null before the first. */
  kept(): KeptTip | null {
    return this.#tip === null ? null : { ...this.#tip, confirmedAt: this.#confirmedAt };
  }

  /** Takes a tip of before a restart for the last that is known, unless an upstream has told one since. */
  restore({ hash, height, confirmedAt }: KeptTip): void {
    if (this.#tip !== null) return;
    this.#tip = { hash, height };
    this.#confirmedAt = confirmedAt;
    // It is told with its age, never as the present one.
    this.#doubted = true;
    this.#remember(hash, height);
  }

  /** What was heard may be of another chain: nothing of it is known any more. */
  forget(): void {
    this.#forgotten += 1;
    this.#tip = null;
    this.#confirmedAt = Number.NEGATIVE_INFINITY;
    this.#hashes.clear();
    this.#heights.clear();
    this.announce();
    this.#options.onFork?.(-1);
  }

  /** Milliseconds since the tip was confirmed. */
  get age(): number {
    return Math.max(0, this.#options.clock.now() - this.#confirmedAt);
  }

  /** True while the tip may be answered from without asking. */
  isFresh(): boolean {
    return this.#tip !== null && !this.#doubted && this.age < this.#options.freshFor();
  }

  /** Hash of the main chain's block at a height, where that is known. */
  hashAt(height: number): string | undefined {
    return this.#hashes.get(height);
  }

  /** Height of a block known to be on the main chain. */
  heightOf(hash: string): number | undefined {
    return this.#heights.get(hash);
  }

  /** A block was announced: the tip that is known is not to be trusted any more. */
  announce(): void {
    this.generation += 1;
    this.#announced += 1;
    this.#doubted = true;
  }

  /**
   * Asks for the tip. Those who ask meanwhile share the question, unless a block was announced since it was sent.
   * @throws PlanchetError `upstream-*`
   */
  async refresh(): Promise<ChainTip> {
    for (;;) {
      const asking = this.#asking;
      if (asking === undefined) break;
      if (asking.announced === this.#announced) return asking.promise;
      await asking.promise.catch(() => {});
    }
    const asked = { promise: this.#ask(), announced: this.#announced };
    this.#asking = asked;
    try {
      return await asked.promise;
    } finally {
      if (this.#asking === asked) this.#asking = undefined;
    }
  }

  /**
   * Whether a block is on the main chain; asks where that is not known. Only the hash at its height shows that: there are nodes that count
   * confirmations for the blocks of dead branches too.
   * @param height of the block, where an answer told it
   * @returns its height, or undefined where it is not on the main chain
   * @throws PlanchetError `upstream-*`
   */
  async locate(hash: string, height?: number): Promise<number | undefined> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const before = this.isFresh() ? this.#tip : await this.refresh();
      const known = this.#heights.get(hash);
      if (known !== undefined) return known;
      const forgotten = this.#forgotten;
      const at = height ?? (await this.#header(hash))?.height;
      if (at === undefined || !(await this.#isAt(hash, at))) return undefined;
      // That was told under some tip: only if it is still ours does the answer hold for it.
      const after = await this.refresh();
      if (after.hash !== before?.hash || forgotten !== this.#forgotten) continue;
      this.#remember(hash, at);
      return at;
    }
    return undefined;
  }

  async #ask(): Promise<ChainTip> {
    const { call, clock } = this.#options;
    const sentAt = clock.now();
    const announced = this.#announced;
    const forgotten = this.#forgotten;
    const hash = asHash(await call('getbestblockhash', []));
    const moved = hash !== this.#tip?.hash;
    if (moved && !(await this.#moveTo(hash, forgotten))) return this.#ask();
    // A block announced meanwhile makes this answer an old one at once.
    if (announced === this.#announced) {
      this.#confirmedAt = sentAt;
      this.#doubted = false;
    }
    const tip = this.#tip as ChainTip;
    if (moved) this.#options.onTip?.({ ...tip, confirmedAt: sentAt });
    return tip;
  }

  /** @returns false where all was forgotten meanwhile, and with it the reason to move there */
  async #moveTo(hash: string, forgotten: number): Promise<boolean> {
    const header = await this.#header(hash);
    if (header === undefined) throw unusable();
    const before = this.#tip;
    const descends = before === null || (await this.#descends(header, before));
    const fork = descends ? undefined : await this.#forkOf(before);
    if (forgotten !== this.#forgotten) return false;
    if (fork !== undefined) {
      this.#forgetAbove(fork);
      this.reorganisations += 1;
      this.#options.onFork?.(fork);
    }
    this.generation += 1;
    this.#tip = { hash, height: header.height };
    this.#remember(hash, header.height);
    return true;
  }

  async #descends(header: Header, before: ChainTip): Promise<boolean> {
    if (header.previous === before.hash) return true;
    return header.height > before.height && this.#isAt(before.hash, before.height);
  }

  /** Whether the main chain has this block at this height. */
  async #isAt(hash: string, height: number): Promise<boolean> {
    try {
      return (await this.#options.call('getblockhash', [height])) === hash;
    } catch (error) {
      if (error instanceof NodeRpcError) return false;
      throw error;
    }
  }

  /** Height of the last block of the old branch that is still on the main chain. */
  async #forkOf(old: ChainTip): Promise<number> {
    let { hash, height } = old;
    for (let step = 0; step < LONGEST_WALK && height >= 0; step++) {
      if (await this.#isAt(hash, height)) return height;
      const header = await this.#header(hash);
      // Another upstream may never have seen the old branch.
      if (header?.previous === undefined) return -1;
      hash = header.previous;
      height -= 1;
    }
    return -1;
  }

  #forgetAbove(fork: number): void {
    for (const [height, hash] of this.#hashes) {
      if (height <= fork) continue;
      this.#hashes.delete(height);
      this.#heights.delete(hash);
    }
  }

  #remember(hash: string, height: number): void {
    const other = this.#hashes.get(height);
    if (other !== undefined) this.#heights.delete(other);
    this.#hashes.set(height, hash);
    this.#heights.set(hash, height);
    if (this.#hashes.size <= KNOWN_HEIGHTS) return;
    const [oldest] = this.#hashes;
    if (oldest === undefined) return;
    this.#hashes.delete(oldest[0]);
    this.#heights.delete(oldest[1]);
  }

  async #header(hash: string): Promise<Header | undefined> {
    try {
      return asHeader(await this.#options.call('getblockheader', [hash, true]));
    } catch (error) {
      if (error instanceof NodeRpcError) return undefined;
      throw error;
    }
  }
}

interface Header {
  readonly height: number;
  readonly previous: string | undefined;
}

function asHash(value: unknown): string {
  if (typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)) return value;
  throw unusable();
}

function asHeader(value: unknown): Header {
  const { height, previousblockhash } = (value ?? {}) as Record<string, unknown>;
  if (!Number.isSafeInteger(height)) throw unusable();
  return {
    height: height as number,
    previous: typeof previousblockhash === 'string' ? previousblockhash : undefined,
  };
}

function unusable(): PlanchetError {
  return new PlanchetError('upstream-error', 'The upstream node does not tell its tip in the way a node does.', {
    hint: 'Check that bitcoinRpcUrl is the RPC address of a node.',
  });
}
