import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { explain } from './errors.ts';
import { sendRequest } from './http-request.ts';
import { Upstream } from './pool.ts';
import { RequestQueue } from './request-queue.ts';

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0).reverse()) close();
});

/** A server whose answers are written by the test, byte by byte. `heard` is called with the body of each complete request. */
class RawUpstream {
  readonly requests: string[] = [];
  readonly sockets = new Set<Socket>();
  connections = 0;
  most = 0;
  port = 0;
  heard: (socket: Socket, body: string) => void = () => {};
  readonly #server: Server;

  constructor() {
    this.#server = createServer((socket) => {
      this.connections += 1;
      this.sockets.add(socket);
      this.most = Math.max(this.most, this.sockets.size);
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => this.sockets.delete(socket));
      let text = '';
      socket.on('data', (piece: Buffer) => {
        text += piece.toString('latin1');
        const end = text.indexOf('\r\n\r\n');
        const length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
        if (end < 0 || text.length < end + 4 + length) return;
        const body = text.slice(end + 4, end + 4 + length);
        text = text.slice(end + 4 + length);
        this.requests.push(body);
        this.heard(socket, body);
      });
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.port = (this.#server.address() as AddressInfo).port;
    open.push(() => {
      for (const socket of this.sockets) socket.destroy();
      this.#server.close();
    });
    return this;
  }
}

async function both(heard: RawUpstream['heard'], unanswered = 16): Promise<{ upstream: RawUpstream } & Sender> {
  const upstream = await new RawUpstream().start();
  upstream.heard = heard;
  return { upstream, ...senderTo(upstream.port, unanswered) };
}

interface Heard {
  status: number;
  body: string;
}

interface Sender {
  queue: RequestQueue;
  pool: Upstream['pool'];
  /** @throws PlanchetError */
  ask(body?: string, options?: { timeoutMs?: number; signal?: AbortSignal }): Promise<Heard>;
}

function senderTo(port: number, unanswered: number): Sender {
  const { pool, origin, path } = new Upstream(`http://127.0.0.1:${port}`, false, Date.now);
  const queue = new RequestQueue(pool, unanswered);
  open.push(() => void pool.destroy());
  const ask: Sender['ask'] = async (body = 'x', { timeoutMs = 5_000, signal } = {}) => {
    try {
      const { status, bytes } = await sendRequest({
        dispatch: (request) => queue.send({ method: 'POST', path, body }, request),
        timeoutMs,
        bounds: 'piece',
        wholeBytes: 1_000_000,
        signal,
      });
      return { status, body: bytes.toString() };
    } catch (error) {
      throw explain(error, origin, timeoutMs);
    }
  };
  return { queue, pool, ask };
}

