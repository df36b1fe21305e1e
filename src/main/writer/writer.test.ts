import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseTx, satoshis as satoshisOf, toHex } from '../../chain/index.ts';
import { PlanchetError, type Settings, settingsSchema } from '../../contract/index.ts';
import type { Clock, SecretStore } from '../ports.ts';
import { documentScript } from './data-transaction.ts';
import { type Place, poolKey, World } from './test-support/world.ts';
import { type WriterOptions, WriterService } from './writer.ts';

const KEY = 'testnet_0123456789abcdef';
const born = Date.now();
/** Time goes twenty times as fast as in life. */
const fastClock: Clock = {
  now: () => Math.floor(born + (Date.now() - born) * 20),
  after: (ms, run) => {
    const timer = setTimeout(run, ms / 20);
    return () => clearTimeout(timer);
  },
};

let folder: string;
let secrets: Map<string, Uint8Array>;
const running: WriterService[] = [];

const secretStore: SecretStore = {
  locked: false,
  get: (name) => secrets.get(name),
  set: async (name, value) => void secrets.set(name, value),
  delete: async (name) => void secrets.delete(name),
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'planchet-writer-'));
  secrets = new Map([['apiKey:sandbox', Buffer.from(KEY)]]);
});

afterEach(async () => {
  for (const service of running.splice(0)) await service.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  json: Record<string, unknown>;
}

class Client {
  readonly port: number;
  readonly service: WriterService;

  constructor(address: string, service: WriterService) {
    this.port = Number(new URL(address).port);
    this.service = service;
  }

  async send(
    method: string,
    path: string,
    body: string | Buffer = '',
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const all = {
      authorization: `Bearer ${KEY}`,
      ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
      ...headers,
    };
    const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
    return new Promise((resolve, reject) => {
      const request = httpRequest({ host: '127.0.0.1', port: this.port, method, path, headers: given, agent: false });
      request.on('error', reject);
      request.on('response', (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(pieces).toString('utf8');
          const isJson = String(response.headers['content-type']).includes('json');
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            json: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
          });
        });
      });
      // Node encodes headers as UTF-8 where they leave together with a text body.
      request.end(Buffer.from(body));
    });
  }

  write(body: string | Buffer, headers: Record<string, string> = {}): Promise<Reply> {
    return this.send('POST', '/api/v1/write', body, headers);
  }

  async untilState(id: string, ...states: string[]): Promise<Record<string, unknown>> {
    const end = performance.now() + 8_000;
    for (;;) {
      const { json } = await this.send('GET', `/api/v1/writes/${id}`);
      if (states.includes(String(json.state))) return json;
      if (performance.now() > end) throw new Error(`still ${String(json.state)}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

async function start(
  world: World,
  changes: { settings?: Partial<Settings>; options?: Partial<WriterOptions> } = {},
): Promise<Client> {
  const settings = settingsSchema.parse({ writerBind: ':0', ...changes.settings });
  const service = new WriterService({
    network: 'sandbox',
    settings: { current: () => settings, onChange: () => () => {} },
    dataDir: folder,
    wallet: world.wallet,
    poolKey: () => poolKey.slice(),
    merchant: world.merchant,
    node: world.node,
    tips: { current: () => null, onTip: () => () => {} },
    endpoints: () => ({ baseUrl: '', consoleBaseUrl: '', mapiUrl: '', bitcoinRpcUrl: '', bitcoinZmqUrl: '' }),
    events: { publish: () => {} },
    secrets: secretStore,
    clock: fastClock,
    logger: pino({ level: 'silent' }),
    ...changes.options,
  });
  running.push(service);
  const { address = '' } = await service.start();
  return new Client(address, service);
}

/** The data scripts the miner took, in order. */
function written(world: World): string[] {
  return world
    .everything()
    .flatMap((rawTx) => parseTx(rawTx).outputs)
    .flatMap(({ satoshis, script }) => (satoshis === 0 ? [toHex(script)] : []));
}

function scriptOf(body: string, tag?: string): string {
  const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
  return toHex(
    documentScript({
      tag: tag === undefined ? undefined : bytes(tag),
      contentType: 'application/json',
      body: bytes(body),
    }),
  );
}

describe('POST /api/v1/write', () => {
  it('writes the bytes as they came and answers 201 with the txid', async () => {
    const world = new World(100_000);
    const client = await start(world);
    const body = ' {"b": 1.0,\n"a":"é\\u00e9"} ';
    const reply = await client.write(body, { 'x-tag': 'invoice', 'x-feesrequired': 'true' });
    const txid = [...world.mempool.keys()].at(-1);
    expect(reply.status).toBe(201);
    expect(reply.text).toBe(`{"status":201,"txid":"${txid}"}`);
    expect(written(world)).toEqual([scriptOf(body, 'invoice')]);
    expect(await client.untilState(String(txid), 'seen')).toMatchObject({
      status: 200,
      txid,
      tag: 'invoice',
      contentType: 'application/json',
      bytes: Buffer.byteLength(body),
      reason: null,
    });
    const read = await client.send('GET', `/api/v1/read/${txid}`);
    expect(read).toMatchObject({ status: 200, text: body });
    expect(read.headers).toMatchObject({ 'content-type': 'application/json', 'x-content-type-options': 'nosniff' });
  });

  it('takes any JSON value', async () => {
    const world = new World(1_000_000);
    const client = await start(world);
    const bodies = ['null', '7', '"x"', '[]', '{}', `${'['.repeat(5_000)}${']'.repeat(5_000)}`];
    for (const body of bodies) expect((await client.write(body)).status).toBe(201);
    expect(written(world)).toEqual(bodies.map((body) => scriptOf(body)));
  });

  it('spends the change of one document for the next, side by side, without losing a satoshi', async () => {
    const world = new World(60_000);
    const client = await start(world);
    const replies = await Promise.all(Array.from({ length: 30 }, (_, n) => client.write(`{"n":${n}}`)));
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 30 }, () => 201));
    expect(new Set(written(world)).size).toBe(30);
    const ids = replies.map(({ headers }) => String(headers.location).split('/').pop() as string);
    for (const id of ids) await client.untilState(id, 'submitted', 'seen');
    const { spentToday } = await client.service.view.status();
    const left = [...world.coins.values()].reduce((sum, coin) => sum + coin.satoshis, 0);
    expect(left).toBe(60_000 - spentToday);
    expect(world.reservations.size).toBe(0);
  });

  it('keeps a tag’s bytes', async () => {
    const world = new World(100_000);
    const client = await start(world);
    await client.write('1', { 'x-tag': Buffer.from('Käufe', 'utf8').toString('latin1') });
    expect(written(world)).toEqual([scriptOf('1', 'Käufe')]);
  });

  const refused: [string, string | Buffer, Record<string, string>, number, number, string][] = [
    ['no key', '{}', { authorization: '' }, 401, 1, 'missing authorization'],
    ['no bearer', '{}', { authorization: KEY }, 401, 1, 'invalid authorization'],
    ['another key', '{}', { authorization: 'Bearer nope' }, 401, 1, 'unknown apikey'],
    ['no content type', '{}', { 'content-type': '' }, 400, 10, 'empty mimetype'],
    ['plain text', '{}', { 'content-type': 'text/plain' }, 415, 10, 'must be application/json'],
    ['a form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 10, 'must be application/json'],
    ['another charset', '{}', { 'content-type': 'application/json; charset=latin1' }, 415, 10, 'must be'],
    ['no body', '', {}, 400, 11, 'empty body'],
    ['no JSON', '{"a":1', {}, 400, 12, 'not JSON'],
    ['two documents', '{} {}', {}, 400, 12, 'not JSON'],
    ['a byte-order mark', '\ufeff{}', {}, 400, 12, 'not JSON'],
    ['NaN', 'NaN', {}, 400, 12, 'not JSON'],
    ['no UTF-8', Buffer.from([0x22, 0xc3, 0x28, 0x22]), {}, 400, 12, 'not UTF-8'],
    ['over 1 MB', `"${'x'.repeat(1_000_000)}"`, {}, 413, 12, 'at most 1000000 bytes'],
    ['a long tag', '{}', { 'x-tag': 'x'.repeat(513) }, 400, 14, 'X-Tag'],
    ['a bad idempotency key', '{}', { 'idempotency-key': 'a b' }, 400, 22, 'Idempotency-Key'],
    ['a foreign Origin', '{}', { origin: 'https://evil.example' }, 403, 1, 'Web pages'],
    ['a rebound Host', '{}', { host: 'evil.example' }, 403, 1, 'Host'],
    ['a cross-site fetch', '{}', { 'sec-fetch-site': 'cross-site' }, 403, 1, 'Web pages'],
  ];
  it.each(refused)('refuses %s', async (_what, body, headers, status, code, error) => {
    const world = new World(100_000);
    const client = await start(world);
    const reply = await client.write(body, headers);
    expect(reply.json).toEqual({ status, code, error: expect.stringContaining(error) as string });
    expect(reply.status).toBe(status);
    expect(reply.headers['access-control-allow-origin']).toBeUndefined();
    expect(world.mempool.size).toBe(0);
    expect((await client.send('GET', '/api/v1/writes')).json.documents).toEqual([]);
  });

  it('refuses a chunked body over the limit, and cuts off a slow one', async () => {
    const world = new World(100_000);
    const client = await start(world, { settings: { writerMaxBytes: 1_000 }, options: { requestTimeoutMs: 400 } });
    const talk = (text: string): Promise<string> =>
      new Promise((resolve) => {
        let heard = '';
        const socket = connect(client.port, '127.0.0.1', () => socket.write(text));
        socket.on('data', (piece) => {
          heard += piece.toString('latin1');
        });
        socket.on('error', () => {});
        socket.on('close', () => resolve(heard));
      });
    const head = `POST /api/v1/write HTTP/1.1\r\nHost: localhost:${client.port}\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\n`;
    const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n7d0\r\n${'1'.repeat(2_000)}\r\n0\r\n\r\n`;
    expect(await talk(chunked)).toMatch(/^HTTP\/1\.1 413 /);
    expect(await talk(`${head}Content-Length: 10\r\n\r\n{`)).toMatch(/^HTTP\/1\.1 408 /);
    const waiting = `${head.replace(KEY, 'wrong')}Expect: 100-continue\r\nConnection: close\r\nContent-Length: 10\r\n\r\n`;
    expect(await talk(waiting)).toMatch(/^HTTP\/1\.1 401 /);
    expect(world.mempool.size).toBe(0);
  });

  it('answers without a stored key, without a wallet, and with a locked vault', async () => {
    const world = new World(100_000);
    const client = await start(world);
    world.walletState = 'locked';
    expect((await client.write('{}')).json).toMatchObject({ status: 503, code: 13 });
    secrets.clear();
    expect((await client.write('{}')).json).toMatchObject({ status: 401, code: 1 });
    const get = secretStore.get;
    secretStore.get = () => {
      throw new PlanchetError('vault-locked', 'The vault is locked.');
    };
    expect((await client.write('{}')).json).toMatchObject({ status: 500, code: 1 });
    secretStore.get = get;
  });
});

