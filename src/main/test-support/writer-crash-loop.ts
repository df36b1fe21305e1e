import { join } from 'node:path';
import { fromHex, parseBlock, parseScript } from '../../chain/index.ts';
import type { Settings } from '../../contract/index.ts';
import type { Endpoints } from '../ports.ts';
import { type StartedProcess, startProcess } from './processes.ts';
import type { SandboxProcessOptions, SandboxReady } from './sandbox-process.ts';
import type { WriterProcessOptions, WriterReady } from './writer-process.ts';

const API_KEY = 'testnet_0123456789abcdef';
/** Documents on their way at once, for each writer. */
const CLIENTS = 8;
/** A killed process lived so long at most from the moment it served; half of them a quarter of that. */
const LONGEST_LIFE_MS = 800;
/** One that dies while it starts lived so long at most from when its code was loaded. */
const LONGEST_START_MS = 250;
/** How long a pause is, in claims. */
const PAUSED_CLAIMS = 2;
/** Documents that others write meanwhile, at least, and how long they may take. */
const WRITTEN_IN_PAUSE = 20;
const OTHERS_WRITE_MS = 60_000;
/** How long the queue may take to come to its end after the last kill. */
const SETTLE_MS = 180_000;

export interface CrashLoopOptions {
  readonly kills: number;
  /** Empty folder, which the loop fills. */
  readonly folder: string;
  /** Of the writers, such as `databaseUrl`. */
  readonly settings?: Partial<Settings>;
  /** Processes that write at the same time, of which a random one is killed; more than one needs a `databaseUrl`. */
  readonly writers?: number;
  /** How long a claim holds (ms): what a killed writer had claimed waits so long for another. A minute if left out. */
  readonly claimMs?: number;
  /** How long a transaction of a stopped writer holds the others up (ms), see {@link WriterProcessOptions}. */
  readonly pausedTransactionMs?: number;
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
}

/**
 * Kills writers under load with SIGKILL, at random moments, and starts them again, while the network they write to lives on in another
 * process. Each document is a number of its own, so that the sandbox's blocks tell which were written, and how often.
 */
export async function runCrashLoop(options: CrashLoopOptions): Promise<CrashReport> {
  const sandboxOptions: SandboxProcessOptions = {
    dataDir: join(options.folder, 'sandbox'),
    apiKey: API_KEY,
    mineOnArrival: '300ms',
  };
  const sandbox = startProcess<SandboxReady>('sandbox-process.ts', sandboxOptions);
  const writers: Writer[] = [];
  try {
    const { endpoints } = await sandbox.ready;
    const ledger = new Ledger(endpoints);
    for (let n = 0; n < (options.writers ?? 1); n++) {
      writers.push(
        new Writer(
          {
            dataDir: join(options.folder, `writer-${n}`),
            apiKey: API_KEY,
            endpoints,
            settings: options.settings ?? {},
            ...(options.claimMs === undefined ? {} : { claimMs: options.claimMs }),
            ...(options.pausedTransactionMs === undefined ? {} : { pausedTransactionMs: options.pausedTransactionMs }),
          },
          join(options.folder, 'compiled'),
          ledger,
        ),
      );
    }
    await writers[0]?.warmUp();
    await Promise.all(writers.map((writer) => writer.start()));
    let kills = 0;
    let pauses = 0;
    const report = (ended = false): CrashReport => ledger.report({ kills, pauses, ended });
    while (kills < options.kills) {
      const writer = writers[Math.floor(Math.random() * writers.length)] as Writer;
      await writer.live(someLife());
      if (options.pauseEvery !== undefined && kills % options.pauseEvery === 0) {
        await writer.pause(PAUSED_CLAIMS * (options.claimMs ?? 60_000));
        pauses += 1;
        // What it had read before it stood still it does now.
        await writer.live(someLife());
      }
      await writer.kill();
      kills += 1;
      // One in ten dies again while it starts.
      if (kills < options.kills && Math.random() < 0.1) {
        writer.begin();
        await sleep(Math.random() * LONGEST_START_MS);
        await writer.kill();
        kills += 1;
      }
      await writer.start();
      await ledger.checkKept(writer.url);
      await ledger.readBlocks();
      options.progress?.(report());
    }
    for (const writer of writers) await writer.finish();
    await ledger.settle();
    return report(true);
  } finally {
    await Promise.all(writers.map((writer) => writer.end()));
    await sandbox.end();
  }
}

