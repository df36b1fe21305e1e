import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { PlanchetError } from '../../../contract/index.ts';
import { openWriterStore, type WriterStore } from '../storage/store.ts';
import { TestHarness } from '../test-support/harness.ts';
import {
  API_KEY,
  PATIENCE_MS,
  scriptOf,
  type WriterClient,
  WriterProcesses,
  written,
} from '../test-support/writer-client.ts';

let writers: WriterProcesses;
beforeEach(async () => {
  writers = await WriterProcesses.open();
});
afterEach(() => writers.close());

// A PostgreSQL server keeps its own disk.
describe.runIf(inject('postgres') === undefined)('a writer on a full disk', () => {
  const BIG = JSON.stringify('x'.repeat(40_000));

  async function start(
    harness: TestHarness,
  ): Promise<{ client: WriterClient; pages: (count: number) => Promise<void> }> {
    let store: WriterStore | undefined;
    const client = await writers.start(harness, {
      options: {
        openStore: async (...args) => {
          store = await openWriterStore(...args);
          return store;
        },
      },
    });
    return {
      client,
      pages: async (count) => {
        await sql`pragma max_page_count = ${sql.lit(count)}`.execute((store as WriterStore).db);
      },
    };
  }

  it('accepts nothing it cannot keep, says so, and goes on when there is room', async () => {
    const harness = new TestHarness(10_000_000);
    const { client, pages } = await start(harness);
    expect((await client.write('1')).status).toBe(201);
    await pages(1);
    expect((await client.write(BIG)).json).toMatchObject({
      status: 507,
      code: 23,
      error: expect.stringContaining('nothing was accepted'),
    });
    await pages(1_000_000);
    expect((await client.write('2')).status).toBe(201);
    expect(written(harness)).toEqual([scriptOf('1'), scriptOf('2')]);
  });

  it('loses nothing and writes nothing twice between acceptance and the chain, and shows the reason', async () => {
    const harness = new TestHarness(10_000_000);
    const { client, pages } = await start(harness);
    const release = harness.holdQuotes();
    const bodies = Array.from({ length: 4 }, (_, n) => JSON.stringify(`${n}${'x'.repeat(40_000)}`));
    const ids: string[] = [];
    for (const body of bodies) ids.push(await client.accept(body));
    await pages(1);
    release();
    client.set({});
    await expect
      .poll(async () => (await client.service.view.status()).degraded?.code, { timeout: PATIENCE_MS })
      .toBe('disk-full');
    await pages(1_000_000);
    for (const id of ids) await client.untilState(id, 'submitted', 'seen');
    expect(written(harness).sort()).toEqual(bodies.map((body) => scriptOf(body)).sort());
  });

  it('notes what the miner took once there is room, long before the claim ends', async () => {
    const harness = new TestHarness(10_000_000);
    let store: WriterStore | undefined;
    const refuse = (so: boolean): void => void store?.sqlite?.pragma(`query_only = ${so}`);
    const client = await writers.start(harness, {
      options: {
        claimMs: 24 * 3_600_000,
        openStore: async (...args) => {
          store = await openWriterStore(...args);
          return store;
        },
      },
    });
    expect((await client.write('1')).status).toBe(201);
    harness.afterSubmit = () => refuse(true);
    const id = await client.accept('2');
    const degraded = async () => (await client.service.view.status()).degraded?.code;
    await expect.poll(degraded, { timeout: PATIENCE_MS }).toBe('store-failed');
    harness.afterSubmit = () => {};
    refuse(false);
    await client.untilState(id, 'submitted', 'seen');
    await expect.poll(degraded, { timeout: PATIENCE_MS }).toBeUndefined();
    expect(written(harness)).toEqual([scriptOf('1'), scriptOf('2')]);
  });

  it('refuses with 429 before the disk is full', async () => {
    const client = await writers.start(new TestHarness(100_000), {
      settings: { writerMinFreeDisk: 1_000_000_000_000 },
    });
    const reply = await client.write('1');
    expect(reply.json).toMatchObject({ status: 429, code: 25, error: expect.stringContaining('disk') });
    expect(reply.headers['retry-after']).toBe('60');
  });
});