describe('Idempotency-Key', () => {
  it('gives the same answer for the same document, also side by side, and writes it once', async () => {
    const world = new World(100_000);
    const client = await start(world);
    const headers = { 'idempotency-key': 'order-1' };
    const replies = await Promise.all(Array.from({ length: 8 }, () => client.write('{"a":1}', headers)));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(replies[0]?.status).toBe(201);
    expect(written(world)).toHaveLength(1);
  });

  it('is refused with another body, tag or type, and free for another key', async () => {
    const world = new World(100_000);
    const client = await start(world);
    const headers = { 'idempotency-key': 'order-1' };
    await client.write('{"a":1}', headers);
    for (const [body, more] of [
      ['{"a":2}', {}],
      ['{"a":1}', { 'x-tag': 't' }],
      ['{"a":1}', { 'content-type': 'application/json; charset=utf-8' }],
    ] as const) {
      expect((await client.write(body, { ...headers, ...more })).json).toMatchObject({ status: 409, code: 22 });
    }
    secrets.set('apiKey:sandbox', Buffer.from('another'));
    const other = await client.write('{"a":2}', { ...headers, authorization: 'Bearer another' });
    expect(other.status).toBe(201);
    expect(written(world)).toHaveLength(2);
  });

  it('gives the same failure again', async () => {
    const world = new World(50);
    const client = await start(world);
    const headers = { 'idempotency-key': 'poor' };
    const first = await client.write('{}', headers);
    expect(first.json).toMatchObject({ status: 400, code: 13 });
    expect((await client.write('{}', headers)).text).toBe(first.text);
  });
});

