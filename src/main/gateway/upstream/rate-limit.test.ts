import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../clock.ts';
import { type RunningGateway, send, startGateway } from '../test-support/gateway.ts';
import { type Answer, clientParts, endpointsOf, result, settingsOf, Upstream } from '../test-support/upstream.ts';
import { NodeClient } from './client.ts';
import { tooManyCalls } from './errors.ts';
import { Upstream as PoolUpstream } from './pool.ts';

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop();
});

/** The system's time plus an offset that the test sets. */
const clock = { ...systemClock, ahead: 0, now: () => systemClock.now() + clock.ahead };

function limited(status: number, retryAfter?: string, body = 'slow down'): Answer {
  return (_, response) => {
    response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end(body);
  };
}

async function upstreamOf(answer: Answer): Promise<Upstream> {
  const upstream = await new Upstream(answer).start();
  open.push(upstream);
  return upstream;
}

async function gatewayBefore(...upstreams: Upstream[]): Promise<RunningGateway> {
  const gateway = await startGateway(upstreams.map(({ url }) => url).join(','), { clock });
  open.push(gateway);
  return gateway;
}

const ask = (gateway: RunningGateway, headers = {}) => send(gateway.port, { body: '{"method":"getinfo"}', headers });
/** A header that makes the request go through node's own server instead of the fast path. */
const slowLane = { expect: '100-continue' };

describe('an upstream that wants fewer calls', () => {
  it.each([
    ['429', limited(429, '7')],
    ['503', limited(503, '7', '{"error":"slow down."}')],
    ['429 as an answer of a node', limited(429, '7', '{"result":null,"error":{"code":-1,"message":"x"},"id":1}')],
  ])('gets no calls for the time it names, and clients learn that time: %s', async (_, answer) => {
    const upstream = await upstreamOf(result('1'));
    const gateway = await gatewayBefore(upstream);
    expect((await ask(gateway)).status).toBe(200);
    upstream.answer = answer;
    const asked = upstream.requests.length;
    for (const headers of [{}, {}, slowLane]) {
      const refused = await ask(gateway, headers);
      expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '7' } });
      expect(JSON.parse(refused.text)).toMatchObject({
        error: {
          code: -1,
          message: expect.stringMatching(
            /accepts no more calls for now \(HTTP \d+\)(?:: slow down|: x)?\. It is asked again in 7 s/,
          ),
        },
      });
    }
    expect(upstream.requests.length).toBe(asked + 1);
    expect(gateway.service.health().degraded?.message).toContain('accepts no more calls');
    const rest = await send(gateway.port, { method: 'GET', path: '/rest/chaininfo.json' });
    expect(rest).toMatchObject({ status: 503, headers: { 'retry-after': '7' } });

    clock.ahead += 4_000;
    expect((await ask(gateway)).headers['retry-after']).toBe('3');
    expect(upstream.requests.length).toBe(asked + 1);
    clock.ahead += 3_000;
    upstream.answer = result('2');
    expect(await ask(gateway)).toMatchObject({ status: 200, text: expect.stringContaining('"result":2') as string });
    expect(gateway.service.health().degraded).toBeUndefined();

    // A clock that is put back ends a rest rather than making it longer.
    upstream.answer = answer;
    expect((await ask(gateway)).status).toBe(503);
    clock.ahead -= 3_600_000;
    upstream.answer = result('3');
    expect((await ask(gateway)).status).toBe(200);
  });

  it('is replaced by the others, for batches too, and is asked again later', async () => {
    const one = await upstreamOf(result('1'));
    const two = await upstreamOf(result('2'));
    const gateway = await gatewayBefore(one, two);
    await ask(gateway);
    one.answer = limited(429, '60');
    for (let n = 0; n < 5; n++) {
      expect(await ask(gateway)).toMatchObject({ status: 200, text: expect.stringContaining('"result":2') as string });
    }
    const asked = one.requests.length;
    const batch = await send(gateway.port, { body: '[{"method":"getinfo","id":1},{"method":"getinfo","id":2}]' });
    expect(JSON.parse(batch.text)).toMatchObject([{ result: 2 }, { result: 2 }]);
    expect(one.requests.length).toBe(asked);
    one.answer = result('1');
    two.answer = limited(429, '60');
    clock.ahead += 60_000;
    expect((await ask(gateway)).text).toContain('"result":1');
  });

  it('is not even probed meanwhile', async () => {
    const upstream = await upstreamOf(limited(429, '30'));
    upstream.tellsChain = true;
    const client = new NodeClient({
      ...clientParts,
      endpoints: endpointsOf({ bitcoinRpcUrl: upstream.url }),
      settings: settingsOf(),
      clock,
    });
    open.push({ stop: () => client.close() });
    await client.measure();
    expect(upstream.requests).toHaveLength(1);
    await client.measure();
    await expect(client.call('getinfo')).rejects.toMatchObject({ detail: { status: 429, retryAfter: 30 } });
    expect(upstream.requests).toHaveLength(1);
    clock.ahead += 30_000;
    await client.measure();
    expect(upstream.requests).toHaveLength(2);
  });

  it.each([
    [429, undefined, 1],
    [429, 'soon', 1],
    [429, '0', 1],
    [429, '90', 90],
    [503, '1000000', 3_600],
    [503, new Date(61_000).toUTCString(), 60],
    [503, undefined, undefined],
    [500, '5', undefined],
    [200, '5', undefined],
  ])('HTTP %i with Retry-After %s: %s seconds', (status, retryAfter, seconds) => {
    const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
    expect(tooManyCalls('http://a', { status, headers, bytes: Buffer.alloc(0) }, 1_000)?.detail?.retryAfter).toBe(
      seconds,
    );
  });
});

it('an upstream that failed gets its next trial at once where the clock was put back', () => {
  let now = 10_000;
  const upstream = new PoolUpstream('http://127.0.0.1:9', false, () => now);
  upstream.failing = true;
  expect([upstream.admit(), upstream.admit()]).toEqual([true, false]);
  now -= 9_000;
  expect([upstream.admit(), upstream.admit()]).toEqual([true, false]);
});
