import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { lockingScriptOf, otherKey, walletKey } from '../../sandbox/node/test-support/open-node.ts';
import { accepted, coinOf, spend } from '../../sandbox/node/test-support/spend.ts';
import { type Answered, basic, type RunningGateway, send, startGateway } from '../test-support/gateway.ts';
import { type SandboxUpstream, startSandboxUpstream } from '../test-support/sandbox-upstream.ts';
import { result, Upstream } from '../test-support/upstream.ts';

const get = (port: number, path: string, headers: Record<string, string> = {}): Promise<Answered> =>
  send(port, { method: 'GET', path, headers: { 'content-type': '', ...headers } });

function shown({ status, headers, bytes }: Answered): Record<string, unknown> {
  return {
    status,
    type: String(headers['content-type'] ?? '').split(';')[0],
    range: headers['content-range'],
    body: bytes.toString('latin1'),
  };
}

describe('REST answers', () => {
  let upstream: SandboxUpstream;
  let bare: { url: string; stop(): Promise<void> };
  let passing: RunningGateway;
  let translating: RunningGateway;
  let block: string;
  let txid: string;
  let waiting: string;

  beforeAll(async () => {
    upstream = await startSandboxUpstream();
    const { node } = upstream;
    const hashes = await node.mine(8);
    block = hashes[5] as string;
    const coin = await coinOf(node, walletKey);
    const outputs = [{ satoshis: coin.satoshis - 500, script: lockingScriptOf(otherKey) }];
    txid = await accepted(node, spend([coin], walletKey, outputs));
    await node.mine(1);
    const next = await coinOf(node, walletKey);
    const rest = [{ satoshis: next.satoshis - 500, script: lockingScriptOf(otherKey) }];
    waiting = await accepted(node, spend([next], walletKey, rest));
    passing = await startGateway(upstream.url);
    // the same node behind a server without REST paths
    bare = await startBare(upstream);
    translating = await startGateway(bare.url);
  });

  afterAll(async () => {
    await translating.stop();
    await passing.stop();
    await bare.stop();
    await upstream.stop();
  });

  it('are the same from an upstream with REST paths, from one without, and from the node itself', async () => {
    const tip = upstream.node.tip().hash;
    const paths = [
      ...['bin', 'hex', 'json'].flatMap((extension) => [
        `/rest/tx/${txid}.${extension}`,
        `/rest/tx/${waiting}.${extension}`,
        `/rest/block/${block}.${extension}`,
        `/rest/block/${block.toUpperCase()}.${extension}`,
        `/rest/block/notxdetails/${block}.${extension}`,
        `/rest/headers/3/${block}.${extension}`,
        `/rest/headers/2000/${block}.${extension}`,
        `/rest/headers/extended/2/${block}.${extension}`,
        `/rest/headers/1/${tip}.${extension}`,
        `/rest/getutxos/${txid}-0/${'00'.repeat(32)}-1.${extension}`,
        `/rest/getutxos/checkmempool/${waiting}-0/${txid}-0.${extension}`,
        `/rest/getutxos/${waiting}-0.${extension}`,
        // as a program sends it that escapes the parameter of a path
        `/rest/getutxos/${txid}-0%2F${'00'.repeat(32)}-1.${extension}`,
        `/rest/getutxos/checkmempool/${waiting}-0%2f${txid}-0.${extension}`,
        `/rest/getutxos/checkmempool%2F${waiting}-0.${extension}`,
        `/rest/tx/${'00'.repeat(32)}.${extension}`,
        `/rest/block/${'00'.repeat(32)}.${extension}`,
        `/rest/headers/5/${'00'.repeat(32)}.${extension}`,
        `/rest/tx/zz.${extension}`,
        `/rest/headers/0/${block}.${extension}`,
        `/rest/headers/2001/${block}.${extension}`,
        `/rest/headers/${block}.${extension}`,
        `/rest/getutxos.${extension}`,
        `/rest/getutxos/x-1.${extension}`,
        `/rest/getutxos/${Array.from({ length: 16 }, (_, n) => `${txid}-${n}`).join('/')}.${extension}`,
      ]),
      '/rest/chaininfo.json',
      '/rest/mempool/info.json',
      '/rest/mempool/contents.json',
      '/rest/chaininfo.bin',
      `/rest/tx/${txid}`,
      `/rest/tx/${txid}.xml`,
      `/rest/tx/zz.xml`,
      `/rest/block/${block}.xml`,
      `/rest/headers/1/${block}.xml`,
      `/rest/headers/0/${block}.xml`,
      `/rest/getutxos/${txid}-0.xml`,
      '/rest/nothing.json',
      '/rest/',
    ];
    // the second time, part of it is cached
    for (const path of [...paths, ...paths]) {
      const answers = await Promise.all([upstream, passing, translating].map(({ port }) => get(port, path)));
      const [node, passed, translated] = answers.map(shown);
      expect(passed, path).toEqual(node);
      expect(translated, path).toEqual(node);
    }
    expect(upstream.restRequests()).toBeGreaterThan(paths.length * 2);
  });

  it('are the same for ranges of a block', async () => {
    const path = `/rest/block/${block}.bin`;
    for (const range of ['bytes=0-79', 'bytes=4-4', 'bytes=80-', 'bytes=100-1000000']) {
      const [node, passed, translated] = (
        await Promise.all([upstream, passing, translating].map(({ port }) => get(port, path, { range })))
      ).map(shown);
      expect(node?.status).toBe(206);
      expect(passed, range).toEqual(node);
      expect(translated, range).toEqual(node);
    }
    for (const range of ['80-99', 'bytes=80', 'bytes=-80', 'bytes=80--99', 'bytes=9-3', 'bytes=9999999-99999999']) {
      const [node, passed, translated] = (
        await Promise.all([upstream, passing, translating].map(({ port }) => get(port, path, { range })))
      ).map(shown);
      expect(node).toMatchObject({ status: 404, body: expect.stringMatching(/^Invalid Range .*\r\n$/) });
      expect(passed, range).toEqual(node);
      expect(translated, range).toEqual(node);
    }
  });

  it('have a Content-Length, also for HEAD', async () => {
    const path = `/rest/block/${block}.bin`;
    const whole = await get(translating.port, path);
    expect(whole.headers['content-length']).toBe(String(whole.bytes.length));
    const head = await send(translating.port, { method: 'HEAD', path });
    expect(head).toMatchObject({ status: 200, text: '', headers: { 'content-length': String(whole.bytes.length) } });
    const part = await get(translating.port, path, { range: 'bytes=0-79' });
    expect(part.headers['content-length']).toBe('80');
    const refused = await get(translating.port, '/rest/tx/xx.json');
    expect(refused).toMatchObject({ status: 400, headers: { 'content-length': String(refused.bytes.length) } });
  });
});