describe('what goes wrong on the way', () => {
  it('too little money: 400 with code 13, and the coins stay free', async () => {
    const world = new World(50);
    const client = await start(world);
    expect((await client.write('{}')).json).toMatchObject({ status: 400, code: 13 });
    expect(world.balance).toBe(50);
    expect(world.reservations.size).toBe(0);
  });

  it('a fee over the cap: 400 with code 13', async () => {
    const world = new World(10_000_000);
    const client = await start(world, { settings: { maxFeeSatoshis: 200 } });
    const reply = await client.write(JSON.stringify('x'.repeat(1_000)));
    expect(reply.json).toMatchObject({ status: 400, code: 13, error: expect.stringContaining('maxFeeSatoshis') });
    expect(world.reservations.size).toBe(0);
  });

  it('a refusal by the miner: 400 with code 16, its reason, and the coins free again', async () => {
    const world = new World(100_000);
    const client = await start(world);
    await client.write('{}');
    world.beforeSubmit = () => {
      throw new PlanchetError('rejected', 'The miner refused the transaction: bad-txns');
    };
    const reply = await client.write('{}');
    expect(reply.json).toMatchObject({ status: 400, code: 16, error: expect.stringContaining('bad-txns') });
    expect(world.reservations.size).toBe(0);
    world.beforeSubmit = () => {};
    expect((await client.write('{}')).status).toBe(201);
  });

  it('a miner that takes the transaction and answers with a refusal: it counts as taken', async () => {
    const world = new World(100_000);
    const client = await start(world);
    world.afterSubmit = () => {
      throw new PlanchetError('rejected', 'Missing inputs');
    };
    expect((await client.write('{}')).status).toBe(201);
    expect(written(world)).toHaveLength(1);
  });

  it('a miner that is away: 202, and the same transaction is sent when it is back', async () => {
    const world = new World(100_000);
    const client = await start(world);
    await client.write('0');
    let away = true;
    world.beforeSubmit = () => {
      if (away) throw new PlanchetError('upstream-unreachable', 'The merchant API cannot be reached.');
    };
    const reply = await client.write('{"a":1}', { 'idempotency-key': 'k' });
    expect(reply.json).toMatchObject({
      status: 202,
      state: 'signed',
      reason: expect.stringContaining('cannot be reached'),
    });
    expect(reply.headers.location).toBe(`/api/v1/writes/${String(reply.json.id)}`);
    away = false;
    const done = await client.untilState(String(reply.json.id), 'submitted', 'seen');
    expect(done.txid).toBe(reply.json.txid);
    expect(written(world)).toHaveLength(2);
    expect((await client.write('{"a":1}', { 'idempotency-key': 'k' })).json).toEqual({ status: 201, txid: done.txid });
  });

  it('coins that something else holds for a moment: the document waits for them', async () => {
    const world = new World(100_000);
    const client = await start(world);
    await world.wallet.reserve('somebody', satoshisOf(1_000), () => satoshisOf(0));
    const reply = await client.write('{}');
    expect(reply.json).toMatchObject({ status: 202, state: 'accepted' });
    await world.wallet.release('somebody');
    await client.untilState(String(reply.json.id), 'submitted', 'seen');
  });

  it('a miner that forgets a document it took: it is sent again', async () => {
    const world = new World(100_000);
    const client = await start(world);
    const reply = await client.write('{}');
    world.mempool.clear();
    const restored = new Map(world.coins);
    world.coins.clear();
    for (const [outpoint, coin] of restored)
      if (!outpoint.startsWith(String(reply.json.txid))) world.coins.set(outpoint, coin);
    const first = '1'.padStart(64, '0');
    const [lockingScript] = [world.wallet.lockingScript()];
    world.coins.set(`${first}_0`, { txid: first, vout: 0, satoshis: satoshisOf(100_000), lockingScript });
    await expect.poll(() => world.mempool.has(String(reply.json.txid)), { timeout: 8_000 }).toBe(true);
    expect(written(world)).toEqual([scriptOf('{}')]);
  });
});

