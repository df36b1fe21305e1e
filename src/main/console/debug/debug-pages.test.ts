import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { ConsoleServer } from '../http/http.ts';
import { createFakeHost, type FakeHost } from '../test-support/fake-host.ts';
import { CLI_TOKEN, createServer } from '../test-support/transports.ts';

const bearer = { authorization: `Bearer ${CLI_TOKEN}` };
let server: ConsoleServer | undefined;

afterEach(async () => {
  await server?.stop();
});

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

async function start(
  debugServer: boolean,
  host: FakeHost = createFakeHost(),
): Promise<(path: string, headers?: Record<string, string>, method?: string) => Promise<Answer>> {
  server = createServer(host.context, { debugServer });
  const port = Number(new URL((await server.start()).address).port);
  return (path, headers = bearer, method = 'GET') =>
    new Promise((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        const type = response.headers['content-type'] ?? '';
        response.on('end', () => resolve({ status: response.statusCode ?? 0, type, text }));
      });
      asked.on('error', reject).end();
    });
}

const pages = ['/debug/metrics', '/debug/health', '/debug/heap'];

describe('the debug pages', () => {
  it.each(pages)('%s is not there while debugServer is off', async (path) => {
    const get = await start(false);
    for (const headers of [bearer, {}]) {
      const { status, text } = await get(path, headers);
      expect(status).toBe(404);
      expect(JSON.parse(text)).toMatchObject({ code: 'not-found' });
    }
  });

  it.each(pages)('%s wants the console’s login, however its path is written', async (path) => {
    const get = await start(true);
    for (const spelling of [path, path.replace('d', '%64'), path.replace('/debug', '//debug'), `${path}?x=1`]) {
      expect((await get(spelling, {})).status).not.toBe(200);
      expect((await get(spelling, { authorization: 'Bearer wrong' })).status).not.toBe(200);
    }
    expect((await get(path, {})).status).toBe(401);
  });

  it.each([
    [{ host: 'evil.example' }, 'GET', 403],
    [{ origin: 'https://evil.example' }, 'GET', 403],
    [{ 'sec-fetch-site': 'cross-site' }, 'GET', 403],
    [{}, 'POST', 405],
    [{}, 'HEAD', 404],
  ])('refuse %o %s', async (headers, method, status) => {
    const get = await start(true);
    expect((await get('/debug/metrics', { ...bearer, ...headers }, method)).status).toBe(status);
  });

  it('know no other page', async () => {
    const get = await start(true);
    expect((await get('/debug/nothing')).status).toBe(404);
  });
});

describe('/debug/metrics', () => {
  it('serves figures of the process and the services in Prometheus’ text format', async () => {
    const get = await start(true);
    await get('/debug/metrics');
    const { status, type, text } = await get('/debug/metrics');
    expect(status).toBe(200);
    expect(type).toBe('text/plain; version=0.0.4; charset=utf-8');
    for (const line of text
      .trimEnd()
      .split('\n')
      .filter((line) => line !== '')) {
      expect(line).toMatch(
        /^(?:# (?:HELP|TYPE) [a-z_0-9]+ .+|[a-z_0-9]+(?:\{(?:[a-z]+="(?:[^"\\\n]|\\.)*",?)+\})? [-+0-9.e]+)$/,
      );
    }
    const figures = new Map(
      text
        .split('\n')
        .filter((line) => !line.startsWith('#'))
        .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
    );
    expect(figures.get('planchet_service_up{service="console"}')).toBe(1);
    expect(figures.get('planchet_gateway_calls_total{method="getinfo"}')).toBe(3);
    const seconds = 'planchet_gateway_call_seconds';
    expect(figures.get(`${seconds}_bucket{method="getinfo",le="0.01"}`)).toBe(1);
    expect(figures.get(`${seconds}_bucket{method="getinfo",le="+Inf"}`)).toBe(3);
    expect(figures.get(`${seconds}_sum{method="getinfo"}`)).toBe(1.5);
    expect(figures.get(`${seconds}_count{method="getinfo"}`)).toBe(3);
    expect(figures.get('planchet_gateway_key_call_seconds_count{key="a \\"key\\""}')).toBe(3);
    expect(figures.get('planchet_upstream_up{upstream="http://node.example"}')).toBe(0);
    expect(figures.get('planchet_gateway_tip_height')).toBe(7);
    expect(figures.get('process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
    expect(figures.get('process_cpu_seconds_total')).toBeGreaterThan(0);
    expect(figures.has('nodejs_eventloop_lag_seconds{quantile="0.99"}')).toBe(true);
    // an unknown height is no sample
    expect(figures.has('planchet_upstream_height{upstream="http://node.example"}')).toBe(false);
  });
});

describe('/debug/health', () => {
  it('names what fails, with HTTP 503', async () => {
    const host = createFakeHost();
    const get = await start(true, host);
    const { status, text } = await get('/debug/health');
    expect(status).toBe(503);
    expect(JSON.parse(text)).toMatchObject({
      status: 'failing',
      network: 'sandbox',
      services: [{ name: 'console', state: 'running' }],
      tip: { height: 7 },
      upstreams: [{ origin: 'http://node.example', circuit: 'open', lastFailure: 'it is away' }],
    });
  });

  it('is well without a gateway', async () => {
    const host = createFakeHost();
    const get = await start(true, { ...host, context: { ...host.context, gateway: undefined } });
    const { status, text } = await get('/debug/health');
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ status: 'ok', tip: null, upstreams: [] });
  });
});

describe('/debug/heap', () => {
  it('is a snapshot that developer tools read, one at a time', { tags: 'long' }, async () => {
    const get = await start(true);
    const [first, second] = await Promise.all([get('/debug/heap'), get('/debug/heap')]);
    const taken = first.status === 200 ? first : second;
    expect(taken.type).toBe('application/octet-stream');
    expect(taken.text.startsWith('{"snapshot":{"meta":')).toBe(true);
    expect(taken.text.trimEnd().endsWith('}')).toBe(true);
    expect([first.status, second.status].sort()).toEqual([200, 409]);
    expect((await get('/debug/heap')).status).toBe(200);
  });
});
