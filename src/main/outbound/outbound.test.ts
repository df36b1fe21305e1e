import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { phrase } from '../../contract/index.ts';
import { createSourceClient } from '../chain-data/sources/http/source-client.ts';
import { systemClock } from '../clock.ts';
import { ArcadeEndpoint } from '../merchant/protocols/arcade/arcade-endpoint.ts';
import { OutboundProxy } from './outbound.ts';

/** What the proxies were asked for, as host and port. */
let asked: string[];
let service: Server;
let tunnel: Server;
let socks: TcpServer;
let setting: string;
let proxy: OutboundProxy;
const portOf = (server: Server | TcpServer): number => (server.address() as AddressInfo).port;

/** A name that exists nowhere: only a proxy answers for it. */
const ELSEWHERE = 'service.invalid';

/** Joins a client to the service, whatever it asked for. */
function join(client: Socket, port: number): void {
  const server = connect(port, '127.0.0.1', () => client.pipe(server).pipe(client));
  client.on('error', () => server.destroy());
  server.on('error', () => client.destroy());
}

function answer({ url, headers }: IncomingMessage, response: ServerResponse): void {
  if (url?.startsWith('/stream') && headers.accept === 'text/event-stream') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const telling = setInterval(() => response.write('data: {}\n\n'), 20);
    response.on('close', () => clearInterval(telling));
    return;
  }
  const json = url?.startsWith('/policy')
    ? { timestamp: '2026-11-28T00:00:00Z', policy: { miningFee: { satoshis: 1, bytes: 1_000 } } }
    : { a: 1 };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(json));
}

beforeEach(async () => {
  asked = [];
  service = createServer(answer);
  tunnel = createServer((_, response) => response.writeHead(405).end());
  tunnel.on('connect', ({ url }: IncomingMessage, client: Socket) => {
    asked.push(`http ${url}`);
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    join(client, portOf(service));
  });
  socks = createTcpServer((client) => {
    client.once('data', () => {
      client.write(Uint8Array.of(5, 0));
      client.once('data', (request: Buffer) => {
        // RFC 1928: version, command, 0, kind of address (3 is a name), its length
        const length = request[4] ?? 0;
        const name = request.subarray(5, 5 + length).toString();
        asked.push(`socks ${request[3] === 3 ? name : 'no name'}:${request.readUInt16BE(5 + length)}`);
        client.write(Uint8Array.of(5, 0, 0, 1, 127, 0, 0, 1, 0, 0));
        join(client, portOf(service));
      });
    });
    client.on('error', () => client.destroy());
  });
  for (const server of [service, tunnel, socks]) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  setting = '';
  proxy = new OutboundProxy(() => setting);
});
afterEach(async () => {
  await proxy.close();
  service.closeAllConnections();
  tunnel.closeAllConnections();
  for (const server of [service, tunnel, socks]) server.close();
});

const sourceAt = (baseUrl: string) =>
  createSourceClient({ operator: 's', baseUrl, clock: systemClock, minIntervalMs: 0, outbound: proxy.via });
const minerAt = (url: string) =>
  new ArcadeEndpoint({
    miner: { id: 'a', name: 'A', kind: 'arcade' },
    url: () => url,
    apiKey: () => undefined,
    clock: systemClock,
    outbound: proxy.via,
  });
const json = { kind: 'json', limitBytes: 10_000, deadlineMs: 10_000 } as const;

describe('requests to other machines', () => {
  it.each([
    ['http', () => `http://127.0.0.1:${portOf(tunnel)}`],
    ['socks', () => `socks5://127.0.0.1:${portOf(socks)}`],
  ])(
    'of sources, miners and their streams go through a proxy of kind %s, which resolves the name',
    async (kind, address) => {
      setting = address();
      const source = sourceAt(`http://${ELSEWHERE}:8080`);
      expect(await source.get('/x', json)).toMatchObject({ state: 'present', value: { a: 1 } });
      const miner = minerAt(`http://${ELSEWHERE}:8081`);
      expect(await miner.quote()).toMatchObject({ standard: { satoshis: 1 } });
      await expect(miner.follow(async () => undefined, new AbortController().signal)).rejects.toThrow();
      expect([...new Set(asked)]).toEqual([`${kind} ${ELSEWHERE}:8080`, `${kind} ${ELSEWHERE}:8081`]);
    },
  );

  it('fail where the proxy is not there, name it as the cause, and go nowhere else', async () => {
    const overProxy = { state: 'unavailable', reason: { key: 'reason.over-proxy' } };
    setting = 'http://127.0.0.1:9';
    expect(await sourceAt(`http://${ELSEWHERE}`).get('/x', json)).toMatchObject(overProxy);
    setting = 'socks5://127.0.0.1:9';
    expect(await sourceAt(`http://${ELSEWHERE}`).get('/x', json)).toMatchObject(overProxy);
    await expect(minerAt(`http://${ELSEWHERE}`).quote()).rejects.toMatchObject({ id: 'merchant.unreachable' });
  });

  it('follow a change of the setting', async () => {
    setting = `http://127.0.0.1:${portOf(tunnel)}`;
    const source = sourceAt(`http://${ELSEWHERE}:8080`);
    await source.get('/x', json);
    setting = `socks5://127.0.0.1:${portOf(socks)}`;
    await source.get('/x', json);
    setting = '';
    expect(await source.get('/x', json)).toMatchObject({ state: 'unavailable' });
    expect(asked).toEqual([`http ${ELSEWHERE}:8080`, `socks ${ELSEWHERE}:8080`]);
  });

  it('end a stream that was opened through another proxy than the one that is set now', async () => {
    setting = `http://127.0.0.1:${portOf(tunnel)}`;
    const { signal } = new AbortController();
    const following = minerAt(`http://${ELSEWHERE}:8080/stream`)
      .follow(async () => undefined, signal)
      .catch((error: unknown) => error);
    const heard = Promise.withResolvers<unknown>();
    const reading = sourceAt(`http://${ELSEWHERE}:8081`).events('/stream', {
      silentMs: 60_000,
      signal,
      onData: heard.resolve,
    });
    await heard.promise;
    await expect.poll(() => asked).toHaveLength(2);
    setting = `socks5://127.0.0.1:${portOf(socks)}`;
    expect(await reading).toEqual({ state: 'unavailable', reason: phrase('reason.other-proxy') });
    expect(await following).toMatchObject({ id: 'merchant.unreachable' });
  });

  it('never go through a proxy where they are to this machine', async () => {
    setting = 'http://127.0.0.1:9';
    expect(await sourceAt(`http://127.0.0.1:${portOf(service)}`).get('/x', json)).toMatchObject({ state: 'present' });
    for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]'])
      expect(proxy.via(`http://${host}:1/x`)).toBeUndefined();
    for (const host of ['localhost.example', '128.0.0.1', '127.0.0.1.example', '[::2]'])
      expect(proxy.via(`http://${host}:1/x`)).toBeDefined();
  });
});
