import { once } from 'node:events';
import { Agent, createServer, IncomingMessage, request } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { LocalServer } from '../../local-server.ts';
import type { ApiKeyStore, Client } from './api-key-store.ts';
import type { Authenticator } from './authenticator.ts';
import { type Admission, RequestGuard, type RequestGuardOptions, refuse } from './request-guard.ts';

const HOST = '127.0.0.1:8332';
const PAIRED = 'https://shop.example';
const CREDENTIAL = 'Bearer key.secret';
/** Most connections without a credential. */
const MOST = 512;

const server: LocalServer = {
  port: 8332,
  url: `http://${HOST}`,
  hostRule: 'Not this server.',
  isOurs: (host) => host === HOST,
  close: async () => undefined,
};
const client: Client = { name: 'shop', mayCall: () => undefined, take: () => true, stillValid: () => true };

function guardOf(options: Partial<RequestGuardOptions> = {}, known: Client = client): RequestGuard {
  return new RequestGuard({
    server: () => server,
    credentials: () =>
      ({ identify: (header: string) => (header === CREDENTIAL ? known : undefined) }) as unknown as Authenticator,
    keyStore: { isPaired: (origin: string) => origin === PAIRED } as unknown as ApiKeyStore,
    bodyBytes: 1_000_000,
    openRest: () => false,
    ...options,
  });
}

interface Sent {
  method?: string;
  url?: string;
  /** Beside a Host that is ours. */
  headers?: Record<string, string>;
  socket?: Socket;
}

function messageOf({ method = 'POST', url = '/', headers = {}, socket = new Socket() }: Sent): IncomingMessage {
  return Object.assign(new IncomingMessage(socket), { method, url, headers: { host: HOST, ...headers } });
}

const check = async (guard: RequestGuard, sent: Sent): Promise<Admission> => guard.check(messageOf(sent));

/** The status of a refusal; `in` for who is let in. */
async function outcome(guard: RequestGuard, sent: Sent): Promise<number | 'in' | 'pairing'> {
  const admission = await check(guard, sent);
  if ('pairing' in admission) return 'pairing';
  return 'refusal' in admission ? admission.refusal.status : 'in';
}

const signed = { authorization: CREDENTIAL };
const chain = '/rest/chaininfo.json';

describe('connections without a credential', () => {
  const connect = (guard: RequestGuard, count: number): Socket[] =>
    Array.from({ length: count }, () => {
      const socket = new Socket();
      guard.onConnection(socket);
      return socket;
    });
  const closed = (sockets: readonly Socket[]): number[] =>
    sockets.flatMap(({ destroyed }, index) => (destroyed ? [index] : []));

  it('push out the oldest of themselves, one for each that is too many', () => {
    const guard = guardOf();
    const sockets = connect(guard, MOST);
    expect(closed(sockets)).toEqual([]);
    sockets.push(...connect(guard, 2));
    expect(closed(sockets)).toEqual([0, 1]);
  });

  it('never push out a client that showed its credential, in either way of reading requests', async () => {
    const guard = guardOf();
    const [first, second, third] = connect(guard, 3) as [Socket, Socket, Socket];
    expect(await outcome(guard, { headers: signed, socket: first })).toBe('in');
    expect(guard.authenticate({ host: HOST, ...signed }, second)).toBe(client);
    expect(guard.authenticate({ host: HOST, authorization: 'Bearer key.wrong' }, third)).toBeUndefined();
    expect(closed([...connect(guard, MOST), first, second])).toEqual([]);
    expect(third.destroyed).toBe(true);
  });

  it('that ended push out nobody', async () => {
    const guard = guardOf();
    const [waiting] = connect(guard, 1) as [Socket];
    const ended = connect(guard, MOST - 1);
    await Promise.all(ended.map((socket) => once(socket.destroy(), 'close')));
    expect(closed([waiting, ...connect(guard, MOST - 1)])).toEqual([]);
  });
});

describe('REST paths that are open without a credential', () => {
  const guard = guardOf({ openRest: () => true });

  it('are open to programs, and open no other path', async () => {
    for (const method of ['GET', 'HEAD', 'POST'])
      expect(await check(guard, { method, url: chain })).toEqual({ client: undefined, rest: true, headers: {} });
    expect(await outcome(guard, {})).toBe(401);
    expect(await outcome(guardOf(), { method: 'GET', url: chain })).toBe(401);
  });

  it.each([
    ['of a page that was paired', { origin: PAIRED }],
    ['that a browser sends from its address line', { 'sec-fetch-site': 'none' }],
    ['that a browser sends, whatever it says of itself', { 'sec-fetch-dest': 'image' }],
  ])('ask a request %s for a credential', async (_, headers) => {
    expect(await outcome(guard, { method: 'GET', url: chain, headers })).toBe(401);
    expect(await outcome(guard, { method: 'GET', url: chain, headers: { ...headers, ...signed } })).toBe('in');
  });

  it('refuse a wrong credential, as elsewhere', async () => {
    expect(await outcome(guard, { url: chain, headers: { authorization: 'Bearer key.wrong' } })).toBe(401);
  });
});