describe('a miner that refuses everything for lack of room', () => {
  it('is why the queue waits, until it takes one', async () => {
    const harness = new TestHarness(10_000_000);
    const client = await writers.start(harness);
    harness.beforeSubmit = () => {
      throw new PlanchetError({ code: 'rejected', message: '66 mempool full' });
    };
    const id = await client.accept('1');
    const degraded = async () => (await client.service.view.status()).degraded?.message;
    await expect.poll(degraded, { timeout: PATIENCE_MS }).toContain('mempool full');
    // The command line says it of the document that it waits for.
    const reasonOf = async () => (await client.service.view.documents.get({ id })).reason;
    await expect.poll(reasonOf, { timeout: PATIENCE_MS }).toContain('mempool full');
    harness.beforeSubmit = () => {};
    await client.untilState(id, 'submitted', 'seen');
    await expect.poll(degraded, { timeout: PATIENCE_MS }).toBeUndefined();
  });
});

describe('bad input', () => {
  const talk = (port: number, head: string, rest?: () => Buffer): Promise<{ heard: string; sent: number }> =>
    new Promise((resolve) => {
      let heard = '';
      let sent = 0;
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(head);
        const go = (): void => {
          while (rest && !socket.destroyed && sent < 100_000_000) {
            const piece = rest();
            sent += piece.length;
            if (!socket.write(piece)) {
              socket.once('drain', go);
              return;
            }
          }
        };
        go();
      });
      socket.on('data', (piece) => {
        heard += piece.toString('latin1');
      });
      socket.on('error', () => {});
      socket.on('close', () => resolve({ heard, sent }));
    });
  const headOf = (port: number, ...more: string[]): string =>
    [
      'POST /api/v1/write HTTP/1.1',
      `Host: localhost:${port}`,
      `Authorization: Bearer ${API_KEY}`,
      'Content-Type: application/json',
      ...more,
      '\r\n',
    ].join('\r\n');

  it('of 100 MB is refused by its length alone, and cut off where it tells none', async () => {
    const client = await writers.start(new TestHarness(100_000));
    const piece = Buffer.alloc(65_536, '1');
    const named = await talk(client.port, headOf(client.port, 'Content-Length: 100000000'), () => piece);
    expect(named.heard).toMatch(/^HTTP\/1\.1 413 [\s\S]*"code":12/);
    expect(named.sent).toBeLessThan(20_000_000);
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), piece, Buffer.from('\r\n')]);
    const chunked = await talk(client.port, headOf(client.port, 'Transfer-Encoding: chunked'), () => chunk);
    expect(chunked.heard).toMatch(/^HTTP\/1\.1 413 [\s\S]*"code":12/);
    expect(chunked.sent).toBeLessThan(20_000_000);
    expect((await client.write('1')).status).toBe(201);
  });

  it('of 100 MB: a caller who sends all of it before it reads gets the answer too', async () => {
    const client = await writers.start(new TestHarness(100_000));
    const socket = connect({ port: client.port, host: '127.0.0.1', allowHalfOpen: true });
    const troubles: string[] = [];
    socket.on('error', ({ message }) => troubles.push(message));
    socket.write(headOf(client.port, 'Content-Length: 100000000'));
    const piece = Buffer.alloc(1_000_000, '1');
    // Nothing is read until all is sent.
    for (let n = 0; n < 100 && !socket.destroyed; n++) if (!socket.write(piece)) await once(socket, 'drain');
    let heard = '';
    for await (const part of socket) heard += String(part);
    expect(troubles).toEqual([]);
    expect(heard).toMatch(/^HTTP\/1\.1 413 [\s\S]*"code":12/);
    expect((await client.write('1')).status).toBe(201);
  });

  it('of a body that arrives slowly is cut off in time, and holds nobody else up', async () => {
    const harness = new TestHarness(1_000_000);
    const client = await writers.start(harness, { options: { requestTimeoutMs: 5_000 } });
    const slow = Array.from({ length: 20 }, () =>
      talk(client.port, `${headOf(client.port, 'Content-Length: 900000')}{"a":`),
    );
    for (let n = 0; n < 5; n++) expect((await client.write(`${n}`)).status).toBe(201);
    for (const { heard } of await Promise.all(slow)) expect(heard).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":12/);
    expect(written(harness)).toHaveLength(5);
  });

  it('of more bodies at once than there is room for is refused with 429, and taken again when there is', async () => {
    const client = await writers.start(new TestHarness(1_000_000), { settings: { writerMaxBytes: 50_000_000 } });
    /** @returns the head of the answer: 100 where there is room for the body */
    const begin = async (): Promise<{ socket: Socket; head: string }> => {
      const socket = connect(client.port, '127.0.0.1');
      socket.write(headOf(client.port, 'Content-Length: 40000000', 'Expect: 100-continue'));
      const [head] = (await once(socket, 'data')) as [Buffer];
      return { socket, head: head.toString('latin1') };
    };
    const begun = [await begin(), await begin(), await begin()];
    for (const { head } of begun) expect(head).toMatch(/^HTTP\/1\.1 100 /);
    const { socket, head } = await begin();
    expect(head).toMatch(/^HTTP\/1\.1 429 [\s\S]*retry-after: 1\r\n[\s\S]*"code":25/i);
    for (const one of [socket, ...begun.map((admitted) => admitted.socket)]) one.destroy();
    const again = async (): Promise<string> => {
      const one = await begin();
      one.socket.destroy();
      return one.head;
    };
    await expect.poll(again, { timeout: PATIENCE_MS }).toMatch(/^HTTP\/1\.1 100 /);
    expect((await client.write('1')).status).toBe(201);
  });

  it('whose headers cannot be read is refused with the code of the table', async () => {
    const client = await writers.start(new TestHarness(100_000));
    // the limit of time alone: on a loaded machine it would come before the other answers
    const impatient = await writers.start(new TestHarness(100_000), { options: { requestTimeoutMs: 300 } });
    const long = headOf(client.port, `X-Long: ${'a'.repeat(20_000)}`);
    const cases: [string, number, number?][] = [
      ['no request at all\r\n\r\n', 400],
      [`${headOf(client.port, 'Transfer-Encoding: chunked')}not a length\r\n`, 400],
      [long, 431],
      ['POST /api/v1/write HTTP/1.1\r\nHost: ', 408, impatient.port],
      ['GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ];
    for (const [text, status, port = client.port] of cases) {
      const { heard } = await talk(port, text);
      expect(heard).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\s\\S]*\\{"status":${status},"code":12,"error":"`));
    }
    expect((await client.write('1')).status).toBe(201);
  });

  it('of a web page that asks with OPTIONS first gets no permission', async () => {
    const client = await writers.start(new TestHarness(100_000));
    const reply = await client.send('OPTIONS', '/api/v1/write', '', {
      authorization: '',
      origin: 'https://evil.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    });
    expect(reply.status).toBe(403);
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('that breaks off leaves nothing behind', async () => {
    const client = await writers.start(new TestHarness(100_000));
    await new Promise<void>((resolve) => {
      const request = httpRequest({
        host: '127.0.0.1',
        port: client.port,
        method: 'POST',
        path: '/api/v1/write',
        headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', 'content-length': 100 },
      });
      request.on('error', () => resolve());
      request.write('{"a":1', () => request.destroy());
    });
    expect((await client.send('GET', '/api/v1/writes')).json.documents).toEqual([]);
    expect((await client.write('1')).status).toBe(201);
  });
});

describe('a merchant API that errs', () => {
  it.each([
    ['upstream-error', 'before'],
    ['upstream-error', 'after'],
    ['upstream-timeout', 'after'],
    ['rejected', 'after'],
  ] as const)('with %s, %s it took the transaction, has the document written once', async (code, when) => {
    const harness = new TestHarness(1_000_000);
    const client = await writers.start(harness);
    expect((await client.write('0')).status).toBe(201);
    let times = 3;
    const fail = (): void => {
      if (times === 0) return;
      times -= 1;
      throw new PlanchetError({ code, message: 'The miner is out of order.' });
    };
    if (when === 'before') harness.beforeSubmit = fail;
    else harness.afterSubmit = fail;
    const reply = await client.write('{"a":1}');
    expect([201, 202]).toContain(reply.status);
    await client.untilState(String(reply.headers.location).split('/').pop() as string, 'submitted', 'seen');
    expect(written(harness)).toEqual([scriptOf('0'), scriptOf('{"a":1}')]);
  });

  it('whose quote has expired while it was away: the document pays the fee of now', async () => {
    const harness = new TestHarness(10_000_000);
    const client = await writers.start(harness, { settings: { maxFeeRate: 2_000 } });
    expect((await client.write('0')).status).toBe(201);
    client.set({ writerWait: '1s' });
    const release = harness.holdQuotes();
    const id = await client.accept('{"a":1}');
    harness.quote = {
      standard: { satoshis: 2_000, bytes: 1_000 },
      data: { satoshis: 2_000, bytes: 1_000 },
      expiresAt: 0,
    };
    release();
    await client.untilState(id, 'submitted', 'seen');
    expect(written(harness)).toEqual([scriptOf('0'), scriptOf('{"a":1}')]);
  });
});