describe('a process that is killed', () => {
  const places: [Place, 'before' | 'after'][] = (['feeQuote', 'reserve', 'sign', 'submit', 'observe'] as const).flatMap(
    (place) => [[place, 'before'] as [Place, 'before'], [place, 'after'] as [Place, 'after']],
  );
  it.each(places)('at %s, %s it took effect, loses nothing and writes nothing twice', async (place, when) => {
    const world = new World(100_000, 100_000);
    const dying = await start(world);
    const reached = world.freezeAt(place, when);
    const reply = dying.write('{"precious":true}', { 'idempotency-key': 'once' });
    await reached;
    const { id } = (await reply).json;
    await dying.service.stop();

    const client = await start(world);
    const done = await client.untilState(String(id), 'submitted', 'seen');
    expect(written(world)).toEqual([scriptOf('{"precious":true}')]);
    expect(world.reservations.size).toBe(0);
    const again = await client.write('{"precious":true}', { 'idempotency-key': 'once' });
    expect(again.json).toEqual({ status: 201, txid: done.txid });
    expect(written(world)).toHaveLength(1);
  });

  it('with documents waiting, writes each of them once at the next start', async () => {
    const world = new World(200_000);
    const dying = await start(world);
    const reached = world.freezeAt('submit', 'after');
    const replies = Promise.all(Array.from({ length: 10 }, (_, n) => dying.write(`${n}`)));
    await reached;
    const ids = (await replies).map(({ json }) => String(json.id));
    await dying.service.stop();
    const client = await start(world);
    for (const id of ids) await client.untilState(id, 'submitted', 'seen');
    expect(written(world).sort()).toEqual(Array.from({ length: 10 }, (_, n) => scriptOf(`${n}`)).sort());
  });
});

