import type { Logger } from 'pino';
import { HEADER_BYTES, parseHeader } from '../../../chain/index.ts';
import { type HeadersStatus, isSilence, type Network, PlanchetError, phrase } from '../../../contract/index.ts';
import { backOffMs } from '../../async/back-off.ts';
import { Rerun } from '../../async/rerun.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ChainHeader, FollowedHeaders, HeaderChain, HeadersChange } from '../../ports/headers.ts';
import { anchoredRules, type ChainRules, rulesOf } from './chain-rules.ts';
import { ChainWork } from './chain-work.ts';
import { forkWith } from './fork.ts';
import { HeaderFile, SHORTEST_RUN } from './header-file.ts';
import type { HeaderSource } from './header-source.ts';
import { HeaderRefused, HeaderWindow } from './header-window.ts';
import { readBranch, readLinked, readSome } from './read-run.ts';
import { asPlanchetError, Standings } from './standings.ts';
import { headersPath, lastStored } from './stored-headers.ts';

/** Headers that are read backwards at once, from a multiple of them on: files begin at such heights, so that no file is needed for two readings. */
const BATCH = 2_000;
/** Headers that a question about an old block may bring. More are read when a person asks for them. */
const MOST_ON_DEMAND = 100_000;
/** An archive is asked by who has no newer block. */
const LACKS_MANY_MS = 14 * 86_400_000;
/** Pause before all sources are asked again where all failed: the next block may be far. */
const RETRY = { firstMs: 30_000, longestMs: 300_000 };

export interface HeaderStoreOptions {
  /** The sources of headers, whose calls end with the signal: each is asked in turn, archives first. */
  sources: (signal: AbortSignal) => readonly HeaderSource[];
  network: Network;
  dataDir: string;
  /** Tells when there may be new headers. @returns stops it */
  tip: { onTip(listener: () => void): () => void };
  /** Rules other than those of the network. */
  rules?: ChainRules;
  clock: Clock;
  logger: Logger;
}

/** See {@link HeaderChain}. The branch with the most work is the active chain, whatever a source says. */
export class HeaderStore implements HeaderChain, FollowedHeaders {
  readonly #options: HeaderStoreOptions;
  readonly #listeners = new Set<(change: HeadersChange) => void>();
  #abort = new AbortController();
  #stopListening: (() => void) | undefined;
  #rules: ChainRules | undefined;
  #file: HeaderFile | undefined;
  #window: HeaderWindow | undefined;
  #reads: Rerun;
  #closed = false;
  /** A source's height while headers are being read. */
  #target: number | null = null;
  #failure: PlanchetError | null = null;
  #cancelRetry: () => void = () => undefined;
  /** Readings that failed in a row. */
  #failures = 0;
  #isAsking = false;
  readonly standings = new Standings();
  /** Blocks below the lowest header that somebody asked for: their heights or hashes. */
  readonly #wanted = new Set<number | string>();
  /** Height down to which all headers are to be read. */
  #downTo = Number.MAX_SAFE_INTEGER;
  #chainWork: ChainWork | undefined;

