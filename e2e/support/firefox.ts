import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** The Firefox of this machine, undefined if there is none. */
export const firefoxPath = (process.env.PATH ?? '')
  .split(delimiter)
  .flatMap((folder) => ['firefox-esr', 'firefox'].map((name) => join(folder, name)))
  .find((path) => existsSync(path));

const START_MS = 60_000;

/** A Firefox without a network and without a window, controlled by its own remote protocol (Marionette). */
export class Firefox {
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #socket: Socket;
  readonly #answers = new Map<number, (answer: readonly [error: unknown, result: unknown]) => void>();
  #sent = 0;

  private constructor(process: ChildProcess, profile: string, socket: Socket) {
    this.#process = process;
    this.#profile = profile;
    this.#socket = socket;
  }

  /** @throws Error if it does not start within a minute */
  static async open(): Promise<Firefox> {
    const profile = mkdtempSync(join(tmpdir(), 'planchet-firefox-'));
    writeFileSync(
      join(profile, 'user.js'),
      'user_pref("marionette.port", 0);\nuser_pref("webgl.force-enabled", true);\nuser_pref("intl.accept_languages", "en");\n',
    );
    const child = spawn(
      firefoxPath as string,
      ['--headless', '--marionette', '--no-remote', '-offline', '--profile', profile],
      // Without a window it needs an explicit surface to render 3D.
      {
        stdio: 'ignore',
        env: { ...process.env, HOME: profile, MOZ_WEBGL_FORCE_EGL: '1', EGL_PLATFORM: 'surfaceless' },
      },
    );
    const port = await portIn(join(profile, 'MarionetteActivePort'), child);
    const browser = new Firefox(child, profile, createConnection(port, '127.0.0.1'));
    browser.#listen();
    await browser.#ask('WebDriver:NewSession', { capabilities: { alwaysMatch: { timeouts: { script: START_MS } } } });
    return browser;
  }

  async goTo(url: string): Promise<void> {
    await this.#ask('WebDriver:Navigate', { url });
  }

  /** Runs a function's body in the page. */
  async run<T>(script: string): Promise<T> {
    const { value } = (await this.#ask('WebDriver:ExecuteScript', { script, args: [], sandbox: null })) as { value: T };
    return value;
  }

  /** @returns a screenshot of the page as PNG */
  async picture(): Promise<Buffer> {
    const { value } = (await this.#ask('WebDriver:TakeScreenshot', { full: false })) as { value: string };
    return Buffer.from(value, 'base64');
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#process.kill();
    await ended;
    this.#socket.destroy();
    rmSync(this.#profile, { recursive: true, force: true });
  }

  /** Messages are `[type, id, error or command, result]` as JSON, prefixed with their length. */
  #listen(): void {
    let rest = Buffer.alloc(0);
    this.#socket.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      for (;;) {
        const colon = rest.indexOf(':');
        const end = colon + 1 + Number(rest.subarray(0, Math.max(0, colon)).toString());
        if (colon < 1 || rest.length < end) return;
        const message = JSON.parse(rest.subarray(colon + 1, end).toString());
        rest = rest.subarray(end);
        if (Array.isArray(message)) this.#answers.get(message[1])?.([message[2], message[3]]);
      }
    });
  }

  async #ask(command: string, parameters: object): Promise<unknown> {
    const id = ++this.#sent;
    const answered = new Promise<readonly [unknown, unknown]>((resolve) => this.#answers.set(id, resolve));
    const text = JSON.stringify([0, id, command, parameters]);
    this.#socket.write(`${Buffer.byteLength(text)}:${text}`);
    const [error, result] = await answered;
    this.#answers.delete(id);
    if (error !== null) throw new Error(`${command}: ${JSON.stringify(error)}`);
    return result;
  }
}

async function portIn(file: string, child: ChildProcess): Promise<number> {
  const end = Date.now() + START_MS;
  while (Date.now() < end && child.exitCode === null) {
    const port = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
    if (port > 0) return port;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  child.kill();
  throw new Error('Firefox did not start.');
}
