import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import fastify from 'fastify';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendBeforeReading } from '../../test-support/send-before-reading.ts';
import { Faults } from '../controls/faults.ts';
import { TestSandbox } from '../test-support/open-sandbox.ts';
import { serveSandbox } from './server.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await TestSandbox.open();
});
afterAll(() => sandbox.remove());

const project = JSON.stringify({ name: 'X', isFungible: false, type: 'single', tokenProtocol: 'OneSatOrdinal' });

/** Sends exactly these headers: fetch does not let Host or Sec-Fetch-Site be set. */
async function create(headers: Record<string, string>, path = '/token/v1/project/create') {
  const answer = await request(sandbox.root + path, {
    method: 'POST',
    headers: { apikey: sandbox.service.apiKey(), 'content-type': 'application/json', ...headers },
    body: project,
  });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}

const port = () => new URL(sandbox.root).port;

describe('every address of the sandbox', () => {
  it('answers local programs under its own host names only', async () => {
    for (const host of [`127.0.0.1:${port()}`, `localhost:${port()}`, `[::1]:${port()}`]) {
      expect((await create({ host })).status, host).toBe(200);
    }
    for (const host of ['evil.example', `evil.example:${port()}`, '127.0.0.1:1', `127.0.0.1.evil.example:${port()}`]) {
      expect((await create({ host })).status, host).toBe(403);
    }
  });

  it('refuses two Host headers, and an absolute request target', async () => {
    const post = (target: string, ...hosts: string[]) =>
      firstLine(
        [`POST ${target} HTTP/1.1`, ...hosts, 'Content-Type: application/json', 'Content-Length: 2', '', '{}'].join(
          '\r\n',
        ),
      );
    const own = `Host: 127.0.0.1:${port()}`;
    for (const path of ['/token/v1/project/create', '/mapi/tx', '/admin/mine', '/rpc']) {
      expect(await post(path, own, 'Host: evil.example'), path).toBe('HTTP/1.1 400 Bad Request');
      expect(await post(`http://evil.example${path}`, own), path).toBe('HTTP/1.1 400 Bad Request');
    }
  });

  it('refuses web pages, on every path', async () => {
    const attacks: Record<string, string>[] = [
      { origin: 'http://evil.example' },
      { origin: sandbox.root },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ];
    const projects = async () => (await sandbox.token('GET', '/project/')).body.data.projectList;
    const before = await projects();
    for (const path of ['/token/v1/project/create', '/console/v1/quota/keys', '/mapi/tx', '/admin/mine', '/rpc']) {
      for (const attack of attacks) {
        const { status, headers } = await create(attack, path);
        expect(status, path).toBe(403);
        expect(headers).not.toHaveProperty('access-control-allow-origin');
      }
    }
    expect(await projects()).toEqual(before);
  });

  it('refuses what a form of a web page can send', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']) {
      expect((await create({ 'content-type': type })).status, type).toBe(415);
    }
    expect((await create({ 'content-type': 'Application/JSON; charset=utf-8' })).status).toBe(200);
  });

  it('requires a registered API key', async () => {
    const { height } = sandbox.service.node.tip();
    const get = (apikey: string, path = '/token/v1/project/') => sandbox.send('GET', path, undefined, { apikey });
    for (const path of ['/token/v1/project/', '/token/v1/quota', '/console/v1/quota']) {
      expect(await get('', path)).toMatchObject({ status: 401, body: { error: { code: 'api-key-missing' } } });
      expect(await get(`${sandbox.service.apiKey()}x`, path)).toMatchObject({
        status: 403,
        body: { error: { code: 'api-key-unknown' } },
      });
      expect((await get(sandbox.service.apiKey(), path)).status).toBe(200);
    }
    expect((await sandbox.send('POST', '/admin/mine', { blocks: 1 })).status).toBe(401);
    expect((await sandbox.send('POST', '/rpc', { id: 1, method: 'getblockcount' })).status).toBe(401);
    expect(sandbox.service.node.tip().height).toBe(height);
  });

  it('distinguishes a wrong method from a wrong path', async () => {
    const wrong = await sandbox.token('GET', '/submit');
    expect(wrong).toMatchObject({ status: 405, body: { success: false, error: { code: 'method-not-allowed' } } });
    expect(wrong.headers.get('allow')).toBe('POST');
    expect((await sandbox.token('PATCH', '/project/abc')).status).toBe(405);
    expect((await sandbox.token('GET', '/nothing/here')).status).toBe(404);
    expect((await sandbox.send('GET', '/')).status).toBe(404);
  });

  it('checks a request before its body is read and before it sends 100 Continue', async () => {
    const head = (apikey: string) =>
      `POST /token/v1/project/create HTTP/1.1\r\nHost: 127.0.0.1:${port()}\r\nContent-Type: application/json\r\nApikey: ${apikey}\r\nContent-Length: ${project.length}\r\nExpect: 100-continue\r\n\r\n`;
    expect(await firstLine(head('wrong'))).toBe('HTTP/1.1 403 Forbidden');
    expect(await firstLine(head(sandbox.service.apiKey()))).toBe('HTTP/1.1 100 Continue');
    const large = `POST /mapi/tx HTTP/1.1\r\nHost: localhost:${port()}\r\nContent-Type: application/json\r\nAuthorization: Bearer ${sandbox.service.apiKey()}\r\nContent-Length: 99999999\r\n\r\n`;
    expect(await firstLine(large)).toBe('HTTP/1.1 413 Payload Too Large');
  });
});