/** A server in front of the node's RPC port that has no REST paths. */
async function startBare(upstream: SandboxUpstream): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(404).end();
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { authorization = '' } = request.headers;
      void send(upstream.port, { body: Buffer.concat(pieces), headers: { authorization } }).then((answer) => {
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.bytes);
      });
    });
  });
  const port = await listening(server);
  return { url: `http://me:up@127.0.0.1:${port}`, stop: () => closed(server) };
}

function listening(server: Server): Promise<number> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

const hash = 'ab'.repeat(32);
const info = '{"chain":"main","bestblockhash":"00"}\n';

describe('an upstream’s REST paths', () => {
  const open: { stop(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const part of open.splice(0).reverse()) await part.stop();
  });

  type Handler = (request: IncomingMessage, response: ServerResponse) => void;

  /** A gateway with an upstream whose answers to GET are written by the test. Its RPC answers "by rpc" to everything. */
  async function start(
    answer: Handler,
    changes: Parameters<typeof startGateway>[1] & { base?: string; query?: string } = {},
  ): Promise<{ gateway: RunningGateway; asked: string[]; origin: string }> {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      const line = `${request.method} ${request.url}`;
      if (request.method === 'GET') {
        asked.push(line);
        return answer(request, response);
      }
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const { id, method } = JSON.parse(Buffer.concat(pieces).toString()) as { id: unknown; method: string };
        // not the calls of the health monitor
        if (method !== 'getblockchaininfo') asked.push(line);
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(`{"result":"6279","error":null,"id":${JSON.stringify(id)}}\n`);
      });
    });
    const port = await listening(server);
    open.push({ stop: () => closed(server) });
    const origin = `http://127.0.0.1:${port}`;
    const gateway = await startGateway(`${origin}${changes.base ?? '/'}${changes.query ?? ''}`, changes);
    open.push(gateway);
    return { gateway, asked, origin };
  }

  const rest: Handler = ({ url = '' }, response) => {
    const type = url.includes('.json')
      ? 'application/json'
      : url.includes('.hex')
        ? 'text/plain'
        : 'application/octet-stream';
    const text = type === 'application/json' ? JSON.stringify({ read: `by rest ${url}` }) : `by rest ${url}`;
    response.writeHead(200, { 'content-type': type }).end(url.includes('chaininfo') ? info : text);
  };

  it('are looked for once, and read with the upstream’s credential', async () => {
    const seen: (string | undefined)[] = [];
    const { gateway, asked } = await start((request, response) => {
      seen.push(request.headers.authorization);
      rest(request, response);
    });
    for (const path of [`/rest/tx/${hash}.bin`, `/rest/block/${hash}.json`, `/rest/headers/2/${hash}.hex`]) {
      expect((await get(gateway.port, path)).text).toContain(`by rest ${path}`);
    }
    expect(asked.filter((line) => line.includes('chaininfo'))).toHaveLength(1);
    expect(asked.some((line) => line.startsWith('POST'))).toBe(false);
    expect(seen.every((header) => header === undefined)).toBe(true);
  });

  it('are asked for several outputs with plain slashes, however the client wrote them', async () => {
    const { gateway } = await start(rest);
    const [one, other] = [`${hash}-0`, `${hash}-1`];
    for (const path of [`${one}/${other}`, `${one}%2F${other}`, `${one}%2f${other}`]) {
      const { text } = await get(gateway.port, `/rest/getutxos/${path}.hex`);
      expect(text, path).toBe(`by rest /rest/getutxos/${one}/${other}.hex`);
      const withMempool = await get(gateway.port, `/rest/getutxos/checkmempool/${path}.hex`);
      expect(withMempool.text, path).toBe(`by rest /rest/getutxos/checkmempool/${one}/${other}.hex`);
    }
    // elsewhere an escaped slash divides nothing
    expect((await get(gateway.port, `/rest/block%2F${hash}.hex`)).status).toBe(404);
    expect((await get(gateway.port, `/rest/block/notxdetails%2F${hash}.hex`)).status).toBe(400);
  });

  it('are also found below the RPC address, with the query of that address', async () => {
    const { gateway, asked } = await start(
      (request, response) => {
        if (request.url?.startsWith('/node/rpc/rest/')) return rest(request, response);
        response.writeHead(404).end();
      },
      { base: '/node/rpc', query: '?key=1' },
    );
    expect((await get(gateway.port, `/rest/tx/${hash}.hex`)).text).toContain('by rest /node/rpc/rest/tx/');
    expect(asked.every((line) => line.endsWith('?key=1'))).toBe(true);
  });

  const none: [string, Handler, string][] = [
    ['are not there', (_, response) => void response.writeHead(404).end(), '10m'],
    [
      'are a web page',
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
      '10m',
    ],
    [
      'want POST',
      (_, response) => void response.writeHead(405).end('JSONRPC server handles only POST requests'),
      '10m',
    ],
    // The call that is answered in their place has the same limit, also on a machine with other work.
    ['never answer', () => {}, '2s'],
    ['break off', (_, response) => void response.destroy(), '10m'],
  ];
  it.each(none)('are not used if they %s, and not looked for again', async (_what, answer, bitcoinTimeout) => {
    const { gateway, asked } = await start(answer, { settings: { bitcoinTimeout } });
    for (let round = 0; round < 3; round++) {
      expect((await get(gateway.port, `/rest/tx/${hash}.hex`)).text).toBe('6279\n');
    }
    expect(asked.filter((line) => line.startsWith('GET'))).toHaveLength(1);
  });

  it('are no longer used once the node has lost them', async () => {
    let lost = false;
    const { gateway } = await start((request, response) => {
      if (lost) response.writeHead(404).end();
      else rest(request, response);
    });
    expect((await get(gateway.port, `/rest/tx/${hash}.hex`)).text).toContain('by rest');
    lost = true;
    expect((await get(gateway.port, `/rest/tx/${'cd'.repeat(32)}.hex`)).text).toBe('6279\n');
  });

  it('pass on the node’s refusals unchanged, and report other answers as failures', async () => {
    let answer: Handler = rest;
    const { gateway } = await start((request, response) =>
      request.url?.includes('chaininfo') ? rest(request, response) : answer(request, response),
    );
    const read = () => get(gateway.port, `/rest/block/${hash}.hex`);
    answer = (_, response) =>
      void response.writeHead(404, { 'content-type': 'text/plain' }).end(`${hash} not found\r\n`);
    expect(shown(await read())).toMatchObject({ status: 404, type: 'text/plain', body: `${hash} not found\r\n` });
    answer = (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
    const page = await read();
    expect(page.status).toBe(503);
    expect(page.text).toContain('did not answer a REST path (HTTP 200)');
    expect(page.text).not.toContain('<html>');
  });

  it('are read once for many clients that ask for the same data about the tip', async () => {
    let calls = 0;
    const { gateway } = await start(
      (request, response) => {
        calls += 1;
        setTimeout(() => rest(request, response), 50);
      },
      { settings: { gatewayShareFor: '10s' } },
    );
    const answers = await Promise.all(Array.from({ length: 20 }, () => get(gateway.port, '/rest/mempool/info.json')));
    expect(answers.every(({ text }) => text.includes('by rest /rest/mempool/info.json'))).toBe(true);
    // one request to find the paths, one to read
    expect(calls).toBe(2);
  });

  it('close the client’s connection if they end early, after a Content-Length', async () => {
    const { gateway } = await start((request, response) => {
      if (request.url?.includes('chaininfo')) return rest(request, response);
      response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': 1_000_000 });
      response.write(Buffer.alloc(500_000), () => response.destroy());
    });
    await expect(get(gateway.port, `/rest/block/${hash}.bin`)).rejects.toThrow();
  });

  it('are read from the next upstream if the first is offline', async () => {
    const away = await new Upstream(result('1')).start();
    await away.stop();
    const { origin } = await start(rest);
    const gateway = await startGateway(`${away.url},${origin}`);
    open.push(gateway);
    expect((await get(gateway.port, `/rest/tx/${hash}.bin`)).text).toContain('by rest');
  });

  it('are let go of if the reader left before the answer came', async () => {
    const asked = Promise.withResolvers<ServerResponse>();
    const { gateway } = await start(
      (request, response) => {
        if (request.url?.includes('contents')) asked.resolve(response);
        else rest(request, response);
      },
      { settings: { bitcoinTimeout: '10m' } },
    );
    const headers = { authorization: basic('planchet:secret') };
    const path = '/rest/mempool/contents.json';
    const reader = httpRequest({ host: '127.0.0.1', port: gateway.port, path, headers, agent: false });
    reader.on('error', () => {});
    reader.end();
    const response = await asked.promise;
    const closed = new Promise((resolve) => response.once('close', resolve));
    reader.destroy();
    await expect.poll(async () => (await gateway.service.status()).connections).toBe(0);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(`{"a":"${'x'.repeat(4_000_000)}`);
    await closed;
  });
});
