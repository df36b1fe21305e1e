import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** A client in a process of its own, as it would be: it reads a line of JSON, does what that says and answers with one. */
export class ClientProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #answers: AsyncIterator<string>;

  /** @param script its path from this folder, @param task its first line, @param args of Node; resolves when it has answered the task */
  static async start(script: string, task: unknown, args: readonly string[] = []): Promise<ClientProcess> {
    const client = new ClientProcess(fileURLToPath(new URL(script, import.meta.url)), args);
    await client.ask(task);
    return client;
  }

  private constructor(script: string, args: readonly string[]) {
    this.#child = spawn(process.execPath, [...args, script], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** @returns its answer @throws Error where it ended instead */
  async ask(question: unknown): Promise<unknown> {
    this.#child.stdin.write(`${JSON.stringify(question)}\n`);
    const { value, done } = await this.#answers.next();
    if (done === true) throw new Error('the client ended early');
    return JSON.parse(value);
  }

  end(): void {
    this.#child.stdin.end();
  }
}
