import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { HEADER_BYTES, parseHeader } from '../../../chain/index.ts';
import type { HeadersStatus, Network } from '../../../contract/index.ts';
import { Rerun } from '../../async/rerun.ts';
import type { TipSource } from '../../ports/chain-data.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ChainHeader, FollowedHeaders, HeaderChain, HeadersChange } from '../../ports/headers.ts';
import { type ChainRules, rulesOf } from './chain-rules.ts';
import { workAt } from './difficulty.ts';
import { HeaderFile } from './header-file.ts';
import type { HeaderSource } from './header-source.ts';
import { HeaderRefused, HeaderWindow } from './header-window.ts';

/** Longest branch that is read to compare its work. */
const LONGEST_BRANCH = 100_000;
/** Until a node that failed in the middle is asked again; the next block may be far. */
const RETRY_MS = 30_000;

export interface HeaderStoreOptions {
  /** What the headers are read from, until a signal. */
  source: (signal: AbortSignal) => HeaderSource;
  network: Network;
  dataDir: string;
  tip: TipSource;
  /** Rules other than those of the network. */
  rules?: ChainRules;
  clock: Clock;
  logger: Logger;
}

/** See {@link HeaderChain}. The branch with the most work is the active chain, whatever the node says. */
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
  /** The node's height while headers are being read. */
  #target: number | null = null;
  #failure: Error | null = null;
  #cancelRetry: () => void = () => undefined;

  constructor(options: HeaderStoreOptions) {
    this.#options = options;
    this.#reads = this.#newReads();
  }

  get tip(): ChainHeader | null {
    return this.#file?.entry(this.#file.count - 1) ?? null;
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

  get isReading(): boolean {
    return this.#target !== null;
  }

  get failure(): Error | null {
    return this.#failure;
  }

  onChange(listener: (change: HeadersChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  status(): HeadersStatus {
    const { tip } = this;
    return {
      chain: this.#rules?.name ?? null,
      tip: tip && { hash: tip.hash, height: tip.height, time: parseHeader(tip.header).time * 1_000 },
      target: this.#target,
      bytes: this.#file?.bytes ?? 0,
      checkpoint: this.#rules?.checkpoints.findLast(({ height }) => height <= (tip?.height ?? -1))?.height ?? null,
      failure: this.#failure?.message ?? null,
    };
  }

  /** Opens the stored headers and follows the chain until {@link stop}. Returns at once. */
  start(): void {
    if (this.#stopListening !== undefined) return;
    this.#abort = new AbortController();
    this.#reads = this.#newReads();
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

  /** Resolves when the headers of all blocks that the node has now are known, or cannot be read. */
  async refresh(): Promise<void> {
    if (!this.#closed) await this.#reads.wake();
  }

  #newReads(): Rerun {
    return new Rerun({ work: () => this.#read(), onError: (error) => this.#noteFailure(error) });
  }

  async #read(): Promise<void> {
    this.#cancelRetry();
    try {
      await this.#follow();
      this.#failure = null;
    } finally {
      this.#target = null;
    }
  }

  #noteFailure(error: unknown): void {
    if (this.#abort.signal.aborted) return;
    this.#failure = error instanceof Error ? error : new Error(String(error));
    const level = error instanceof HeaderRefused ? 'warn' : 'debug';
    this.#options.logger[level]({ err: error }, 'headers were not read');
    if (this.#stopListening !== undefined)
      this.#cancelRetry = this.#options.clock.after(RETRY_MS, () => void this.refresh());
  }

  async #follow(): Promise<void> {
    const source = this.#options.source(this.#abort.signal);
    const [rules, file] = await this.#opened(source);
    const top = await source.height();
    const fork = await this.#forkWith(source, file, top);
    if (fork === top) {
      if (rules.followsNode && file.count - 1 > top) this.#replace(rules, file, fork, new Uint8Array(), []);
      return;
    }
    this.#target = top;
    if (fork === file.count - 1) await this.#extend(source, rules, file, top);
    else await this.#weigh(source, rules, file, fork, top);
  }

  /** Opens the file of the chain that the node follows. Without a node, the file that was written last. */
  async #opened(source: HeaderSource): Promise<[ChainRules, HeaderFile]> {
    const { network, dataDir, rules: given } = this.#options;
    if (this.#file === undefined) {
      const rules = given ?? (network === 'test' ? lastStored(dataDir) : rulesOf(network, ''));
      if (rules !== undefined) await this.#open(rules, dataDir);
    }
    if (network === 'test') {
      const name = await source.chain();
      const rules = rulesOf(network, name);
      if (rules === undefined) throw new HeaderRefused(`The node follows the chain ${name}.`);
      if (rules !== this.#rules) await this.#open(rules, dataDir);
    }
    return [this.#rules as ChainRules, this.#file as HeaderFile];
  }

  async #open(rules: ChainRules, dataDir: string): Promise<void> {
    const file = await HeaderFile.open(fileOf(rules, dataDir), rules.genesis);
    this.#file?.close();
    this.#file = file;
    this.#rules = rules;
    this.#window = undefined;
  }

  /** Height of the last block that the node and the file share. */
  async #forkWith(source: HeaderSource, file: HeaderFile, top: number): Promise<number> {
    const isShared = async (height: number): Promise<boolean> => (await source.hashAt(height)) === file.hashAt(height);
    let differs = Math.min(top, file.count - 1) + 1;
    let shared = differs - 1;
    for (let step = 1; !(await isShared(shared)); step *= 2) {
      if (shared === 0) throw new HeaderRefused('The node follows another chain: its first block is different.');
      differs = shared;
      shared = Math.max(0, shared - step);
    }
    while (differs - shared > 1) {
      const middle = Math.floor((shared + differs) / 2);
      if (await isShared(middle)) shared = middle;
      else differs = middle;
    }
    return shared;
  }

  /** Adds the headers above the tip, batch by batch. */
  async #extend(source: HeaderSource, rules: ChainRules, file: HeaderFile, top: number): Promise<void> {
    const fork = file.count - 1;
    this.#window ??= new HeaderWindow(rules, file, fork);
    const window = this.#window;
    try {
      while (file.count <= top) {
        const first = file.count;
        const headers = await source.read(file.hashAt(first - 1) as string, first, top);
        const { hashes, refused } = this.#checked(window, headers);
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

  /** Reads another branch as a whole, and takes it if it has more work. */
  async #weigh(source: HeaderSource, rules: ChainRules, file: HeaderFile, fork: number, top: number): Promise<void> {
    const window = new HeaderWindow(rules, file, fork);
    const parts: Uint8Array[] = [];
    const hashes: Uint8Array[] = [];
    let work = 0n;
    let below = file.hashAt(fork) as string;
    while (window.height < top && hashes.length < LONGEST_BRANCH) {
      const headers = await source.read(below, window.height + 1, top);
      const checked = this.#checked(window, headers);
      if (checked.refused !== undefined) throw checked.refused;
      parts.push(headers);
      hashes.push(...checked.hashes);
      work += checked.work;
      below = window.tipHash;
      this.#abort.signal.throwIfAborted();
    }
    if (work <= workAbove(file, fork) && !rules.followsNode) {
      this.#options.logger.info({ fork, top }, 'the node follows a branch with less work');
      return;
    }
    this.#options.logger.info({ fork, from: file.count - 1, to: window.height }, 'the active chain was reorganised');
    this.#replace(rules, file, fork, Buffer.concat(parts), hashes);
  }

  #replace(rules: ChainRules, file: HeaderFile, fork: number, headers: Uint8Array, hashes: Uint8Array[]): void {
    const left = file.count - 1 - fork;
    file.truncate(fork + 1);
    file.append(headers, hashes);
    this.#window = new HeaderWindow(rules, file, file.count - 1);
    this.#publish(fork, left);
  }

  /** Checks headers one after the other, up to the first that is refused. */
  #checked(window: HeaderWindow, headers: Uint8Array): { hashes: Uint8Array[]; work: bigint; refused?: HeaderRefused } {
    const now = Math.floor(this.#options.clock.now() / 1_000);
    const hashes: Uint8Array[] = [];
    let work = 0n;
    for (let at = 0; at < headers.length; at += HEADER_BYTES) {
      try {
        const added = window.add(headers.subarray(at, at + HEADER_BYTES), now);
        hashes.push(added.hash);
        work += added.work;
      } catch (error) {
        if (error instanceof HeaderRefused) return { hashes, work, refused: error };
        throw error;
      }
    }
    return { hashes, work };
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

function fileOf({ name }: ChainRules, dataDir: string): string {
  return join(dataDir, `headers-${name}.dat`);
}

/** Of the chains that the test network may be, the one whose headers were written last. */
function lastStored(dataDir: string): ChainRules | undefined {
  const stored = ['test', 'stn', 'regtest'].flatMap((chain) => {
    const rules = rulesOf('test', chain) as ChainRules;
    const info = statSync(fileOf(rules, dataDir), { throwIfNoEntry: false });
    return info === undefined ? [] : [{ rules, writtenAt: info.mtimeMs }];
  });
  return stored.sort((a, b) => b.writtenAt - a.writtenAt)[0]?.rules;
}

/** Work of the stored headers above a height. */
function workAbove(file: HeaderFile, fork: number): bigint {
  let work = 0n;
  for (let height = fork + 1; height < file.count; height++)
    work += workAt(parseHeader(file.at(height) as Uint8Array).bits);
  return work;
}
