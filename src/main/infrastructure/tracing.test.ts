import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { quiet } from '../gateway/test-support/upstream.ts';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { Tracing } from './tracing.ts';

interface Exported {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: ExportedSpan[] }[];
  }[];
}
interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number };
}
interface ExportedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: Attribute[];
  status: { code?: number; message?: string };
  startTimeUnixNano: string;
  endTimeUnixNano: string;
}

/** A collector of OTLP over HTTP, in JSON. */
let collector: Server;
let endpoint: string;
let received: { path: string; body: Exported }[];
const hosts = oneHost();

beforeEach(async () => {
  received = [];
  collector = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    request.on('end', () => {
      received.push({ path: request.url ?? '', body: JSON.parse(text) as Exported });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
});
afterEach(async () => {
  collector.closeAllConnections();
  await new Promise((resolve) => collector.close(resolve));
});

const spans = (): ExportedSpan[] =>
  received.flatMap(({ body }) => body.resourceSpans.flatMap((one) => one.scopeSpans.flatMap((scope) => scope.spans)));
const attribute = ({ attributes }: { attributes: Attribute[] }, key: string): unknown =>
  Object.values(attributes.find((one) => one.key === key)?.value ?? {})[0];

const start = (samplePercent: number): Promise<Tracing> =>
  Tracing.start({ endpoint, samplePercent, version: '1', network: 'sandbox', clock: systemClock, logger: quiet });
const call = { client: 'key', method: 'getinfo', source: 'cache', status: 200, milliseconds: 5, reason: null };

describe('traces', () => {
  it('of calls through a running host arrive at the collector, and none while it is not set', async () => {
    for (const otlpEndpoint of ['', endpoint]) {
      const { host } = await hosts.open({ overrides: { otlpEndpoint } });
      const cookie = readFileSync(host.cookieFile, 'utf8').trim();
      const authorization = `Basic ${Buffer.from(cookie).toString('base64')}`;
      for (const method of ['getblockcount', 'sendrawtransaction']) {
        await fetch(host.info().endpoints.rpc as string, {
          method: 'POST',
          headers: { authorization },
          body: JSON.stringify({ method, params: method === 'getblockcount' ? [] : ['secret'] }),
        });
      }
      await hosts.close();
      if (otlpEndpoint === '') expect(received).toEqual([]);
    }
    expect(new Set(received.map(({ path }) => path))).toEqual(new Set(['/v1/traces']));
    expect(JSON.stringify(received)).not.toContain('secret');
    const [first] = received;
    expect(attribute(first?.body.resourceSpans[0]?.resource as never, 'service.name')).toBe('planchet');
    const good = spans().find(({ name }) => name === 'getblockcount') as ExportedSpan;
    expect(attribute(good, 'http.response.status_code')).toBe(200);
    expect(good.status.code ?? 0).toBe(0);
    const refused = spans().find(({ name }) => name === 'sendrawtransaction') as ExportedSpan;
    expect(refused.status).toMatchObject({ code: 2, message: expect.stringContaining('Method not found') as string });
  });

  it('of a mint have a span for each state it went through, once', async () => {
    const tracing = await start(100);
    const job = {
      id: 'j',
      state: 'proven',
      failure: null,
      active: false,
      tokenCount: 2,
      txid: 'ab',
      createdAt: 1_000,
      updatedAt: 4_000,
      history: [
        { state: 'built', at: 2_000 },
        { state: 'proven', at: 4_000 },
      ],
    } as unknown as Parameters<Tracing['job']>[0];
    tracing.job({ ...job, state: 'built', active: true });
    tracing.job(job);
    tracing.job(job);
    await tracing.stop();
    const [root] = spans().filter(({ name }) => name === 'mint');
    expect(
      spans().map(({ name, startTimeUnixNano, endTimeUnixNano }) => [name, startTimeUnixNano, endTimeUnixNano]),
    ).toEqual([
      ['built', '1000000000', '2000000000'],
      ['proven', '2000000000', '4000000000'],
      ['mint', '1000000000', '4000000000'],
    ]);
    for (const span of spans()) {
      expect(span.traceId).toBe(root?.traceId);
      if (span !== root) expect(span.parentSpanId).toBe(root?.spanId);
    }
  });

  it('are sent in the share that is set', async () => {
    const none = await start(0);
    for (let n = 0; n < 50; n++) none.call(call);
    await none.stop();
    expect(spans()).toEqual([]);
    const half = await start(50);
    for (let n = 0; n < 400; n++) half.call(call);
    await half.stop();
    expect(spans().length).toBeGreaterThan(100);
    expect(spans().length).toBeLessThan(300);
  });

  it('hold nothing up where the collector does not answer: the stop ends before they are given up', {
    tags: 'long',
  }, async () => {
    const asked = Promise.withResolvers<void>();
    let isGivenUp = false;
    collector.removeAllListeners('request');
    collector.on('request', (_request, response) => {
      response.once('close', () => {
        isGivenUp = true;
      });
      asked.resolve();
    });
    const tracing = await start(100);
    tracing.call(call);
    const stopped = tracing.stop();
    await asked.promise;
    await stopped;
    expect(isGivenUp).toBe(false);
  });
});