const plain = (body: string, head = ''): string =>
  `HTTP/1.1 200 OK\r\n${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

const echo = (socket: Socket, body: string): void => void socket.write(plain(`re ${body}`));

const brokeOff = { id: 'upstream.broke-off' };

it('calls without an answer stay within the limit, and an answer that has begun counts no more', async () => {
  const held: Socket[] = [];
  const { upstream, ask } = await both((socket) => void held.push(socket), 2);
  const answers = Array.from({ length: 5 }, (_, n) => ask(String(n)));
  await expect.poll(() => held).toHaveLength(2);
  held[0]?.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhe');
  await expect.poll(() => held).toHaveLength(3);
  held[1]?.write(plain('whole'));
  await expect.poll(() => held).toHaveLength(4);
  // of two answers that are owed, one never comes
  held[2]?.destroy();
  await expect(answers[2]).rejects.toMatchObject(brokeOff);
  await expect.poll(() => held).toHaveLength(5);
  expect(upstream.requests).toEqual(['0', '1', '2', '3', '4']);
  held[0]?.write('re');
  for (const socket of held.slice(3)) socket.write(plain('late'));
  expect((await Promise.all(answers.toSpliced(2, 1))).map(({ body }) => body)).toEqual([
    'here',
    'whole',
    'late',
    'late',
  ]);
});

describe('an answer of an upstream', () => {
  const line = fc.stringMatching(/^[ -~]{0,20}$/);
  const chunks = fc.array(fc.string({ minLength: 1, maxLength: 300 }), { maxLength: 6 });
  const answer = fc.record({
    status: fc.constantFrom(200, 404, 500),
    early: fc.boolean(),
    form: fc.constantFrom('length', 'chunked', 'close'),
    chunks,
    note: line,
    cuts: fc.array(fc.nat(3_000), { maxLength: 6 }),
  });

  it('is read correctly in every framing and split at every byte', async () => {
    const { upstream, ask } = await both(() => {});
    await fc.assert(
      fc.asyncProperty(answer, async ({ status, early, form, chunks: parts, note, cuts }) => {
        const body = parts.join('');
        const length = Buffer.byteLength(body);
        let text = early ? 'HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n' : '';
        text += `HTTP/1.1 ${status} ${note}\r\nX-Note: ${note}\r\n`;
        if (form === 'length') text += `content-length: ${length}\r\n\r\n${body}`;
        else if (form === 'close') text += `\r\n${body}`;
        else {
          const coded = parts.map((part) => `${Buffer.byteLength(part).toString(16)};e=1\r\n${part}\r\n`);
          text += `Transfer-Encoding: chunked\r\n\r\n${coded.join('')}0\r\nTrailer: 1\r\n\r\n`;
        }
        const bytes = Buffer.from(text);
        upstream.heard = async (socket) => {
          const places = [...cuts.filter((at) => at < bytes.length), bytes.length].sort((a, b) => a - b);
          let at = 0;
          for (const next of places) {
            socket.write(bytes.subarray(at, next));
            at = next;
            await new Promise((resolve) => setImmediate(resolve));
          }
          if (form === 'close') socket.end();
        };
        expect(await ask('x')).toEqual({ status, body });
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['is no HTTP', 'hello\r\n\r\n'],
    ['has two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd'],
    ['has a length that is none', 'HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\nabc'],
    ['has a length and chunks', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['has a folded header', 'HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: 0\r\n\r\n'],
    ['has a space before a colon', 'HTTP/1.1 200 OK\r\nContent-Length : 0\r\n\r\n'],
    ['has a chunk without a size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n'],
    ['has a chunk longer than its size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n'],
    ['has a bare line end', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n'],
    ['has no end to its head', `HTTP/1.1 200 OK\r\nA: ${'b'.repeat(70_000)}`],
  ])('that %s fails, and its connection is not reused', async (_what, text) => {
    const { upstream, ask } = await both((socket) => void socket.write(text));
    await expect(ask()).rejects.toMatchObject({ code: 'upstream-error' });
    upstream.heard = echo;
    expect(await ask('b')).toEqual({ status: 200, body: 're b' });
    expect(upstream.connections).toBe(2);
  });

  it('that ends before its announced length is an error', async () => {
    for (const text of ['', 'HTTP/1.1 200', plain('abc').slice(0, -1)]) {
      const { ask } = await both((socket) => void socket.end(text));
      await expect(ask()).rejects.toMatchObject(brokeOff);
    }
  });

  it('is waited for until the deadline, which includes the wait for its turn', async () => {
    const heard = Promise.withResolvers<void>();
    const { upstream, ask } = await both(() => heard.resolve(), 1);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const late = ['a', 'b'].map((body) => ask(body, { timeoutMs: 100 }).catch((error: unknown) => error));
      const first = vi.fn();
      void late[0]?.then(first);
      await heard.promise;
      await vi.advanceTimersByTimeAsync(99);
      expect(first).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1);
      for (const one of await Promise.all(late)) expect(one).toMatchObject({ id: 'upstream.timeout' });
    } finally {
      vi.useRealTimers();
    }
    expect(upstream.requests).toEqual(['a']);
    upstream.heard = echo;
    expect((await ask('c')).body).toBe('re c');
    expect(upstream.requests).toEqual(['a', 'c']);
  });
});

describe('the connections to an upstream', () => {
  it('are reused, and limited in number', async () => {
    const { upstream, ask } = await both(echo, 4);
    for (let n = 0; n < 5; n++) expect((await ask(`${n}`)).body).toBe(`re ${n}`);
    // a call right after an answer may find its connection not free yet
    expect(upstream.connections).toBeLessThan(3);
    const many = await Promise.all(Array.from({ length: 100 }, (_, n) => ask(`${n}`)));
    expect(many.map(({ body }) => body)).toEqual(many.map((_, n) => `re ${n}`));
    // one that is being read and one for the next call, for each of the four
    expect(upstream.most).toBeLessThanOrEqual(8);
  });

  it.each([
    ['says close', plain('a', 'Connection: close\r\n')],
    ['is of the old version', plain('a').replace('1.1', '1.0')],
    ['gives it no time', plain('a', 'Keep-Alive: timeout=2\r\n')],
  ])('are not reused if the upstream %s', async (_what, text) => {
    const { upstream, ask } = await both((socket) => void socket.write(text));
    for (let n = 0; n < 3; n++) expect((await ask()).body).toBe('a');
    expect(upstream.connections).toBe(3);
  });

  it('are not reused if more bytes arrive than expected', async () => {
    const { upstream, ask } = await both((socket) => void socket.write(`${plain('a')}${plain('forged')}`));
    for (let n = 0; n < 3; n++) expect((await ask()).body).toBe('a');
    expect(upstream.connections).toBe(3);
  });

  it('are replaced if the upstream closed them while idle', async () => {
    const { upstream, ask } = await both(echo);
    await ask('a');
    const [first] = upstream.sockets;
    await new Promise<void>((resolve) => first?.once('close', resolve).end());
    expect((await ask('b')).body).toBe('re b');
    expect(upstream.requests).toEqual(['a', 'b']);
  });

  it('never send a call twice: it fails if its connection closes', async () => {
    const { upstream, ask } = await both(echo);
    await ask('a');
    upstream.heard = (socket) => socket.destroy();
    await expect(ask('b')).rejects.toBeInstanceOf(Error);
    upstream.heard = echo;
    expect((await ask('c')).body).toBe('re c');
    expect(upstream.requests).toEqual(['a', 'b', 'c']);
  });

  it('close when their call is cancelled', async () => {
    const heard = Promise.withResolvers<Socket>();
    const { ask } = await both((socket) => heard.resolve(socket));
    const leaving = new AbortController();
    const asked = ask('a', { signal: leaving.signal });
    const socket = await heard.promise;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    leaving.abort();
    await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
    await closed;
  });

  it('close with the pool, and pending calls fail', async () => {
    const { pool, ask } = await both(() => {}, 1);
    const calls = Promise.allSettled([ask('a'), ask('b')]);
    await new Promise((resolve) => setImmediate(resolve));
    await pool.destroy();
    expect((await calls).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(ask('c')).rejects.toMatchObject({ code: 'upstream-unreachable' });
  });

  it('finish the calls that were sent or wait when they retire', async () => {
    const held: Socket[] = [];
    const { upstream, queue, ask } = await both((socket) => void held.push(socket), 1);
    const asked = ['a', 'b'].map((body) => ask(body));
    await expect.poll(() => held).toHaveLength(1);
    queue.retire();
    upstream.heard = echo;
    echo(held[0] as Socket, 'a');
    expect((await Promise.all(asked)).map(({ body }) => body)).toEqual(['re a', 're b']);
    await expect(ask('c')).rejects.toMatchObject({ code: 'upstream-unreachable' });
  });

  it('transport text in any language', async () => {
    const { ask } = await both((socket, body) => void socket.write(plain(Buffer.from(body, 'latin1').toString())));
    expect((await ask('größe 価')).body).toBe('größe 価');
  });
});
