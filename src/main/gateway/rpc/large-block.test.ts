import { createHash, type Hash } from 'node:crypto';
import { createServer, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../clock.ts';
import { basic, type RunningGateway, startGateway } from '../test-support/gateway.ts';
import { clientParts, endpointsOf, settingsOf } from '../test-support/upstream.ts';
import { NodeClient } from '../upstream/client.ts';

const MB = 1024 * 1024;
const blockBytes = process.env.PLANCHET_LONG ? 1024 * MB : 32 * MB;
/** Most bytes between the upstream and a client: buffers of the gateway, and of the system for two connections. */
const MOST_UNDER_WAY = 40 * MB;
const MOST_MEMORY = 200 * MB;
const hash = 'ab'.repeat(32);
const piece = Buffer.alloc(32 * 1024, 0);
for (let at = 0; at < piece.length; at++) piece[at] = (at * 7) & 0xff;
const hexPiece = Buffer.from(piece.toString('hex'));

let sent = 0;
const servers: Server[] = [];
/** An upstream with REST paths, and one without. */
let withRest: string;
let passing: RunningGateway;
let translating: RunningGateway;

async function write(response: ServerResponse, bytes: Buffer | string): Promise<void> {
  sent += bytes.length;
  if (response.write(bytes)) return;
  await new Promise<void>((resolve) => {
    const goOn = (): void => {
      response.off('drain', goOn);
      response.off('close', goOn);
      resolve();
    };
    response.on('drain', goOn);
    response.on('close', goOn);
  });
}

async function writeBlock(response: ServerResponse, part: Buffer): Promise<void> {
  for (let at = 0; at < blockBytes && !response.destroyed; at += piece.length) await write(response, part);
}

/** A node with one block that is larger than any buffer. */
function startNode(options: { rest: boolean }): Promise<string> {
  const server = createServer(async (asked, response) => {
    const path = asked.url ?? '';
    if (asked.method === 'GET') {
      if (!options.rest) return void response.writeHead(404).end();
      if (path.endsWith('chaininfo.json')) {
        response.writeHead(200, { 'content-type': 'application/json' });
        return void response.end('{"chain":"regtest","bestblockhash":"00"}');
      }
      response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': blockBytes });
      await writeBlock(response, piece);
      return void response.end();
    }
    let text = '';
    for await (const part of asked) text += String(part);
    const { id, method } = JSON.parse(text) as { id: string; method: string };
    response.writeHead(200, { 'content-type': 'application/json' });
    if (method === 'getblockheader') {
      return void response.end(`{"result":{"size":${blockBytes}},"error":null,"id":${JSON.stringify(id)}}`);
    }
    if (method !== 'getblock') {
      const error = '{"code":-32601,"message":"Method not found"}';
      return void response.end(`{"result":null,"error":${error},"id":${JSON.stringify(id)}}`);
    }
    await write(response, '{"result":"');
    await writeBlock(response, hexPiece);
    response.end(`","error":null,"id":${JSON.stringify(id)}}`);
  });
  servers.push(server);
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}

beforeAll(async () => {
  withRest = await startNode({ rest: true });
  passing = await startGateway(withRest);
  translating = await startGateway(await startNode({ rest: false }));
});

afterAll(async () => {
  await translating.stop();
  await passing.stop();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

interface Taken {
  readonly status: number;
  readonly bytes: number;
  readonly digest: string;
  /** Most bytes in transit at one time, and most memory used meanwhile. */
  readonly underWay: number;
  readonly memory: number;
  readonly last: Buffer;
}

/** Reads an answer piece by piece. */
function take(gateway: RunningGateway, asked: { path?: string; body?: string; range?: string }): Promise<Taken> {
  const { path = '/', body, range } = asked;
  const headers = { authorization: basic('planchet:secret'), ...(range && { range }) };
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const outgoing = request({ host: '127.0.0.1', port: gateway.port, path, method, headers }, async (response) => {
      try {
        const digest: Hash = createHash('sha256');
        const before = process.memoryUsage().rss;
        let [bytes, underWay, memory] = [0, 0, 0];
        let last: Buffer = Buffer.alloc(0);
        for await (const part of response as AsyncIterable<Buffer>) {
          bytes += part.length;
          underWay = Math.max(underWay, sent - bytes);
          memory = Math.max(memory, process.memoryUsage.rss() - before);
          digest.update(part);
          last = part;
        }
        resolve({ status: response.statusCode ?? 0, bytes, digest: digest.digest('hex'), underWay, memory, last });
      } catch (error) {
        reject(error);
      }
    });
    sent = 0;
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

function digestOf(part: Buffer, head = '', tail = ''): string {
  const digest = createHash('sha256').update(head);
  for (let at = 0; at < blockBytes; at += piece.length) digest.update(part);
  return digest.update(tail).digest('hex');
}

const limit = 600_000;

it(
  'what was read of blocks is freed while they are read',
  async () => {
    const client = new NodeClient({
      ...clientParts,
      endpoints: endpointsOf({ bitcoinRpcUrl: withRest }),
      settings: settingsOf({}),
      clock: systemClock,
    });
    const before = process.memoryUsage().arrayBuffers;
    let highest = 0;
    for (let blocks = (512 * MB) / blockBytes; blocks > 0; blocks--) {
      let pieces = 0;
      for await (const _ of await client.readBlock(hash)) {
        // seldom: what is measured with makes objects too, for which the collector comes
        if (pieces++ % 64 === 0) highest = Math.max(highest, process.memoryUsage().arrayBuffers - before);
      }
    }
    await client.close();
    expect(highest).toBeLessThan(MOST_UNDER_WAY);
  },
  limit,
);

it(
  'a block through RPC is unchanged and needs little memory',
  async () => {
    const body = `{"method":"getblock","params":["${hash}",0],"id":77}`;
    const taken = await take(translating, { body });
    expect(taken.bytes).toBeGreaterThan(blockBytes * 2);
    expect(taken.digest).toBe(digestOf(hexPiece, '{"result":"', '","error":null,"id":77}'));
    expect(taken.underWay).toBeLessThan(MOST_UNDER_WAY);
    expect(taken.memory).toBeLessThan(MOST_MEMORY);
  },
  limit,
);

it(
  'a block through REST paths of the upstream is unchanged and needs little memory',
  async () => {
    const taken = await take(passing, { path: `/rest/block/${hash}.bin` });
    expect(taken.bytes).toBe(blockBytes);
    expect(taken.digest).toBe(digestOf(piece));
    expect(taken.underWay).toBeLessThan(MOST_UNDER_WAY);
    expect(taken.memory).toBeLessThan(MOST_MEMORY);
  },
  limit,
);

it(
  'a block through REST made from RPC is unchanged and needs little memory',
  async () => {
    const taken = await take(translating, { path: `/rest/block/${hash}.bin` });
    expect(taken.bytes).toBe(blockBytes);
    expect(taken.digest).toBe(digestOf(piece));
    // the upstream sends two digits for each byte
    expect(taken.underWay - blockBytes).toBeLessThan(MOST_UNDER_WAY * 2);
    expect(taken.memory).toBeLessThan(MOST_MEMORY);
  },
  limit,
);

it(
  'a range of a block made from RPC ends with the range',
  async () => {
    const head = await take(translating, { path: `/rest/block/${hash}.bin`, range: 'bytes=10-89' });
    expect(head).toMatchObject({ status: 206, bytes: 80 });
    expect(head.last).toEqual(piece.subarray(10, 90));
    expect(head.underWay).toBeLessThan(MOST_UNDER_WAY);
    const tail = await take(translating, { path: `/rest/block/${hash}.bin`, range: `bytes=${blockBytes - 5}-` });
    expect(tail).toMatchObject({ status: 206, bytes: 5 });
    expect(tail.last).toEqual(piece.subarray(-5));
  },
  limit,
);
