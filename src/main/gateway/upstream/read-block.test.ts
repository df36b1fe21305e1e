import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { systemClock } from '../../clock.ts';
import { clientParts, endpointsOf, settingsOf } from '../test-support/upstream.ts';
import { NodeClient } from './client.ts';

const stops: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const hash = 'ab'.repeat(32);
const block = Uint8Array.from({ length: 300_001 }, (_, at) => at % 251);
const hex = Buffer.from(block).toString('hex');

/** A node that answers with the bytes of a block. @param rest what it has at its REST path of the block; undefined where it has no REST */
async function nodeWith(
  rest: RequestListener | undefined,
  rpc = `{"result":"${hex}","error":null`,
  bitcoinTimeout = '60s',
) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (request.method === 'POST') {
      request.setEncoding('utf8').once('data', (body: string) => {
        const { id } = JSON.parse(body) as { id: number };
        response.writeHead(200, { 'content-type': 'application/json' }).end(`${rpc},"id":${id}}`);
      });
      return;
    }
    if (rest === undefined) return void response.writeHead(404).end();
    if (request.url !== '/rest/chaininfo.json') return rest(request, response);
    const info = JSON.stringify({ chain: 'regtest', bestblockhash: hash });
    response.writeHead(200, { 'content-type': 'application/json' }).end(info);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bitcoinRpcUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new NodeClient({
    ...clientParts,
    endpoints: endpointsOf({ bitcoinRpcUrl }),
    settings: settingsOf({ bitcoinTimeout }),
    clock: systemClock,
  });
  stops.push(async () => {
    await client.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const read = async (signal?: AbortSignal): Promise<Uint8Array> => {
    const pieces: Uint8Array[] = [];
    for await (const piece of await client.readBlock(hash, signal && { signal })) pieces.push(piece);
    return Buffer.concat(pieces);
  };
  return { client, read, asked: () => asked.filter((line) => line.includes('block') || line.startsWith('POST')) };
}

const sends: RequestListener = (_, response) =>
  void response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(block);

it('a block is read from a REST path where the node has one', async () => {
  const { read, asked } = await nodeWith(sends);
  expect(Buffer.compare(await read(), block)).toBe(0);
  expect(asked().filter((line) => line.startsWith('GET'))).toEqual([`GET /rest/block/${hash}.bin`]);
});

it.each<[string, RequestListener | undefined]>([
  ['no REST paths', undefined],
  ['not this block there', (_, response) => void response.writeHead(404, { 'content-type': 'text/plain' }).end('no')],
  ['a page there', (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
])('a block is read as hex from a node that has %s', async (_, rest) => {
  const { read } = await nodeWith(rest);
  expect(Buffer.compare(await read(), block)).toBe(0);
});

it('what the node refuses is told before anything is read', async () => {
  const { client } = await nodeWith(undefined, '{"result":null,"error":{"code":-5,"message":"Block not found"}');
  await expect(client.readBlock(hash)).rejects.toMatchObject({ code: -5 });
});

it('a block that is cut off fails while it is read, in either form', async () => {
  const cut: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': block.length });
    response.write(block.subarray(0, 200_000), () => response.destroy());
  };
  await expect((await nodeWith(cut)).read()).rejects.toMatchObject({ code: 'upstream-error' });
  const half = `{"result":"${hex.slice(0, 400_000)}`;
  await expect((await nodeWith(undefined, half)).read()).rejects.toMatchObject({ code: 'upstream-error' });
});

it('a download that stands still is given up, and one that is cancelled ends', async () => {
  const stalls: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    response.write(block.subarray(0, 200_000));
  };
  const { read } = await nodeWith(stalls, undefined, '300ms');
  await expect(read()).rejects.toMatchObject({ code: 'upstream-timeout' });
  const abort = new AbortController();
  const reading = (await nodeWith(stalls)).read(abort.signal);
  abort.abort();
  await expect(reading).rejects.toMatchObject({ code: 'cancelled' });
});