describe('a client that sends 60 MB before it reads', () => {
  const key = () => sandbox.service.apiKey();
  it.each<[string, () => string, number]>([
    ['/token/v1/project/create', () => `Apikey: ${key()}`, 413],
    ['/token/v1/project/create', () => 'Apikey: wrong', 403],
    ['/mapi/tx', () => `Authorization: Bearer ${key()}`, 413],
    ['/admin/mine', () => `Authorization: Bearer ${key()}`, 413],
    ['/rpc', () => 'Authorization: Basic d3Jvbmc6d3Jvbmc=', 401],
    ['/rest/getutxos.json', () => 'X-Nothing: 1', 413],
    ['/nothing', () => 'X-Nothing: 1', 404],
    ['/mapi/tx/%ff', () => `Authorization: Bearer ${key()}`, 400],
  ])('to %s can read why it is refused', async (path, credential, status) => {
    for (const length of ['Content-Length: 60000000', 'Transfer-Encoding: chunked']) {
      const head = [
        `POST ${path} HTTP/1.1`,
        `Host: 127.0.0.1:${port()}`,
        'Content-Type: application/json',
        credential(),
        length,
      ];
      const first = length.startsWith('T') ? '3938700\r\n' : '';
      const text = `${head.join('\r\n')}\r\n\r\n${first}`;
      const { heard, errors } = await sendBeforeReading(Number(port()), text, 60_000_000);
      expect(errors).toEqual([]);
      expect(heard).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    }
  });
});

function firstLine(head: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port()), '127.0.0.1', () => socket.write(head));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString('latin1').split('\r\n')[0] as string);
    });
    socket.once('error', reject);
  });
}

