import { join } from 'node:path';
import type { Settings } from '../../../contract/index.ts';
import { seededRandom } from '../seeded-random.ts';
import { bundleProcess } from './bundle-process.ts';
import { CrashLedger } from './crash-ledger.ts';
import { KilledWriter } from './killed-writer.ts';
import { startProcess } from './processes.ts';
import type { SandboxProcessOptions, SandboxReady } from './sandbox-process.ts';
import type { WriterProcessOptions } from './writer-process.ts';

const API_KEY = 'testnet_0123456789abcdef';
/** A killed process lived so long at most from the moment it served; half of them a quarter of that. */
const LONGEST_LIFE_MS = 1_000;
/** One that dies while it starts lived so long at most from when its code was loaded. */
const LONGEST_START_MS = 250;
/** So many die again while they start. */
const DYING_AT_START = 0.1;
/** How long a pause is, in claims. */
const PAUSED_CLAIMS = 2;

export interface CrashLoopOptions {
  readonly kills: number;
  /** Empty folder, which the loop fills. */
  readonly folder: string;
  /** Of the moments at which something happens; what the machine makes of them is its own. */
  readonly seed?: number;
  /** Of the writers, such as `databaseUrl`. */
  readonly settings?: Partial<Settings>;
  /** Processes that write at the same time, each killed at moments of its own; more than one needs a `databaseUrl`. */
  readonly writers?: number;
  /** How long a claim holds (ms): what a killed writer had claimed waits so long for another. A minute if left out. */
  readonly claimMs?: number;
  /** How long a transaction of a stopped writer holds the others up (ms), see {@link WriterProcessOptions}. */
  readonly pausedTransactionMs?: number;
  /**
   * The sandbox's funding service pays instead of the wallet. The first writer registers the API key; the others have the same wallet,
   * and so its signing key.
   */
  readonly servicePays?: boolean;
  /** Stops a writer for longer than its claims hold before every so many kills, while the others write; never if left out. */
  readonly pauseEvery?: number;
  /** Told after each kill. */
  readonly progress?: (report: CrashReport) => void;
}

export interface CrashReport {
  readonly kills: number;
  /** How often a writer stood still for longer than its claims hold. */
  readonly pauses: number;
  /** Documents a writer answered for. */
  readonly acknowledged: number;
  /** Documents of killed requests that were sent again under their Idempotency-Key. */
  readonly repeated: number;
  /** Documents in blocks of the sandbox. */
  readonly onChain: number;
  /** Acknowledged documents a writer did not know after its restart, or that never reached the chain. */
  readonly lost: readonly string[];
  /** Documents more than once in blocks. */
  readonly twice: readonly string[];
  /** Documents that were given up, with their reasons. */
  readonly dead: readonly string[];
}

/**
 * Kills writers under load with SIGKILL, at random moments, and starts them again, while the network they write to lives on in another
 * process. Each document is a number of its own, so that the sandbox's blocks tell which were written, and how often. After each start
 * the journal must know what was acknowledged, and in the end the blocks must hold it.
 */
export async function runCrashLoop(options: CrashLoopOptions): Promise<CrashReport> {
  const sandboxOptions: SandboxProcessOptions = {
    dataDir: join(options.folder, 'sandbox'),
    apiKey: API_KEY,
    mineOnArrival: '300ms',
  };
  const sandbox = startProcess<SandboxReady>('sandbox-process.ts', sandboxOptions);
  const toll = new Toll(options);
  const writers: KilledWriter[] = [];
  let lives: Promise<unknown> = Promise.resolve();
  const following = new AbortController();
  try {
    const program = await bundleProcess('writer-process.ts', join(options.folder, 'program'));
    const compiled = join(options.folder, 'compiled');
    const { endpoints } = await sandbox.ready;
    const ledger = new CrashLedger(endpoints, API_KEY);
    for (let n = 0; n < (options.writers ?? 1); n++) {
      const process: WriterProcessOptions = {
        dataDir: join(options.folder, `writer-${n}`),
        apiKey: API_KEY,
        endpoints,
        settings: { ...options.settings, ...(options.servicePays ? { writerFunding: 'service' as const } : {}) },
        registers: options.servicePays === true && n === 0,
        ...(options.claimMs === undefined ? {} : { claimMs: options.claimMs }),
        ...(options.pausedTransactionMs === undefined ? {} : { pausedTransactionMs: options.pausedTransactionMs }),
      };
      writers.push(new KilledWriter({ process, program, compiled, ledger }));
    }
    await writers[0]?.warmUp();
    await Promise.all(writers.map((writer) => writer.start()));
    const report = (lost: readonly string[]): CrashReport => {
      const { acknowledged, repeated, onChain, twice, dead } = ledger;
      return { kills: toll.kills, pauses: toll.pauses, acknowledged, repeated, onChain, lost, twice, dead };
    };
    const told = (): void => options.progress?.(report(ledger.lost));
    const seed = options.seed ?? Math.floor(Math.random() * 2 ** 31);
    lives = Promise.all(writers.map((writer, n) => liveAndDie(writer, toll, seededRandom(seed + n * 2 ** 31), told)));
    await Promise.all([lives.finally(() => following.abort()), ledger.follow(following.signal)]);
    for (const writer of writers) await writer.finish();
    await ledger.settle();
    await writers[0]?.checkDead();
    return report([...new Set([...ledger.lost, ...ledger.missing])]);
  } finally {
    toll.end();
    await Promise.allSettled([lives]);
    await Promise.all(writers.map((writer) => writer.end()));
    await sandbox.end();
  }
}

/** How many died so far, and whose turn it is to stand still. */
class Toll {
  readonly #most: number;
  readonly #pauseEvery: number | undefined;
  readonly #pauseMs: number;
  #ended = false;
  #pausing = false;
  kills = 0;
  pauses = 0;

  constructor({ kills, pauseEvery, claimMs = 60_000 }: CrashLoopOptions) {
    this.#most = kills;
    this.#pauseEvery = pauseEvery;
    this.#pauseMs = PAUSED_CLAIMS * claimMs;
  }

  get goesOn(): boolean {
    return !this.#ended && this.kills < this.#most;
  }

  end(): void {
    this.#ended = true;
  }

  /** Lets a writer stand still where it is time for that and no other does. @returns whether it did */
  async pause(writer: KilledWriter): Promise<boolean> {
    if (this.#pauseEvery === undefined || this.#pausing || this.kills < this.pauses * this.#pauseEvery) return false;
    this.#pausing = true;
    this.pauses += 1;
    await writer.pause(this.#pauseMs).finally(() => {
      this.#pausing = false;
    });
    return true;
  }
}

/** One writer's turns at living and being killed, until there were enough of them. */
async function liveAndDie(writer: KilledWriter, toll: Toll, random: () => number, told: () => void): Promise<void> {
  // Short lives are more frequent, since a start takes up what the last one left.
  const someLife = (): number => random() ** 2 * LONGEST_LIFE_MS;
  while (toll.goesOn) {
    await writer.live(someLife());
    // What it had read before it stood still it does now.
    if (await toll.pause(writer)) await writer.live(someLife());
    await writer.kill();
    toll.kills += 1;
    if (toll.goesOn && random() < DYING_AT_START) {
      writer.begin();
      await sleep(random() * LONGEST_START_MS);
      await writer.kill();
      toll.kills += 1;
    }
    await writer.start();
    told();
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