describe('the request guard', () => {
  it.each([
    ['GET', '/', 405],
    ['HEAD', '/', 405],
    ['GET', chain, 'in'],
    ['HEAD', chain, 'in'],
    ['POST', chain, 'in'],
    ['PUT', chain, 405],
    ['DELETE', chain, 405],
    ['OPTIONS', chain, 405],
    ['POST', '/rest', 404],
    ['POST', '/other', 404],
    ['GET', '/pair', 405],
  ])('answers %s %s with %s', async (method, url, expected) => {
    expect(await outcome(guardOf(), { method, url, headers: signed })).toBe(expected);
  });

  it('says which methods a path takes', async () => {
    const allowed = async (sent: Sent) => {
      const admission = await check(guardOf(), sent);
      return 'refusal' in admission && [admission.refusal.headers?.allow, admission.refusal.text];
    };
    expect(await allowed({ method: 'PUT' })).toEqual(['POST', 'JSONRPC server handles only POST requests']);
    expect(await allowed({ method: 'PUT', url: chain })).toEqual(['GET, HEAD, POST', 'REST paths are read with GET']);
    expect(await allowed({ method: 'PUT', url: '/pair' })).toEqual(['POST', 'Pairing is asked for with POST']);
  });

  it('refuses what the form of a page sends, in either way of reading requests', async () => {
    const cases: [Record<string, string>, boolean][] = [
      [{}, true],
      [{ 'content-type': '' }, true],
      [{ 'content-type': 'application/json' }, true],
      [{ 'content-type': ' Application/JSON-RPC ; charset=utf-8' }, true],
      [{ 'content-type': 'text/plain' }, true],
      [{ 'content-type': 'text/html' }, false],
      [{ 'content-type': 'application/x-www-form-urlencoded' }, true],
      [{ 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-mode': 'navigate' }, false],
      [{ 'content-type': 'multipart/form-data; boundary=x' }, false],
    ];
    for (const [headers, passes] of cases) {
      const all = { ...headers, ...signed };
      expect(await outcome(guardOf(), { headers: all }), JSON.stringify(headers)).toBe(passes ? 'in' : 415);
      expect(guardOf().authenticate({ host: HOST, ...all }, new Socket())).toBe(passes ? client : undefined);
    }
    // REST reads no body of a form.
    const form = { 'content-type': 'text/html', ...signed };
    expect(await outcome(guardOf(), { method: 'GET', url: chain, headers: form })).toBe('in');
  });

  it('refuses every request while the gateway stops, has no credentials yet, or is asked under another name', async () => {
    const headers = signed;
    const stopping = guardOf({ server: () => undefined });
    expect(await outcome(stopping, { headers })).toBe(503);
    expect(stopping.authenticate({ host: HOST, ...headers }, new Socket())).toBeUndefined();
    expect(await outcome(guardOf({ credentials: () => undefined }), { headers })).toBe(401);
    expect(await outcome(guardOf(), { headers: { ...headers, host: 'evil.example' } })).toBe(403);
    expect(guardOf().authenticate({ host: 'evil.example', ...headers }, new Socket())).toBeUndefined();
    expect(guardOf().authenticate({ host: HOST }, new Socket())).toBeUndefined();
  });

  it('limits a body to what its client may send, and on a REST path to 64 KiB', async () => {
    const status = (bytes: number, sent: Sent = {}, known: Client = client) =>
      outcome(guardOf({}, known), { ...sent, headers: { ...signed, 'content-length': String(bytes) } });
    expect([await status(1_000_000), await status(1_000_001)]).toEqual(['in', 413]);
    const small = { ...client, bodyBytes: 1_000 };
    expect([await status(1_000, {}, small), await status(1_001, {}, small)]).toEqual(['in', 413]);
    const large = { ...client, bodyBytes: 9_000_000 };
    expect([await status(1_000_000, {}, large), await status(1_000_001, {}, large)]).toEqual(['in', 413]);
    const rest = { url: chain };
    expect([await status(65_536, rest), await status(65_537, rest)]).toEqual(['in', 413]);
  });

  it('refuses a client that asks too often before it looks at the length of the body', async () => {
    const guard = guardOf({}, { ...client, take: () => false });
    expect(await check(guard, { headers: { ...signed, 'content-length': '9999999' } })).toMatchObject({
      refusal: { status: 429, headers: { 'retry-after': '1' } },
      client: { name: 'shop' },
    });
  });
});

describe('the page of another origin', () => {
  const page = { origin: PAIRED };
  const cors = { 'access-control-allow-origin': PAIRED, vary: 'Origin' };

  it('reads what it is refused for, once it is paired', async () => {
    const guard = guardOf({}, { ...client, take: () => false });
    const plain = guardOf();
    const refused: [RequestGuard, Record<string, string>, number][] = [
      [plain, {}, 401],
      [plain, { 'content-type': 'text/html' }, 415],
      [plain, { ...signed, 'content-length': '9999999' }, 413],
      [guard, signed, 429],
    ];
    for (const [by, headers, status] of refused)
      expect(await check(by, { headers: { ...page, ...headers } })).toMatchObject({
        refusal: { status, headers: cors },
      });
    expect(await check(plain, { headers: { ...page, ...signed } })).toMatchObject({ client, headers: cors });
    // The short way of reading leaves every page to the long one.
    expect(plain.authenticate({ host: HOST, ...page, ...signed }, new Socket())).toBeUndefined();
  });

  it('learns how to be paired where it is not', async () => {
    const told = async (sent: Sent) => {
      const admission = await check(guardOf(), sent);
      return 'refusal' in admission && admission.refusal.text;
    };
    expect(await told({ headers: { origin: 'https://evil.example' } })).toMatch(/POST \/pair/);
    expect(await told({ headers: { host: 'evil.example' } })).toBe('Not this server.');
    expect(await outcome(guardOf({ keyStore: undefined }), { headers: { ...page, ...signed } })).toBe(403);
  });

  it.each([
    ['of a paired page', page, 204],
    ['of another page', { origin: 'https://evil.example' }, 405],
    ['of no page', {}, 405],
    ['under another name', { ...page, host: 'evil.example' }, 405],
  ])('has its preflight answered %s: %s', async (_, headers, status) => {
    expect(await outcome(guardOf(), { method: 'OPTIONS', headers })).toBe(status);
    expect(await outcome(guardOf(), { method: 'POST', headers })).not.toBe(204);
  });

  it.each([
    ['the script of a page', { origin: 'https://other.example', 'sec-fetch-mode': 'cors' }, 'pairing'],
    ['an older browser', { origin: 'https://other.example' }, 'pairing'],
    ['a navigation', { origin: 'https://other.example', 'sec-fetch-mode': 'navigate' }, 403],
    ['a program', {}, 403],
    ['an origin that is none', { origin: 'null' }, 403],
    ['another name', { origin: 'https://other.example', host: 'evil.example' }, 403],
    ['JSON', { origin: 'https://other.example', 'content-type': 'application/json' }, 415],
    ['plain text', { origin: 'https://other.example', 'content-type': ' Text/Plain ; charset=utf-8' }, 'pairing'],
  ])('asks to be paired as %s: %s', async (_, headers, expected) => {
    expect(await outcome(guardOf(), { url: '/pair', headers })).toBe(expected);
  });
});

describe('the answer to a refused request', () => {
  it.each([
    ['keeps', 'no body', 401, '', {}],
    ['keeps', 'a short one', 401, 'x', {}],
    ['keeps', 'one of 64 KiB', 401, 'x'.repeat(65_536), {}],
    ['ends', 'a longer one', 401, 'x'.repeat(65_537), {}],
    ['ends', 'one of unknown length', 401, 'x', { 'transfer-encoding': 'chunked' }],
    ['ends', 'one that is too long, however short it is', 413, 'x', {}],
  ])('%s the connection after %s', async (end, _, status, body, headers) => {
    const listener = createServer((got, response) => refuse(got, response, { status, text: 'no' }));
    await once(listener.listen(0, '127.0.0.1'), 'listening');
    const agent = new Agent({ keepAlive: true });
    try {
      const { port } = listener.address() as AddressInfo;
      const length = 'transfer-encoding' in headers ? {} : { 'content-length': body.length };
      const sent = request({ port, host: '127.0.0.1', method: 'POST', agent, headers: { ...headers, ...length } });
      sent.end(body);
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      expect([answer.statusCode, answer.headers.connection]).toEqual([status, end === 'ends' ? 'close' : 'keep-alive']);
      answer.resume();
    } finally {
      agent.destroy();
      listener.close();
      listener.closeAllConnections();
    }
  });
});
