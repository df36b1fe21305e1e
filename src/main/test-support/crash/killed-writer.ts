import type { CrashLedger } from './crash-ledger.ts';
import { type StartedProcess, startProcess } from './processes.ts';
import type { WriterProcessOptions, WriterReady } from './writer-process.ts';

/** Documents on their way at once. */
const CLIENTS = 8;
/** Documents that others write during a pause, at least, and how long they may take. */
const WRITTEN_IN_PAUSE = 8;
const OTHERS_WRITE_MS = 60_000;

export interface KilledWriterOptions {
  readonly process: WriterProcessOptions;
  /** Its program in one file, and the folder of what the engine made of it. */
  readonly program: string;
  readonly compiled: string;
  readonly ledger: CrashLedger;
}

/** A writer that comes back on the same folder, and the clients that write to it. */
export class KilledWriter {
  readonly #options: KilledWriterOptions;
  #process: StartedProcess<WriterReady> | undefined;
  /** Has loaded its code and waits. */
  #next: StartedProcess<WriterReady> | undefined;
  #clients: Promise<void>[] = [];
  #serving = false;
  #url = '';

  constructor(options: KilledWriterOptions) {
    this.#options = options;
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

  /** Starts the writer and its clients. What was acknowledged up to now must be there. */
  async start(): Promise<void> {
    this.begin();
    this.#url = (await this.#process?.ready)?.url ?? '';
    this.#next ??= this.#load();
    this.#serving = true;
    this.#clients = Array.from({ length: CLIENTS }, () => this.#write());
    await this.#options.ledger.checkKept(this.#url);
  }

  /** @throws Error where it ends by itself meanwhile */
  async live(ms: number): Promise<void> {
    await sleep(ms);
    if (this.#process?.child.exitCode !== null) throw new Error('a writer ended by itself');
  }

  /**
   * Stands still as a machine does that sleeps, until others wrote on for a while, and goes on as if nothing had been. Where it holds a
   * database transaction meanwhile, the others wait until the server cuts that.
   */
  async pause(ms: number): Promise<void> {
    const { ledger } = this.#options;
    this.#process?.child.kill('SIGSTOP');
    const enough = ledger.acknowledged + CLIENTS + WRITTEN_IN_PAUSE;
    const end = performance.now() + OTHERS_WRITE_MS;
    await sleep(ms);
    while (ledger.acknowledged < enough) {
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
    const { ledger } = this.#options;
    this.#serving = false;
    await Promise.all(this.#clients);
    while (ledger.unanswered > 0) await ledger.writeNext(this.#url);
    await ledger.checkKept(this.#url);
  }

  /** Looks for documents that were given up, of all writers with the same journal. */
  async checkDead(): Promise<void> {
    await this.#options.ledger.checkDead(this.#url);
  }

  async end(): Promise<void> {
    this.#serving = false;
    // One that stands still would not hear of its end.
    this.#process?.child.kill('SIGCONT');
    await this.#process?.end();
    await this.#next?.end('SIGKILL');
    this.#next = undefined;
    await Promise.allSettled(this.#clients);
  }

  #load(): StartedProcess<WriterReady> {
    const { process, program, compiled } = this.#options;
    const env = { NODE_COMPILE_CACHE: compiled };
    return startProcess<WriterReady>('writer-process.ts', process, { env, held: true, program });
  }

  async #write(): Promise<void> {
    const { ledger } = this.#options;
    while (this.#serving && (await ledger.writeNext(this.#url)));
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