describe('the service', () => {
  it('answers /health to anybody on this machine, and reads only with the key', async () => {
    const client = await start(new World(100_000));
    expect((await client.send('GET', '/health', '', { authorization: '' })).json).toEqual({ status: 'ok' });
    expect((await client.send('GET', '/health', '', { host: 'evil.example' })).status).toBe(403);
    const unknown = '00'.repeat(32);
    expect((await client.send('GET', `/api/v1/read/${unknown}`, '', { authorization: '' })).status).toBe(401);
    expect((await client.send('GET', `/api/v1/writes/${unknown}`, '', { authorization: 'Bearer no' })).status).toBe(
      401,
    );
    expect((await client.send('GET', `/api/v1/read/${unknown}`)).json).toMatchObject({ status: 404, code: 20 });
    expect((await client.send('GET', `/api/v1/writes/${unknown}`)).json).toMatchObject({ status: 404, code: 20 });
    expect((await client.send('GET', '/api/v1/write')).json).toMatchObject({ status: 405, code: 21 });
    expect((await client.send('GET', '/')).json).toMatchObject({ status: 404, code: 20 });
    expect((await client.send('GET', '/api/v1/writes/%2e%2e%2fx')).json).toMatchObject({ status: 404 });
  });

  it('says which port is taken, and refuses other machines on the sandbox', async () => {
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve));
    const { port } = squatter.address() as { port: number };
    await expect(start(new World(), { settings: { writerBind: `:${port}` } })).rejects.toMatchObject({
      code: 'port-in-use',
      hint: expect.stringContaining(`planchet settings set writerBind :${port + 1}`),
    });
    await new Promise((resolve) => squatter.close(resolve));
    await expect(start(new World(), { settings: { writerBind: '0.0.0.0:0' } })).rejects.toMatchObject({
      code: 'bind-refused',
    });
  });
});