describe('the control API', () => {
  it('mines, funds and reports the state of the chain', async () => {
    const before = (await sandbox.admin('GET', '/status')).body.data;
    expect(before).toMatchObject({ network: 'sandbox', mempool: { transactions: 0, bytes: 0 } });
    const mined = await sandbox.admin('POST', '/mine', { blocks: 3 });
    expect(mined.body.data.hashes).toHaveLength(3);
    const { hash, height } = (await sandbox.admin('GET', '/status')).body.data.tip;
    expect({ hash, height }).toEqual({ hash: mined.body.data.hashes[2], height: before.tip.height + 3 });
    const funded = await sandbox.admin('POST', '/fund', {
      address: 'mfWxJ45yp2SFn7UciZyNpvDKrzbhyfKrY8',
      satoshis: 1_000,
    });
    expect(funded.body.data.txid).toMatch(/^[0-9a-f]{64}$/);
    expect((await sandbox.admin('GET', '/status')).body.data.mempool.transactions).toBe(1);
  });

  it('refuses invalid values', async () => {
    for (const blocks of [0, -1, 1.5, 1_001, '1', null]) {
      expect((await sandbox.admin('POST', '/mine', { blocks })).status).toBe(400);
    }
    const fund = (address: string, satoshis: number) => sandbox.admin('POST', '/fund', { address, satoshis });
    expect((await fund('nobody', 1_000)).body.error.code).toBe('address-invalid');
    expect((await fund('1AGNa15ZQXAZUgFiqJ2i7Z2DPU2J6hW62i', 1_000)).body.error.code).toBe('address-wrong-network');
    expect((await fund('mfWxJ45yp2SFn7UciZyNpvDKrzbhyfKrY8', 0)).body.error.code).toBe('invalid-request');
    expect((await fund('mfWxJ45yp2SFn7UciZyNpvDKrzbhyfKrY8', 2e15)).body.error.code).toBe('funds-insufficient');
  });
});

/** A connection on which requests are written as they are, and what it has answered. */
async function rawConnection(at: string): Promise<{ socket: Socket; answered: () => string }> {
  const socket = connect(Number(at), '127.0.0.1');
  let text = '';
  socket.on('data', (data) => {
    text += data;
  });
  await once(socket, 'connect');
  return { socket, answered: () => text };
}

describe('a sandbox that stops', () => {
  it('answers 503 to pending requests, and the node with its own page', async () => {
    const stopping = await TestSandbox.open();
    const at = new URL(stopping.root).port;
    const half = async (path: string) => {
      const connection = await rawConnection(at);
      connection.socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${at}\r\n`);
      return connection;
    };
    const [node, rest, token] = await Promise.all(['/rpc', '/rest/chaininfo.json', '/token/v1/project/'].map(half));
    // one that is being answered keeps the others' connections open meanwhile
    await stopping.admin('POST', '/faults', { name: 'latency', value: 700, area: 'mapi' });
    const slow = stopping.mapi('GET', '/feeQuote').catch(() => undefined);
    await expect.poll(() => stopping.service.status().then(({ faults }) => faults.length)).toBe(1);
    const stopped = stopping.service.stop();
    for (const connection of [node, rest, token]) connection?.socket.write('\r\n');
    await expect.poll(() => node?.answered()).toContain('<H1>Service Unavailable</H1>');
    expect(node?.answered()).toMatch(
      /^HTTP\/1\.1 503 .*\r\ncontent-type: text\/html\r\n.*<TITLE>503 Service Unavailable<\/TITLE>/is,
    );
    await expect.poll(() => rest?.answered()).toContain('<H1>Service Unavailable</H1>');
    await expect.poll(() => token?.answered()).toMatch(/^HTTP\/1\.1 503 .*"code":"unavailable"/s);
    await slow;
    await stopped;
    await stopping.remove();
  });
});

describe('an idle connection', () => {
  it('is closed after the idle timeout, and not before', async () => {
    const app = fastify();
    app.get('/', async () => 'here');
    await app.ready();
    const server = await serveSandbox({
      bind: '127.0.0.1:0',
      faults: new Faults(),
      idleMs: 300,
      app: async () => app,
    });
    const { socket, answered } = await rawConnection(new URL(server.url).port);
    const closed = once(socket, 'close');
    const since = performance.now();
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(answered).toMatch(/^HTTP/);
    await closed;
    expect(performance.now() - since).toBeGreaterThan(290);
    await server.close();
  });
});
