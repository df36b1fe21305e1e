import { workOf } from '../../../chain/index.ts';
import type { Network } from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import { BehindError, type Lag } from '../upstream/lag-error.ts';
import { ActiveChainHashes } from './active-chain-hashes.ts';
import { asHash, type CallFrom, ChainCalls, unusable } from './chain-calls.ts';
import { HeaderTree } from './header-tree.ts';

/** Blocks walked back to find where two branches part; past it nothing is taken for known any more. */
const LONGEST_WALK = 1_000;
/** How often a question is asked anew because the tip moved under it. */
const ATTEMPTS = 3;
/** An upstream that was behind is believed to be so for this long. */
const BEHIND_MS = 250;
/** On the main network the work of a block differs from that of one near it by less than this factor. */
const WORK_FACTOR = 4n;

/** The newest block of the main chain, as an upstream said last. */
export interface ChainTip {
  readonly hash: string;
  readonly height: number;
}

/** A tip as it is kept over a restart. */
export interface SavedTip extends ChainTip {
  /** When an upstream was asked that confirmed it, milliseconds. */
  readonly confirmedAt: number;
}

export interface ChainViewOptions {
  call: CallFrom;
  /** Origins of the upstreams whose claims are believed. */
  believed: () => readonly string[];
  /** How many upstreams are set. */
  upstreams: () => number;
  network: Network;
  clock: Clock;
  /** Milliseconds for which a tip that was confirmed is taken for the tip; 0 asks each time. */
  freshFor: () => number;
}

/** Is told how the chain moves. */
export interface ChainObserver {
  /** There was a reorganisation: blocks above this height are no longer known to be on the main chain. -1 for all. */
  onFork(height: number): void;
  onTip(tip: SavedTip): void;
}

/**
 * What the application knows of the main chain: its tip, and the hashes of those heights that were asked for. The tip moves only to a branch
 * with more work; an upstream that has less is behind, whatever it says. A block that is known to be on the main chain stays on it until the
 * tip moves to another branch; then exactly the heights above the place where the branches part are forgotten.
 */
