import { workOf } from '../../../chain/index.ts';
import type { Network } from '../../../contract/index.ts';
import { isOver } from '../../async/left-until.ts';
import type { Clock } from '../../ports/clock.ts';
import { BehindError, type Lag } from '../upstream/errors.ts';
import { ActiveChainHashes } from './active-chain-hashes.ts';
import { asHash, type CallFrom, ChainCalls, unusable } from './chain-calls.ts';
import { HeaderTree } from './header-tree.ts';

/** Attempts if the tip moves while a question is being answered. */
const ATTEMPTS = 3;
/** How long an upstream that was found behind is not asked again. */
const BEHIND_MS = 250;
/** On the main network, the work of two nearby blocks differs by less than this factor. */
const WORK_FACTOR = 4n;

/** The newest block of the main chain, as last reported by an upstream. */
export interface ChainTip {
  readonly hash: string;
  readonly height: number;
}

export interface SavedTip extends ChainTip {
  /** When the call was sent that confirmed it, in milliseconds. */
  readonly confirmedAt: number;
}

export interface ChainViewOptions {
  call: CallFrom;
  /** Origins of the upstreams whose claims are believed. */
  believed: () => readonly string[];
  upstreams: () => number;
  network: Network;
  clock: Clock;
  /** Milliseconds for which a confirmed tip is used without asking again; 0 asks each time. */
  freshFor: () => number;
}

/** Receives the changes of the main chain. */
export interface ChainObserver {
  /** There was a reorganisation: blocks above this height are no longer known to be on the main chain. -1 for all. */
  onFork(height: number): void;
  onTip(tip: SavedTip): void;
}

/** What is known of the chain that cached answers rest on. */
export type CachedChain = Pick<ChainView, 'isFresh' | 'heightOf' | 'locate' | 'tip' | 'age'>;