  constructor(options: HeaderStoreOptions) {
    this.#options = options;
    this.#reads = this.#newReads();
    this.standings.keepOnly(options.sources(this.#abort.signal));
  }

  get tip(): ChainHeader | null {
    return this.#file?.tip ?? null;
  }

  header(hash: string): ChainHeader | undefined {
    return this.#file?.find(hash);
  }

  at(height: number): ChainHeader | undefined {
    return this.#file?.entry(height);
  }

  isActive(hash: string): boolean {
    return this.header(hash) !== undefined;
  }

  /** Work of the chain up to a height; undefined where there is no header, or nothing to count from. */
  async workAt(height: number): Promise<bigint | undefined> {
    return this.#chainWork?.at(height);
  }

  get isReading(): boolean {
    return this.#target !== null;
  }

  get failure(): PlanchetError | null {
    return this.#failure;
  }

  onChange(listener: (change: HeadersChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get isAgreed(): boolean {
    return this.standings.agreeOn(this.tip?.height ?? 0);
  }

  /** Whether whoever was asked the last time did not answer. */
  get isSilent(): boolean {
    return isSilence(this.#failure);
  }

  status(): HeadersStatus {
    const { tip } = this;
    const lowest = this.#file?.lowest ?? 0;
    return {
      chain: this.#rules?.name ?? null,
      lowest,
      downTo: this.#downTo < lowest ? this.#downTo : null,
      work: this.#chainWork?.ofTip?.toString(16) ?? null,
      isAgreed: this.isAgreed,
      sources: this.standings.list(),
      isReading: this.#isAsking,
      tip: tip && { hash: tip.hash, height: tip.height, time: parseHeader(tip.header).time * 1_000 },
      target: this.#target,
      bytes: this.#file?.bytes ?? 0,
      checkpoint: this.#rules?.checkpoints.findLast(({ height }) => height <= (tip?.height ?? -1))?.height ?? null,
      failure: this.#failure?.toFailure() ?? null,
    };
  }

  /** Opens the stored headers and follows the chain until {@link stop}. Returns at once. */
  start(): void {
    if (this.#stopListening !== undefined) return;
    // a reading that somebody asked for before the start goes on as the first one
    if (this.#abort.signal.aborted) {
      this.#abort = new AbortController();
      this.#reads = this.#newReads(this.#reads.stop());
    }
    this.#stopListening = this.#options.tip.onTip(() => void this.refresh());
    void this.refresh();
  }

  async stop(): Promise<void> {
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.#cancelRetry();
    this.#abort.abort();
    await this.#reads.stop();
  }

  /** Stops for good and closes the file. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.stop();
    this.#file?.close();
    this.#file = undefined;
  }

  async refresh(block?: number | string): Promise<void> {
    if (block !== undefined) this.#wanted.add(block);
    if (!this.#closed) await this.#reads.wake();
  }

  /** Begins to read what is new, and older headers down to a height. Returns at once. */
  sync({ from }: { from: number | null }): HeadersStatus {
    this.#downTo = Math.min(this.#downTo, from ?? this.#downTo);
    void this.refresh();
    return this.status();
  }

  /** @param before a reading that was stopped: two at a time would write over each other */
  #newReads(before?: Promise<void>): Rerun {
    const work = async (): Promise<void> => {
      await before;
      await this.#read();
    };
    return new Rerun({ work, onError: (error) => this.#noteFailure(error) });
  }

  async #read(): Promise<void> {
    this.#cancelRetry();
    const { signal } = this.#abort;
    const sources = this.#options.sources(signal);
    this.standings.keepOnly(sources);
    this.#isAsking = true;
    try {
      await this.#ask(sources);
      this.#failure = null;
      // while nothing counts as settled, the next block is not waited for
      if (this.isAgreed) this.#failures = 0;
      else this.#askAgain();
    } finally {
      this.#isAsking = false;
    }
  }

  /** @throws why the first failed, where all did */
  async #ask(sources: readonly HeaderSource[]): Promise<void> {
    const failures: unknown[] = [];
    let answered = 0;
    for (const source of sources) {
      if (source.isArchive && !this.#lacksMany()) continue;
      const failed = await this.#tried(source, () => this.#follow(source, answered === 0));
      if (failed === undefined) answered += 1;
      else failures.push(failed);
    }
    await this.#readOlder(sources);
    if (answered === 0 && failures.length > 0) throw failures[0];
  }

  /** @returns why it failed. @throws the signal's reason */
  async #tried(source: HeaderSource, work: () => Promise<void>): Promise<Error | undefined> {
    try {
      await work();
      return undefined;
    } catch (thrown) {
      this.#abort.signal.throwIfAborted();
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      this.standings.failed(source, error);
      const level = error instanceof HeaderRefused ? 'warn' : 'debug';
      this.#options.logger[level]({ err: error, source: source.name }, 'headers were not read');
      return error;
    } finally {
      this.#target = null;
    }
  }

  #noteFailure(error: unknown): void {
    if (this.#abort.signal.aborted) return;
    this.#failure = asPlanchetError(error);
    this.#askAgain();
  }

  #askAgain(): void {
    this.#failures += 1;
    if (this.#stopListening === undefined) return;
    this.#cancelRetry = this.#options.clock.after(backOffMs(RETRY, this.#failures), () => void this.refresh());
  }

  #lacksMany(): boolean {
    const { tip } = this;
    if (tip === null || tip.height === 0) return true;
    return parseHeader(tip.header).time * 1_000 < this.#options.clock.now() - LACKS_MANY_MS;
  }

  async #follow(source: HeaderSource, isFirst: boolean): Promise<void> {
    const [rules, file] = await this.#opened(source, isFirst);
    const followsNode = rules.followsNode && source.operator === undefined;
    const top = await source.height();
    if (file.count === 1 && source.operator !== undefined) await this.#begin(source, rules, file);
    const fork = await forkWith(source, file, top);
    let agreesTo = top;
    if (fork < top) {
      this.#target = top;
      if (fork === file.count - 1) await this.#extend(source, rules, file, top);
      else if (!(await this.#weigh(source, rules, file, fork, top))) agreesTo = fork;
    } else if (followsNode && file.count - 1 > top) this.#replace(rules, file, fork, new Uint8Array(), []);
    this.standings.answered(source, top, agreesTo);
  }

  /**
   * Puts the newest block whose work is fixed in the program, or the newest one where none has a work, into a new file, with those below it that
   * the next one's difficulty needs.
   */
  async #begin(source: HeaderSource, rules: ChainRules, file: HeaderFile): Promise<void> {
    const start = rules.checkpoints.findLast(({ work }) => work !== undefined) ?? rules.checkpoints.at(-1);
    if (start === undefined) return;
    const first = start.height + 1 - SHORTEST_RUN;
    file.prepend(first, await readLinked(source, start.hash, first, start.height));
  }

  /** Reads headers below the lowest one, down to what somebody wants. Each names the one below it, so none is believed. */
  async #readOlder(sources: readonly HeaderSource[]): Promise<void> {
    const file = this.#file;
    if (file === undefined || file.lowest === 0) return this.#wanted.clear();
    for (const source of sources) {
      const failed = await this.#tried(source, async () => {
        for (const block of this.#wanted) {
          const height = typeof block === 'number' ? block : await source.heightOf?.(block);
          if (height === undefined || height < 0) continue;
          if (height >= file.lowest - MOST_ON_DEMAND) await this.#readDown(source, file, height);
          this.#wanted.delete(block);
        }
        await this.#readDown(source, file, this.#downTo);
      });
      if (failed === undefined && this.#wanted.size === 0) break;
    }
    this.#wanted.clear();
  }

  async #readDown(source: HeaderSource, file: HeaderFile, to: number): Promise<void> {
    while (file.lowest > to) {
      const last = file.lowest - 1;
      const first = Math.max(1, to, last - (last % BATCH));
      const above = parseHeader(file.at(file.lowest) as Uint8Array).previousHash;
      const headers = await readLinked(source, above, first, last);
      if (first === 1 && parseHeader(headers.subarray(0, HEADER_BYTES)).previousHash !== file.hashAt(0))
        throw new HeaderRefused(phrase('reason.header-first'));
      file.prepend(first, headers);
      await new Promise((resolve) => setImmediate(resolve));
      this.#abort.signal.throwIfAborted();
    }
  }

  /** Opens the file of the chain that the node follows. Without a node, the file that was written last. */
  async #opened(source: HeaderSource, isFirst: boolean): Promise<[ChainRules, HeaderFile]> {
    const { network, dataDir, rules: given } = this.#options;
    if (this.#file === undefined) {
      const rules = given ?? (network === 'test' ? lastStored(dataDir) : rulesOf(network, ''));
      if (rules !== undefined) await this.#open(rules, dataDir);
    }
    if (network === 'test' && source.chain === undefined && this.#rules === undefined)
      throw new PlanchetError('chain.source-of-no-use', { reason: phrase('reason.chain-unnamed') });
    if (network === 'test' && source.chain !== undefined) {
      const name = await source.chain();
      const rules = rulesOf(network, name);
      if (rules === undefined || (rules !== this.#rules && !isFirst))
        throw new HeaderRefused(phrase('reason.other-chain', { chain: name }));
      if (rules !== this.#rules) await this.#open(rules, dataDir);
    }
    return [anchoredRules(this.#rules as ChainRules, this.#file?.hashAt(1)), this.#file as HeaderFile];
  }

  async #open(rules: ChainRules, dataDir: string): Promise<void> {
    const file = await HeaderFile.open(headersPath(dataDir, rules.name), rules.genesis);
    this.#file?.close();
    this.#file = file;
    this.#rules = rules;
    this.#window = undefined;
    this.#chainWork = new ChainWork(rules, file);
  }

  /** Adds the headers above the tip, batch by batch. */
  async #extend(source: HeaderSource, rules: ChainRules, file: HeaderFile, top: number): Promise<void> {
    const fork = file.count - 1;
    this.#window ??= new HeaderWindow(rules, file, fork);
    const window = this.#window;
    try {
      while (file.count <= top) {
        const first = file.count;
        const headers = await readSome(source, file.hashAt(first - 1), first, top);
        const { hashes, refused } = window.addAll(headers, this.#now());
        file.append(headers.subarray(0, hashes.length * HEADER_BYTES), hashes);
        if (refused !== undefined) throw refused;
        // so that other work runs between two batches
        await new Promise((resolve) => setImmediate(resolve));
        this.#abort.signal.throwIfAborted();
      }
    } finally {
      if (window.height !== file.count - 1) this.#window = undefined;
      if (file.count - 1 > fork) this.#publish(fork);
    }
  }

  /** Reads another branch as a whole, and takes it if it has more work. @returns whether it did */
  async #weigh(source: HeaderSource, rules: ChainRules, file: HeaderFile, fork: number, top: number): Promise<boolean> {
    const window = new HeaderWindow(rules, file, fork);
    const { headers, hashes, work } = await readBranch(source, window, file.hashAt(fork) as string, top, {
      now: () => this.#now(),
      signal: this.#abort.signal,
    });
    if (work <= (this.#chainWork as ChainWork).above(fork) && !(rules.followsNode && source.operator === undefined)) {
      this.#options.logger.info({ fork, top, source: source.name }, 'a source follows a branch with less work');
      return false;
    }
    this.#options.logger.info({ fork, from: file.count - 1, to: window.height }, 'the active chain was reorganised');
    this.#replace(rules, file, fork, headers, hashes);
    return true;
  }

  #replace(rules: ChainRules, file: HeaderFile, fork: number, headers: Uint8Array, hashes: Uint8Array[]): void {
    const left = file.count - 1 - fork;
    file.truncate(fork + 1);
    file.append(headers, hashes);
    this.#window = new HeaderWindow(rules, file, file.count - 1);
    this.standings.left(fork);
    this.#publish(fork, left);
  }

  /** Seconds since 1970. */
  #now(): number {
    return Math.floor(this.#options.clock.now() / 1_000);
  }

  #publish(fork: number, left = 0): void {
    const { tip } = this;
    if (tip === null) return;
    for (const listener of this.#listeners) {
      try {
        listener({ fork, left, tip });
      } catch (error) {
        this.#options.logger.error({ err: error }, 'a listener of the headers failed');
      }
    }
  }
}
