import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { type Settings, settingsSchema } from '../../../contract/index.ts';
import { systemClock } from '../../clock.ts';
import { Described } from '../../open-api/test-support/described.ts';
import { createFakeHost } from '../test-support/fake-host.ts';
import { metricsDocument } from './metrics-openapi.ts';
import { MetricsServer } from './metrics-server.ts';

const KEY = 'key-of-the-prometheus';
const described = new Described(metricsDocument);
const bearer = { authorization: `Bearer ${KEY}` };
let server: MetricsServer | undefined;
let settings: Settings;
let port: number;
let settingsRead = 0;

afterEach(async () => {
  await server?.stop();
  server = undefined;
});

async function start(changes: Partial<Settings> = {}, host = createFakeHost()): Promise<string> {
  settings = settingsSchema.parse({ metricsBind: '127.0.0.1:0', ...changes });
  server = new MetricsServer({
    settings: {
      current: () => {
        settingsRead += 1;
        return settings;
      },
      onChange: () => () => {},
    },
    context: host.context,
    clock: systemClock,
    logger: host.context.logger,
  });
  const { address } = await server.start();
  port = Number(new URL(address).port);
  return address;
}

/** A request with exactly these headers, over a connection of its own. */
function ask(path = '/metrics', headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; type: string; body: string }>((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      text(response)
        .then((body) => {
          const [status, type] = [response.statusCode ?? 0, response.headers['content-type'] ?? ''];
          described.hold({ method, path, status, contentType: type, headers: response.headers, text: body });
          resolve({ status, type, body });
        })
        .catch(reject);
    });
    asked.on('error', reject).end();
  });
}

describe('the metrics address', () => {
  it('serves the figures in Prometheus’ text format, without a login', async () => {
    await start();
    const { status, type, body } = await ask();
    expect({ status, type }).toEqual({ status: 200, type: 'text/plain; version=0.0.4; charset=utf-8' });
    expect(body).toContain('planchet_service_up{service="console"} 1\n');
    expect((await ask('/metrics?name[]=planchet_info')).status).toBe(200);
  });

  it('is off by default', () => {
    expect(settingsSchema.parse({}).metricsBind).toBe('');
  });

  it.each([
    ['POST', '/metrics', 405],
    ['HEAD', '/metrics', 405],
    ['OPTIONS', '/metrics', 405],
    ['GET', '/', 404],
    ['GET', '/metrics/', 404],
    ['GET', '//metrics', 404],
    ['GET', '/debug/metrics', 404],
    ['GET', '/debug/heap', 404],
    ['POST', '/api/wallet/lock', 404],
    ['GET', '/session', 404],
    ['GET', 'http://127.0.0.1/metrics', 400],
  ])('answers nothing but GET /metrics: %s %s', async (method, path, status) => {
    await start({ metricsKey: KEY });
    expect((await ask(path, bearer, method)).status).toBe(status);
  });

  it.each([
    [{ host: 'evil.example' }, 403],
    [{ origin: 'https://evil.example' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{}, 200],
  ])('lets no web page read where there is no key: %o', async (headers, status) => {
    await start();
    expect((await ask('/metrics', headers)).status).toBe(status);
  });

  it('wants the key where there is one, whatever name it is called by', async () => {
    await start({ metricsKey: KEY });
    for (const authorization of ['', 'Bearer wrong', `Basic ${btoa(`x:${KEY}`)}`]) {
      const { status, body } = await ask('/metrics', authorization === '' ? {} : { authorization });
      expect(status).toBe(401);
      expect(body).not.toContain('planchet_');
    }
    expect((await ask('/metrics', { ...bearer, host: 'planchet-a:9464' })).status).toBe(200);
  });

  it('slows down who guesses, and nobody who has the key', async () => {
    await start({ metricsKey: KEY });
    const statuses: number[] = [];
    while (!statuses.includes(429)) statuses.push((await ask('/metrics', { authorization: 'Bearer wrong' })).status);
    expect(statuses.length).toBeGreaterThan(20);
    expect((await ask('/metrics', bearer)).status).toBe(200);
  });

  it('listens for other machines only with a key, and closes to them once the key is removed', async () => {
    await expect(start({ metricsBind: '0.0.0.0:0' })).rejects.toMatchObject({
      code: 'bind-refused',
      hint: expect.stringContaining('metricsKey'),
    });
    await start({ metricsBind: '0.0.0.0:0', metricsKey: KEY });
    expect((await ask('/metrics', bearer)).status).toBe(200);
    settings = { ...settings, metricsKey: '' };
    expect((await ask('/metrics')).status).toBe(401);
  });

  it('says which setting to change where the port is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const taken = (other.address() as AddressInfo).port;
    await expect(start({ metricsBind: `127.0.0.1:${taken}` })).rejects.toMatchObject({
      code: 'port-in-use',
      hint: expect.stringContaining('metricsBind'),
    });
    await new Promise((resolve) => other.close(resolve));
  });

  it('reads the figures once for all who ask at the same time', async () => {
    const host = createFakeHost();
    const gateway = host.context.gateway as NonNullable<typeof host.context.gateway>;
    let readings = 0;
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const status = async () => {
      readings += 1;
      await held;
      return gateway.status();
    };
    const slow = Object.create(gateway, { status: { value: status } }) as typeof gateway;
    await start({}, { ...host, context: { ...host.context, gateway: slow } });
    const before = settingsRead;
    const answers = Array.from({ length: 8 }, () => ask());
    // each request reads the key
    await expect.poll(() => settingsRead - before).toBe(8);
    release();
    expect((await Promise.all(answers)).map((answer) => answer.status)).toEqual(Array(8).fill(200));
    expect(readings).toBe(1);
  });

  it('goes on after a client that breaks off', async () => {
    await start();
    const socket = connect(port, '127.0.0.1');
    socket.end('GET /metrics HTTP/1.1\r\nHost:');
    await text(socket);
    expect((await ask()).status).toBe(200);
  });

  it('tells nothing of a failure', async () => {
    const host = createFakeHost();
    const app = {
      ...host.context.app,
      info: () => {
        throw new Error('the password is hunter22');
      },
    };
    await start({}, { ...host, context: { ...host.context, app } });
    const { status, body } = await ask();
    expect(status).toBe(500);
    expect(body).not.toContain('hunter22');
  });
});
