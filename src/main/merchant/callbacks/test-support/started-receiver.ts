import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { ReceiverFigures, ReceiverProcessOptions, ReceiverReady } from './receiver-process.ts';

const program = fileURLToPath(new URL('./receiver-process.ts', import.meta.url));

/** A receiver in a process of its own. */
export class StartedReceiver {
  readonly url: string;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;

  /** @param args of Node itself */
  static async start(options: ReceiverProcessOptions, args: readonly string[] = []): Promise<StartedReceiver> {
    const child = spawn(process.execPath, [...args, program, JSON.stringify(options)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const { value, done } = await lines.next();
    if (done === true) throw new Error('the receiver ended before it was ready');
    return new StartedReceiver((JSON.parse(value) as ReceiverReady).url, child, lines);
  }

  private constructor(url: string, child: ChildProcessByStdio<Writable, Readable, null>, lines: AsyncIterator<string>) {
    this.url = url;
    this.#child = child;
    this.#lines = lines;
  }

  /** What the receiver still has to do. */
  async figures(): Promise<ReceiverFigures> {
    this.#child.stdin.write('\n');
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error('the receiver ended');
    return JSON.parse(value) as ReceiverFigures;
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill(signal);
    await gone;
  }
}
