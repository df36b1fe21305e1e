import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { basic, type RunningGateway, startGateway } from '../test-support/gateway.ts';
import { echo, Upstream } from '../test-support/upstream.ts';
import { readPlainHead } from './plain-request-head.ts';

let upstream: Upstream;
let gateway: RunningGateway;

beforeAll(async () => {
  upstream = await new Upstream(echo).start();
  gateway = await startGateway(upstream.url);
});

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

const call = (id: number, method = 'gettxout'): string => `{"id":${id},"method":"${method}","params":["${id}",0]}`;
const answerTo = (id: number): string => `{"result":"gettxout [\\"${id}\\",0]","error":null,"id":${id}}\n`;

function request(body: string, headers: Record<string, string> = {}): string {
  const all = {
    Host: `127.0.0.1:${gateway.port}`,
    Authorization: basic('planchet:secret'),
    'Content-Type': 'application/json',
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST / HTTP/1.1\r\n${lines.join('')}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** A raw connection whose answers are read one by one. */
class TestConnection {
  readonly socket: Socket;
  #heard = '';
  #wake: () => void = () => {};

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.setNoDelay(true);
    this.socket.on('error', () => {});
    this.socket.on('data', (piece: Buffer) => {
      this.#heard += piece.toString('latin1');
      this.#wake();
    });
    this.socket.on('close', () => this.#wake());
  }

  async next(): Promise<{ status: number; head: string; body: string }> {
    for (;;) {
      const end = this.#heard.indexOf('\r\n\r\n');
      const head = this.#heard.slice(0, end);
      const length = /content-length: (\d+)/i.exec(head)?.[1];
      const last = this.#heard.indexOf('\r\n0\r\n\r\n', end);
      const stop = length === undefined ? last + 7 : end + 4 + Number(length);
      if (end > 0 && (length !== undefined || last > 0) && this.#heard.length >= stop) {
        const body = this.#heard.slice(end + 4, stop);
        this.#heard = this.#heard.slice(stop);
        return { status: Number(head.slice(9, 12)), head, body };
      }
      if (this.socket.destroyed) throw new Error(`the connection ended after ${JSON.stringify(this.#heard)}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

async function withConnection<T>(use: (connection: TestConnection) => Promise<T>): Promise<T> {
  const connection = new TestConnection(gateway.port);
  try {
    return await use(connection);
  } finally {
    connection.socket.destroy();
  }
}

describe('a plain request', () => {
  it('is answered byte for byte like any other request', async () => {
    const odd = { 'X-Odd': '1' };
    const fields = ({ head }: { head: string }): string[] =>
      head
        .replace(/Date: .*/, 'Date')
        .split('\r\n')
        .sort();
    for (const body of [
      call(1),
      '{"id":1,"method":"nope"}',
      '{',
      `[${call(1)},${call(2)}]`,
      '[]',
      '{"id":"é","method":"getinfo"}',
    ]) {
      const [plain, other] = await withConnection(async (connection) => {
        connection.socket.write(request(body));
        const first = await connection.next();
        connection.socket.write(request(body, odd));
        return [first, await connection.next()];
      });
      expect(plain?.status).toBe(other?.status);
      expect(plain?.body).toBe(other?.body);
      expect(fields(plain as { head: string })).toEqual(fields(other as { head: string }));
    }
  });

  it('may arrive in pieces, split anywhere', async () => {
    const text = request(call(5));
    await withConnection(async (connection) => {
      for (let at = 1; at < text.length; at += 7) {
        connection.socket.write(request(call(4)));
        expect((await connection.next()).body).toBe(answerTo(4));
        connection.socket.write(text.slice(0, at));
        await new Promise((resolve) => setImmediate(resolve));
        connection.socket.write(text.slice(at));
        expect((await connection.next()).body).toBe(answerTo(5));
      }
    });
  });

  it('may be followed by others before it is answered', async () => {
    await withConnection(async (connection) => {
      connection.socket.write([1, 2, 3].map((id) => request(call(id))).join(''));
      for (const id of [1, 2, 3]) expect((await connection.next()).body).toBe(answerTo(id));
      connection.socket.write(request(call(4)));
      await new Promise((resolve) => setTimeout(resolve, 1));
      connection.socket.write(request(call(5)));
      for (const id of [4, 5]) expect((await connection.next()).body).toBe(answerTo(id));
    });
  });

  it('is refused with a wrong credential on an authenticated connection', async () => {
    await withConnection(async (connection) => {
      connection.socket.write(request(call(1)));
      expect((await connection.next()).status).toBe(200);
      const before = upstream.requests.length;
      connection.socket.write(request(call(2), { Authorization: basic('planchet:wrong!') }));
      expect((await connection.next()).status).toBe(401);
      expect(upstream.requests.length).toBe(before);
    });
  });

  it.each([
    ['another Host', { Host: 'evil.example' }, 403],
    ['a foreign Origin', { Origin: 'https://evil.example' }, 403],
    ['a cross-site request', { 'Sec-Fetch-Site': 'cross-site' }, 403],
    ['a type no client sends', { 'Content-Type': 'text/html' }, 415],
    ['two lengths', { 'Content-length': '3' }, 400],
    ['a length and chunks', { 'Transfer-Encoding': 'chunked' }, 400],
  ])('is refused with %s on an authenticated connection', async (_, headers, status) => {
    await withConnection(async (connection) => {
      connection.socket.write(request(call(1)));
      expect((await connection.next()).status).toBe(200);
      connection.socket.write(request(call(2), headers as Record<string, string>));
      connection.socket.on('end', () => connection.socket.destroy());
      const refused = await connection.next().catch((error: Error) => {
        const line = /HTTP\/1\.1 (\d+)/.exec(error.message)?.[1];
        return { status: Number(line) };
      });
      expect(refused.status).toBe(status);
    });
  });

  it('is cut off if the rest of it never arrives', async () => {
    const slow = await startGateway(upstream.url, {
      options: { limits: { headersTimeoutMs: 200, requestTimeoutMs: 300 } },
    });
    try {
      const whole = request(call(1)).replace(`:${gateway.port}`, `:${slow.port}`);
      const socket = connect(slow.port, '127.0.0.1', () => socket.write(whole.slice(0, -3)));
      const silent = connect(slow.port, '127.0.0.1');
      let heard = '';
      socket.on('data', (piece: Buffer) => {
        heard += piece.toString('latin1');
      });
      silent.resume();
      await Promise.all([once(socket, 'close'), once(silent, 'close')]);
      expect(heard).toMatch(/^HTTP\/1\.1 408 /);
    } finally {
      await slow.stop();
    }
  });

  it('that is pending when the gateway stops is the last on its connection', async () => {
    const other = await startGateway(upstream.url);
    const connection = new TestConnection(other.port);
    connection.socket.write(request(call(1)).replace(`:${gateway.port}`, `:${other.port}`));
    await connection.next();
    const closed = once(connection.socket, 'close');
    await other.stop();
    await closed;
  });
});

describe('readPlainHead', () => {
  const name = fc.constantFrom(
    'Host',
    'content-type',
    'Accept',
    'User-Agent',
    'Origin',
    'Content-Length',
    'Connection',
    'X-A',
  );
  const value = fc.oneof(fc.constantFrom('5', '05', '+5', 'keep-alive', 'close', 'a b', ' a', 'a ', ''), fc.string());

  it('reads nothing that is ambiguous', () => {
    let read = 0;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(name, fc.constantFrom(': ', ':', ' : ', ':\t'), value), { maxLength: 5 }),
        (lines) => {
          const all = [...lines, ['Content-Length', ': ', '5'] as const];
          const text = `POST / HTTP/1.1\r\n${all.map((line) => line.join('')).join('\r\n')}\r\n\r\nabcde`;
          const head = readPlainHead(text);
          if (head === undefined) return;
          read += 1;
          const names = all.map(([one]) => one.toLowerCase());
          expect(new Set(names).size).toBe(names.length);
          expect(text.slice(0, head.end)).toMatch(/^[ -~\r\n]*\r\n\r\n$/);
          expect(text.slice(head.lengthStart, head.lengthEnd)).toBe(head.headers['content-length']);
          expect(text.slice(head.end)).toBe('abcde');
          expect(Object.keys(head.headers)).toEqual(names);
          for (const [one, , given] of all) expect(head.headers[one.toLowerCase()]).toBe(given.trim());
        },
      ),
      { numRuns: 5_000 },
    );
    expect(read).toBeGreaterThan(50);
  });
});