export class ChainView {
  readonly #options: ChainViewOptions;
  readonly #chains: ChainCalls;
  readonly #known = new ActiveChainHashes();
  readonly #trail: HeaderTree;
  readonly #observers: ChainObserver[] = [];
  #tip: ChainTip | null = null;
  /** The upstream that confirmed the tip last. */
  #source: string | undefined;
  /** Others that have the tip. */
  readonly #holders = new Set<string>();
  readonly #behind = new Map<string, { lag: Lag; tip: string; at: number }>();
  /** The greatest height any answer told, which may be ahead of the tip; -1 before the first. */
  #told = -1;
  #toldHash: string | undefined;
  /** When the question was sent whose answer confirmed the tip. */
  #confirmedAt = Number.NEGATIVE_INFINITY;
  readonly #asking = new Map<string | undefined, { promise: Promise<ChainTip>; announced: number }>();
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
    const { network, call } = options;
    this.#chains = new ChainCalls(call);
    this.#trail = new HeaderTree((bits, beside) => network === 'main' && workOf(bits) * WORK_FACTOR < workOf(beside));
  }

  /** Adds an observer for as long as the view is used. */
  observe(observer: ChainObserver): void {
    this.#observers.push(observer);
  }

  /** The last tip an upstream told; it may be old. */
  get tip(): ChainTip | null {
    return this.#tip;
  }

  /** The tip with the time it was confirmed at; null before the first. */
  savedTip(): SavedTip | null {
    return this.#tip === null ? null : { ...this.#tip, confirmedAt: this.#confirmedAt };
  }

  /** Takes a tip of before a restart for the last that is known, unless an upstream has told one as high since, or another chain's. */
  restore({ hash, height, confirmedAt }: SavedTip): void {
    if (this.#forgotten > 0 || (this.#tip !== null && this.#tip.height >= height)) return;
    // whoever told a lower one is behind
    if (this.#tip !== null) this.#source = '';
    this.#holders.clear();
    this.generation += 1;
    this.#tip = { hash, height };
    this.#told = Math.max(this.#told, height);
    this.#confirmedAt = confirmedAt;
    // It is told with its age, never as the present one.
    this.#doubted = true;
    this.#known.add(hash, height);
    this.#trail.begin(hash, height);
  }

  /** What was heard may be of another chain: nothing of it is known any more. */
  forget(): void {
    this.#forgotten += 1;
    this.#tip = null;
    this.#source = undefined;
    this.#holders.clear();
    this.#behind.clear();
    this.#told = -1;
    this.#toldHash = undefined;
    this.#confirmedAt = Number.NEGATIVE_INFINITY;
    this.#known.clear();
    this.#trail.clear();
    this.announce();
    for (const observer of this.#observers) observer.onFork(-1);
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
    return this.#known.hashAt(height);
  }

  /** Height of a block known to be on the main chain. */
  heightOf(hash: string): number | undefined {
    return this.#known.heightOf(hash);
  }

  /** A block was announced: the tip that is known is not to be trusted any more. */
  announce(): void {
    this.generation += 1;
    this.#announced += 1;
    this.#doubted = true;
  }

  /** Whether an upstream is known to have the tip, or there is none yet it could lack. */
  has(origin: string): boolean {
    return this.#source === undefined || this.#source === origin || this.#holders.has(origin);
  }

  /**
   * Hears which tip an answer rests on. One that is newer than all before ends what was shared, so that no later answer contradicts it.
   * @returns false where a newer one was told before
   */
  hear({ height, hash }: Partial<ChainTip>): boolean {
    const known = height ?? (hash === undefined ? undefined : this.#known.heightOf(hash));
    if (known !== undefined && known < this.#told) return false;
    if (known === undefined ? hash === this.#toldHash : known === this.#told) return true;
    const first = this.#told < 0 && this.#toldHash === undefined;
    if (known !== undefined) this.#told = known;
    if (hash !== undefined) this.#toldHash = hash;
    if (!first) this.announce();
    // with several upstreams another may answer next, which is held against this tip
    if (this.#options.upstreams() > 1) this.refresh().catch(() => {});
    return true;
  }

  /** How an upstream is behind, as it was found lately. */
  lagOf(origin: string): Lag | undefined {
    const found = this.#behind.get(origin);
    const recent = found !== undefined && this.#options.clock.now() - found.at < BEHIND_MS;
    return recent && found.tip === this.#tip?.hash ? found.lag : undefined;
  }

  /**
   * Asks for the tip. Those who ask meanwhile share the question, unless a block was announced since it was sent.
   * @param from the only upstream to be asked; else any that has the tip, or a newer one
   * @throws BehindError where those that answer are behind; PlanchetError `upstream-*`
   */
  async refresh(from?: string): Promise<ChainTip> {
    for (;;) {
      const asking = this.#asking.get(from);
      if (asking === undefined) break;
      if (asking.announced === this.#announced) return asking.promise;
      await asking.promise.catch(() => {});
    }
    const asked = { promise: from === undefined ? this.#askAny() : this.#ask(from), announced: this.#announced };
    this.#asking.set(from, asked);
    try {
      return await asked.promise;
    } finally {
      if (this.#asking.get(from) === asked) this.#asking.delete(from);
    }
  }

  /**
   * When a tip was mined, asked of an upstream that has it.
   * @returns milliseconds
   * @throws PlanchetError `upstream-*`
   */
  async timeOf({ hash }: ChainTip): Promise<number> {
    const time = (await this.#chains.header(hash, this.#source || undefined))?.time;
    if (time === undefined) throw unusable();
    return time;
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
      const known = this.#known.heightOf(hash);
      if (known !== undefined) return known;
      const forgotten = this.#forgotten;
      const from = this.#source || undefined;
      const at = height ?? (await this.#chains.header(hash, from))?.height;
      if (at === undefined || !(await this.#chains.isAt(hash, at, from))) return undefined;
      // That was told under some tip: only if it is still ours does the answer hold for it.
      const after = await this.refresh();
      if (after.hash !== before?.hash || forgotten !== this.#forgotten) continue;
      this.#known.add(hash, at);
      return at;
    }
    return undefined;
  }

  /**
   * As {@link locate}, asked of an upstream that is behind: what its chain has is part of the main chain, where its best block is.
   * @throws PlanchetError `upstream-*`
   */
  async locateBelow(lag: Lag, hash: string, height?: number): Promise<number | undefined> {
    const known = this.#known.heightOf(hash);
    if (known !== undefined) return known;
    const forgotten = this.#forgotten;
    const { reorganisations } = this;
    const at = height ?? (await this.#chains.header(hash, lag.origin))?.height;
    if (!lag.ancestor || at === undefined || at > lag.height) return undefined;
    if (!(await this.#chains.isAt(hash, at, lag.origin))) return undefined;
    if (forgotten !== this.#forgotten || reorganisations !== this.reorganisations) return undefined;
    return at;
  }

  /** Asks whoever answers, and where that one is behind, the others. */
  async #askAny(): Promise<ChainTip> {
    try {
      return await this.#ask(undefined);
    } catch (error) {
      if (!(error instanceof BehindError)) throw error;
      for (const origin of this.#options.believed()) {
        if (origin === error.lag.origin) continue;
        const tip = await this.#ask(origin).catch(() => undefined);
        if (tip !== undefined) return tip;
      }
      throw error;
    }
  }

  async #ask(from: string | undefined): Promise<ChainTip> {
    const { call, clock } = this.#options;
    const sentAt = clock.now();
    const announced = this.#announced;
    const forgotten = this.#forgotten;
    const { result, origin } = await call('getbestblockhash', [], from);
    const hash = asHash(result);
    const moved = hash !== this.#tip?.hash;
    if (moved && !(await this.#moveTo(hash, origin, forgotten))) return this.#ask(from);
    // A block announced meanwhile makes this answer an old one at once.
    if (announced === this.#announced) {
      this.#confirmedAt = sentAt;
      this.#doubted = false;
    }
    const tip = this.#tip as ChainTip;
    if (tip.hash === hash) this.#confirm(origin, from !== undefined);
    if (moved) for (const observer of this.#observers) observer.onTip({ ...tip, confirmedAt: sentAt });
    return tip;
  }

  #confirm(origin: string, beside: boolean): void {
    this.#behind.delete(origin);
    if (beside && this.#source) this.#holders.add(origin);
    else this.#source = origin;
  }

  /**
   * @returns false where all was forgotten meanwhile, or the tip has moved, and with it the reason to move there
   * @throws BehindError where the block does not have more work behind it than the tip
   */
  async #moveTo(hash: string, origin: string, forgotten: number): Promise<boolean> {
    const before = this.#tip;
    const place =
      before === null ? undefined : await this.#trail.follow(hash, (at) => this.#chains.rawHeader(at, origin));
    const next =
      before === null || place === undefined
        ? await this.#claimed(hash, origin, before)
        : await this.#weighed(hash, origin, before);
    const linked = this.#trail.placeOf(hash) !== undefined;
    // so that an upstream that is behind the first tip can be placed
    const below = !linked && this.#options.upstreams() > 1;
    const headers = below ? await this.#chains.headersUpTo(hash, next.height, origin) : undefined;
    if (forgotten !== this.#forgotten || before !== this.#tip) return false;
    if (!linked) this.#trail.begin(hash, next.height, headers);
    if (next.fork !== undefined) {
      this.#known.forgetAbove(next.fork);
      this.reorganisations += 1;
      for (const observer of this.#observers) observer.onFork(next.fork);
    }
    this.generation += 1;
    this.#tip = { hash, height: next.height };
    this.#told = next.height;
    this.#toldHash = hash;
    this.#source = origin;
    this.#holders.clear();
    this.#known.add(hash, next.height);
    return true;
  }

  /** A block whose place headers show. @throws BehindError */
  async #weighed(hash: string, origin: string, before: ChainTip): Promise<Move> {
    const place = this.#trail.placeOf(hash);
    const old = this.#trail.placeOf(before.hash);
    const fork = this.#trail.forkOf(before.hash, hash);
    if (place === undefined || old === undefined) return this.#claimed(hash, origin, before);
    const { height } = place;
    if (place.work <= old.work && !this.#isOnlyWord()) throw this.#isBehind(origin, height, fork === height);
    return { height, fork: fork === before.height ? undefined : (fork ?? (await this.#forkOf(before, origin))) };
  }

  /** A block of which no headers show how it stands to the tip: the first, one after a long silence, or one without a header to prove. */
  async #claimed(hash: string, origin: string, before: ChainTip | null): Promise<Move> {
    const header = await this.#chains.header(hash, origin);
    if (header === undefined) throw unusable();
    const { height } = header;
    if (!(await this.#chains.isAt(hash, height, origin))) throw unusable();
    if (before === null) return { height };
    const believed = this.#options.upstreams() < 2 || this.#options.believed().includes(origin);
    if ((height <= before.height || !believed) && !this.#isOnlyWord()) {
      throw this.#isBehind(origin, height, this.#known.hashAt(height) === hash);
    }
    const descends = height > before.height && (await this.#chains.isAt(before.hash, before.height, origin));
    return descends ? { height } : { height, fork: await this.#forkOf(before, origin) };
  }

  /** The sandbox's chain is put back and made anew at will, by its owner, and there is nobody else to ask. */
  #isOnlyWord(): boolean {
    return this.#options.network === 'sandbox' && this.#options.upstreams() < 2;
  }

  #isBehind(origin: string, height: number, ancestor: boolean): BehindError {
    const { hash, height: told } = this.#tip as ChainTip;
    const lag = { origin, height, told, ancestor };
    this.#behind.set(origin, { lag, tip: hash, at: this.#options.clock.now() });
    this.#holders.delete(origin);
    // nobody has the tip now, as far as is known: each answer is held against it
    if (this.#source === origin) this.#source = '';
    return new BehindError(lag);
  }

  /** Height of the last block of the old branch that is still on the main chain. */
  async #forkOf(old: ChainTip, from: string): Promise<number> {
    let { hash, height } = old;
    for (let step = 0; step < LONGEST_WALK && height >= 0; step++) {
      if (await this.#chains.isAt(hash, height, from)) return height;
      // Only a proven header leads to its parent: a made-up one could lead to a block above the fork, and what rests on the dead
      // branch would be kept. An upstream that never saw the old branch has none.
      const header = await this.#chains.rawHeader(hash, from);
      if (header === undefined) return -1;
      hash = header.previousHash;
      height -= 1;
    }
    return -1;
  }
}

/** Where the tip moves to. */
interface Move {
  readonly height: number;
  /** Height of the last block both branches have; undefined where the new tip descends from the old one. */
  readonly fork?: number | undefined;
}