/**
 * What the application knows about the main chain: its tip, and the hashes at the heights that were looked up. The tip moves only to a
 * branch with more work; an upstream with less work is behind, whatever it reports. A block known to be on the main chain stays known
 * until the tip moves to another branch. Then exactly the heights above the fork are forgotten.
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
  /** Other upstreams that have the tip. */
  readonly #holders = new Set<string>();
  readonly #behind = new Map<string, { lag: Lag; tip: string; at: number }>();
  /** The greatest height that any answer contained. It may be ahead of the tip. -1 before the first answer. */
  #told = -1;
  #toldHash: string | undefined;
  /** When the call was sent whose answer confirmed the tip. */
  #confirmedAt = Number.NEGATIVE_INFINITY;
  /** When a probe of the upstreams last found the tip. Such an answer may have been sent for longer than it took to come. */
  #probedAt = Number.NEGATIVE_INFINITY;
  readonly #asking = new Map<string | undefined, { promise: Promise<ChainTip>; announced: number }>();
  #announced = 0;
  /** A block was announced after the tip was confirmed. */
  #doubted = false;
  /** Rises when everything is forgotten. Answers to calls sent before that are ignored. */
  #forgotten = 0;
  /** Rises whenever the tip may have moved. Answers from before that are not shared any more. */
  generation = 0;
  reorganisations = 0;

  constructor(options: ChainViewOptions) {
    this.#options = options;
    const { network, call } = options;
    this.#chains = new ChainCalls(call);
    this.#trail = new HeaderTree((bits, beside) => network === 'main' && workOf(bits) * WORK_FACTOR < workOf(beside));
  }

  /** Adds an observer for the lifetime of the view. */
  observe(observer: ChainObserver): void {
    this.#observers.push(observer);
  }

  /** The tip that an upstream reported last. It may be old. */
  get tip(): ChainTip | null {
    return this.#tip;
  }

  /** The tip and when it was confirmed; null before the first answer. */
  savedTip(): SavedTip | null {
    return this.#tip === null ? null : { ...this.#tip, confirmedAt: this.#lastFoundAt };
  }

  /** Restores the tip of the last run, unless an upstream has reported one at least as high since, or the chain changed. */
  restore({ hash, height, confirmedAt }: SavedTip): void {
    if (this.#forgotten > 0 || (this.#tip !== null && this.#tip.height >= height)) return;
    // the upstream that reported a lower tip is behind
    if (this.#tip !== null) this.#source = '';
    this.#holders.clear();
    this.generation += 1;
    this.#tip = { hash, height };
    this.#told = Math.max(this.#told, height);
    this.#confirmedAt = confirmedAt;
    // It is served with its age, never as the current tip.
    this.#doubted = true;
    this.#known.add(hash, height);
    this.#trail.begin(hash, height);
  }

  /** Forgets everything, because it may belong to another chain. */
  forget(): void {
    this.#forgotten += 1;
    this.#tip = null;
    this.#source = undefined;
    this.#holders.clear();
    this.#behind.clear();
    this.#told = -1;
    this.#toldHash = undefined;
    this.#confirmedAt = Number.NEGATIVE_INFINITY;
    this.#probedAt = Number.NEGATIVE_INFINITY;
    this.#known.clear();
    this.#trail.clear();
    this.announce();
    for (const observer of this.#observers) observer.onFork(-1);
  }

  /** Milliseconds since the tip was confirmed. */
  get age(): number {
    return Math.max(0, this.#options.clock.now() - this.#lastFoundAt);
  }

  get #lastFoundAt(): number {
    return Math.max(this.#confirmedAt, this.#probedAt);
  }

  /** Whether answers may rest on the tip without asking an upstream. */
  isFresh(): boolean {
    const { clock, freshFor } = this.#options;
    return this.#tip !== null && !this.#doubted && !isOver(freshFor(), this.#confirmedAt, clock.now());
  }

  /** A probe of the upstreams found the tip: it is no older than that. */
  probed(): void {
    this.#probedAt = this.#options.clock.now();
  }

  /** Hash of the main chain's block at a height; undefined if unknown. */
  hashAt(height: number): string | undefined {
    return this.#known.hashAt(height);
  }

  /** Height of a block on the main chain; undefined if unknown. */
  heightOf(hash: string): number | undefined {
    return this.#known.heightOf(hash);
  }

  /** A block was announced, so the known tip has to be confirmed again. */
  announce(): void {
    this.generation += 1;
    this.#announced += 1;
    this.#doubted = true;
  }

  /** Whether an upstream is known to have the tip. True for all before the first tip. */
  has(origin: string): boolean {
    return this.#source === undefined || this.#source === origin || this.#holders.has(origin);
  }

  /**
   * Takes note of the tip that an answer rests on. A newer tip ends the sharing of older answers, so that no later answer contradicts it.
   * @returns false if a client has already seen a newer tip
   */
  hear({ height, hash }: Partial<ChainTip>): boolean {
    const known = height ?? (hash === undefined ? undefined : this.#known.heightOf(hash));
    if (known !== undefined && known < this.#told) return false;
    if (known === undefined ? hash === this.#toldHash : known === this.#told) return true;
    const first = this.#told < 0 && this.#toldHash === undefined;
    if (known !== undefined) this.#told = known;
    if (hash !== undefined) this.#toldHash = hash;
    if (!first) this.announce();
    // with several upstreams, another may answer next and is compared with this tip
    if (this.#options.upstreams() > 1) this.refresh().catch(() => {});
    return true;
  }

  /** How far an upstream is behind, if that was found out recently. */
  lagOf(origin: string): Lag | undefined {
    const found = this.#behind.get(origin);
    const recent = found !== undefined && !isOver(BEHIND_MS, found.at, this.#options.clock.now());
    return recent && found.tip === this.#tip?.hash ? found.lag : undefined;
  }

  /**
   * Asks for the tip. Concurrent calls share one question, unless a block was announced after it was sent.
   * @param from the only upstream to ask; if left out, any upstream that has the tip or a newer one
   * @throws BehindError if all upstreams that answer are behind; PlanchetError `upstream-*`
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
   * Asks an upstream that has the tip when it was mined.
   * @returns milliseconds
   * @throws PlanchetError `upstream-*`
   */
  async timeOf({ hash }: ChainTip): Promise<number> {
    const time = (await this.#chains.header(hash, this.#source || undefined))?.time;
    if (time === undefined) throw unusable();
    return time;
  }

  /**
   * Finds out whether a block is on the main chain, and asks an upstream if necessary. Only the hash at its height proves that: some nodes
   * count confirmations for blocks of dead branches too.
   * @param height of the block, if an answer contained it
   * @returns its height; undefined if it is not on the main chain
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
      // The answer holds only if the tip is still the same.
      const after = await this.refresh();
      if (after.hash !== before?.hash || forgotten !== this.#forgotten) continue;
      this.#known.add(hash, at);
      return at;
    }
    return undefined;
  }

  /**
   * Like {@link locate}, but asks an upstream that is behind. Its blocks are on the main chain if its best block is.
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

  /** Asks any upstream; if that one is behind, asks the others. */
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
    this.#confirmedAt = sentAt;
    // If a block was announced meanwhile, this answer is already old.
    if (announced === this.#announced) this.#doubted = false;
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
   * @returns false if everything was forgotten or the tip moved meanwhile, so that this move no longer applies
   * @throws BehindError if the block's branch does not have more work than the tip
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
    // so that an upstream behind the first tip can be located
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

  /** A block that headers connect to known blocks. @throws BehindError */
  async #weighed(hash: string, origin: string, before: ChainTip): Promise<Move> {
    const place = this.#trail.placeOf(hash);
    const old = this.#trail.placeOf(before.hash);
    const fork = this.#trail.forkOf(before.hash, hash);
    if (place === undefined || old === undefined) return this.#claimed(hash, origin, before);
    const { height } = place;
    if (place.work <= old.work && !this.#isOnlyWord()) throw this.#isBehind(origin, height, fork === height);
    return { height, fork: fork === before.height ? undefined : (fork ?? (await this.#chains.forkOf(before, origin))) };
  }

  /** A block that no headers connect to the tip: the first one, one after a long pause, or one whose header cannot be verified. */
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
    return descends ? { height } : { height, fork: await this.#chains.forkOf(before, origin) };
  }

  /** The owner of a sandbox may rewind or replace its chain at any time, and there is no other upstream to ask. */
  #isOnlyWord(): boolean {
    return this.#options.network === 'sandbox' && this.#options.upstreams() < 2;
  }

  #isBehind(origin: string, height: number, ancestor: boolean): BehindError {
    const { hash, height: told } = this.#tip as ChainTip;
    const lag = { origin, height, told, ancestor };
    this.#behind.set(origin, { lag, tip: hash, at: this.#options.clock.now() });
    this.#holders.delete(origin);
    // no upstream is known to have the tip now, so each answer is compared with it
    if (this.#source === origin) this.#source = '';
    return new BehindError(lag);
  }
}

interface Move {
  readonly height: number;
  /** Height of the last common block of both branches; undefined if the new tip descends from the old one. */
  readonly fork?: number | undefined;
}