/** A writer that comes back on the same folder, and the clients that write to it. */
class Writer {
  readonly #options: WriterProcessOptions;
  /** Compiled sources: a start then costs little more than what the writer itself does. */
  readonly #cache: string;
  readonly #ledger: Ledger;
  #process: StartedProcess<WriterReady> | undefined;
  /** Has loaded its code and waits. */
  #next: StartedProcess<WriterReady> | undefined;
  #clients: Promise<void>[] = [];
  #serving = false;
  url = '';

  constructor(options: WriterProcessOptions, cache: string, ledger: Ledger) {
    this.#options = options;
    this.#cache = cache;
    this.#ledger = ledger;
  }

  /** Node keeps what it compiled only when a process ends by itself. */
  async warmUp(): Promise<void> {
    this.begin();
    await this.#process?.ready;
    await this.end();
  }

  /** Starts the writer without waiting for it. Its process was made ahead, while the one before it worked. */
  begin(): void {
    this.#process = this.#next ?? this.#load();
    this.#next = undefined;
    this.#process.go();
  }

  /** Starts the process and its clients. */
  async start(): Promise<void> {
    this.begin();
    this.url = (await this.#process?.ready)?.url ?? '';
    this.#next ??= this.#load();
    this.#serving = true;
    this.#clients = Array.from({ length: CLIENTS }, () => this.#write());
  }

  async live(ms: number): Promise<void> {
    await sleep(ms);
    if (this.#process?.child.exitCode !== null) throw new Error('a writer ended by itself');
  }

  /**
   * Stands still as a machine does that sleeps, until others wrote on for a while, and goes on as if nothing had been. Where it holds a
   * database transaction meanwhile, the others wait until the server cuts that.
   */
  async pause(ms: number): Promise<void> {
    this.#process?.child.kill('SIGSTOP');
    const enough = this.#ledger.acknowledged + CLIENTS + WRITTEN_IN_PAUSE;
    const end = performance.now() + OTHERS_WRITE_MS;
    await sleep(ms);
    while (this.#ledger.acknowledged < enough) {
      if (performance.now() > end) throw new Error('nobody wrote while one writer stood still');
      await sleep(20);
    }
    this.#process?.child.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    this.#serving = false;
    await this.#process?.end('SIGKILL');
    await Promise.all(this.#clients);
    this.#clients = [];
  }

  /** No new documents; those whose answer was lost are written again first. */
  async finish(): Promise<void> {
    this.#serving = false;
    await Promise.all(this.#clients);
    while (this.#ledger.unanswered > 0) await this.#ledger.writeNext(this.url);
  }

  async end(): Promise<void> {
    this.#serving = false;
    await this.#process?.end();
    await this.#next?.end('SIGKILL');
    this.#next = undefined;
    await Promise.all(this.#clients);
  }

  #load(): StartedProcess<WriterReady> {
    const env = { NODE_COMPILE_CACHE: this.#cache };
    return startProcess<WriterReady>('writer-process.ts', this.#options, { env, held: true });
  }

  async #write(): Promise<void> {
    while (this.#serving) {
      const answered = await this.#ledger.writeNext(this.url);
      if (!answered) return;
    }
  }
}

/** What was sent, what was answered, and what the chain holds. */
class Ledger {
  readonly #endpoints: Endpoints;
  #next = 0;
  readonly #unanswered: string[] = [];
  /** Names of acknowledged documents by their text. */
  readonly #acknowledged = new Map<string, string>();
  readonly #sinceCheck: string[] = [];
  readonly #written = new Map<string, number>();
  readonly #lost = new Set<string>();
  #repeated = 0;
  #height = 0;

  constructor(endpoints: Endpoints) {
    this.#endpoints = endpoints;
  }

  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  get unanswered(): number {
    return this.#unanswered.length;
  }

  /** Writes a new document, or once more one whose answer was lost. @returns false where no answer came */
  async writeNext(url: string): Promise<boolean> {
    const again = this.#unanswered.shift();
    if (again !== undefined) this.#repeated += 1;
    const text = again ?? `{"document":${++this.#next}}`;
    const wait = Math.random() < 0.5 ? 'accepted' : 'submitted';
    try {
      const response = await fetch(`${url}/api/v1/write?wait=${wait}`, {
        method: 'POST',
        headers: { ...authorized, 'content-type': 'application/json', 'idempotency-key': text.replace(/\D/g, '') },
        body: text,
      });
      const answer = await response.text();
      // The server cut the connection of a writer that stood still inside a transaction, which says so: the document is sent again.
      if (response.status === 500) {
        this.#unanswered.push(text);
        return true;
      }
      if (response.status !== 201 && response.status !== 202) throw new Refused(`${response.status}: ${answer}`);
      this.#acknowledged.set(text, response.headers.get('location') ?? '');
      this.#sinceCheck.push(text);
      return true;
    } catch (error) {
      if (error instanceof Refused) throw error;
      this.#unanswered.push(text);
      return false;
    }
  }

  /** Every document acknowledged since the last time is in the journal. */
  async checkKept(url: string): Promise<void> {
    const texts = this.#sinceCheck.splice(0);
    const check = async (): Promise<void> => {
      for (let text = texts.pop(); text !== undefined; text = texts.pop()) {
        const response = await fetch(new URL(this.#acknowledged.get(text) ?? '', url), { headers: authorized });
        await response.arrayBuffer();
        if (response.status !== 200) this.#lost.add(text);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, check));
  }

  /** Looks through the blocks that are new. */
  async readBlocks(): Promise<void> {
    const tip = await this.#rpc<number>('getblockcount', []);
    while (this.#height < tip) {
      this.#height += 1;
      const hash = await this.#rpc<string>('getblockhash', [this.#height]);
      const block = parseBlock(fromHex(await this.#rpc<string>('getblock', [hash, 0])));
      for (const { script } of block.transactions.flatMap(({ outputs }) => outputs)) {
        const text = Buffer.from(parseScript(script).chunks.at(-1)?.data ?? []).toString('utf8');
        if (text.startsWith('{"document":')) this.#written.set(text, (this.#written.get(text) ?? 0) + 1);
      }
    }
  }

  /** Waits until every acknowledged document is in a block; then as long again as nothing more comes. */
  async settle(): Promise<void> {
    for (const end = performance.now() + SETTLE_MS; performance.now() < end; await sleep(200)) {
      await this.readBlocks();
      if ([...this.#acknowledged.keys()].every((text) => this.#written.has(text))) break;
    }
    await sleep(1_000);
    await this.readBlocks();
  }

  report({ kills, pauses, ended }: { kills: number; pauses: number; ended: boolean }): CrashReport {
    const missing = ended ? [...this.#acknowledged.keys()].filter((text) => !this.#written.has(text)) : [];
    return {
      kills,
      pauses,
      acknowledged: this.#acknowledged.size,
      repeated: this.#repeated,
      onChain: [...this.#written.values()].reduce((sum, times) => sum + times, 0),
      lost: [...new Set([...this.#lost, ...missing])],
      twice: [...this.#written].flatMap(([text, times]) => (times > 1 ? [text] : [])),
    };
  }

  async #rpc<T>(method: string, params: readonly unknown[]): Promise<T> {
    const { username, password, origin, pathname } = new URL(this.#endpoints.bitcoinRpcUrl);
    const response = await fetch(`${origin}${pathname}`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
      body: JSON.stringify({ id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result: T; error: unknown };
    if (error !== null) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }
}

class Refused extends Error {}

const authorized = { authorization: `Bearer ${API_KEY}` };

/** @returns milliseconds; short lives are more frequent, since a start takes up what the last one left */
function someLife(): number {
  return Math.random() ** 2 * LONGEST_LIFE_MS;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
