import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../clock.ts';
import type { LocalServer } from '../../local-server.ts';
import { StillClock } from '../../test-support/still-clock.ts';
import { Faults } from '../controls/faults.ts';
import { TestSandbox } from '../test-support/open-sandbox.ts';
import { RequestPlaces } from './request-places.ts';
import { serveSandbox } from './server.ts';

describe('request slots', () => {
  it('go to the request that has waited longest, and time out', async () => {
    const clock = new StillClock(0);
    const places = new RequestPlaces(2, 5_000, clock);
    expect(await Promise.all([places.enter(), places.enter()])).toEqual([true, true]);
    const order: number[] = [];
    const third = places.enter().then((admitted) => order.push(admitted ? 3 : -3));
    const fourth = places.enter().then((admitted) => order.push(admitted ? 4 : -4));
    places.leave();
    await third;
    expect(order).toEqual([3]);
    clock.advance(5_000);
    await fourth;
    expect(order).toEqual([3, -4]);
    places.leave();
    places.leave();
    expect(await Promise.all([places.enter(), places.enter()])).toEqual([true, true]);
  });
});

describe('a server whose slots are taken', () => {
  let app: FastifyInstance;
  let server: LocalServer;
  let release: () => void;

  /** Two requests hold the only places until they are released. */
  async function full(waitMs: number): Promise<Promise<Response>[]> {
    let arrived = 0;
    const holding = new Promise<void>((resolve) => {
      release = resolve;
    });
    app = fastify();
    app.all('/*', async ({ url }) => {
      if (url === '/token/hold') {
        arrived += 1;
        await holding;
      }
      return { here: true };
    });
    await app.ready();
    server = await serveSandbox({
      bind: '127.0.0.1:0',
      faults: new Faults(),
      places: new RequestPlaces(2, waitMs, systemClock),
      app: async () => app,
    });
    const held = [1, 2].map(() => fetch(`${server.url}/token/hold`));
    await expect.poll(() => arrived).toBe(2);
    return held;
  }
  afterEach(async () => {
    release();
    await server.close();
    await app.close();
  });

  it('answers 429 in the format of each API, and reads the rest of a pending body', async () => {
    const held = await full(20);
    const body = Buffer.alloc(5_000_000, 0x20);
    const mapi = await fetch(`${server.url}/mapi/tx`, { method: 'POST', body });
    expect([mapi.status, mapi.headers.get('retry-after')]).toEqual([429, '1']);
    expect(mapi.headers.get('content-type')).toContain('application/problem+json');
    expect(await mapi.json()).toMatchObject({ status: 429, title: expect.stringContaining('too many requests') });
    const token = await fetch(`${server.url}/token/v1/project`, { method: 'POST', body });
    expect(token.status).toBe(429);
    expect(await token.json()).toMatchObject({ success: false, error: { code: 'too-many-requests' } });
    expect((await fetch(`${server.url}/admin/status`)).status).toBe(200);
    release();
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await fetch(`${server.url}/token/v1/project`)).status).toBe(200);
  });

  it('lets further requests wait, and releases the slot of a disconnected client', async () => {
    const held = await full(30_000);
    const gone = new AbortController();
    const waiting = [1, 2, 3].map(() => fetch(`${server.url}/token/wait`));
    const left = fetch(`${server.url}/token/wait`, { signal: gone.signal }).catch(() => 'gone');
    gone.abort();
    expect(await left).toBe('gone');
    release();
    const answers = await Promise.all([...held, ...waiting]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const again = await Promise.all([1, 2, 3, 4].map(() => fetch(`${server.url}/token/wait`)));
    expect(again.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });
});

it('the sandbox answers 600 connections at once, and resets none', async () => {
  const sandbox = await TestSandbox.open();
  try {
    const { port, host } = new URL(sandbox.service.endpoints().mapiUrl);
    const key = sandbox.service.apiKey();
    const ask = async (): Promise<string> => {
      const socket: Socket = connect(Number(port), '127.0.0.1');
      let answer = '';
      socket.on('data', (piece: Buffer) => {
        answer += piece.toString();
      });
      await once(socket, 'connect');
      // all of them are open before the first asks
      await everybody();
      socket.write(
        `GET /mapi/feeQuote HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
      );
      await once(socket, 'close');
      return answer.slice(0, 12);
    };
    let open = 0;
    let start: () => void;
    const started = new Promise<void>((resolve) => {
      start = resolve;
    });
    const everybody = async (): Promise<void> => {
      open += 1;
      if (open === 600) start();
      await started;
    };
    const answers = await Promise.all(Array.from({ length: 600 }, ask));
    expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 200']));
  } finally {
    await sandbox.remove();
  }
});
