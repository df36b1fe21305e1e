import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { ConsoleServer } from '../http/http.ts';
import { createFakeHost, type FakeHost } from './fake-host.ts';
import { CLI_TOKEN, createServer } from './transports.ts';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface Question {
  method?: string;
  path?: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
}

export const json = { 'content-type': 'application/json' };
export const bearer = { authorization: `Bearer ${CLI_TOKEN}` };
/** What the command line sends. */
export const good = { ...json, ...bearer };

/** A console over HTTP that is restarted for every test of a file, on a stopped clock. */
export class HttpConsole {
  rendererDir = '';
  host!: FakeHost;
  server!: ConsoleServer;
  port = 0;
  now = 0;

  /** Starts and stops it with the tests of the file. */
  static forTests(): HttpConsole {
    const console = new HttpConsole();
    beforeAll(() => {
      console.rendererDir = mkdtempSync(join(tmpdir(), 'planchet-console-'));
      writeFileSync(join(console.rendererDir, 'index.html'), '<meta name="csp-nonce" content="__CSP_NONCE__">');
    });
    afterAll(() => rmSync(console.rendererDir, { recursive: true }));
    beforeEach(() => console.#start());
    afterEach(() => console.server.stop());
    return console;
  }

  async #start(): Promise<void> {
    this.now = 1_000_000;
    this.host = createFakeHost();
    const clock = { now: () => this.now, after: () => () => {} };
    this.server = createServer(this.host.context, { rendererDir: this.rendererDir, clock });
    this.port = Number(new URL((await this.server.start()).address).port);
  }

  /** Sends exactly the given headers, as no browser or fetch would. */
  ask({ method = 'POST', path = '/api/app/info', headers = {}, body }: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const outgoing = request({
        host: '127.0.0.1',
        port: this.port,
        method,
        path,
        headers: { host: `127.0.0.1:${this.port}`, ...headers },
      });
      outgoing.on('error', reject);
      outgoing.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      });
      outgoing.end(body);
    });
  }

  /** Trades a one-time token for the cookie of a session. */
  async signIn(token = this.server.createLoginToken()): Promise<string> {
    const answer = await this.ask({ path: '/session', headers: json, body: JSON.stringify({ token }) });
    expect(answer.status).toBe(200);
    const [cookie] = answer.headers['set-cookie'] as string[];
    return (cookie as string).split(';')[0] as string;
  }
}
