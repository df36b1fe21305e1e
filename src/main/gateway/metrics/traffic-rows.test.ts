import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GatewayCall } from '../../../contract/index.ts';
import { type RunningGateway, type Sent, send, startGateway } from '../test-support/gateway.ts';
import { failure, result, Upstream } from '../test-support/upstream.ts';

let upstream: Upstream;
let gateway: RunningGateway;

beforeEach(async () => {
  upstream = await new Upstream(result('1')).start();
  gateway = await startGateway(upstream.url);
});
afterEach(async () => {
  await gateway.stop();
  await upstream.stop();
});

/** Sends a request and returns its row in the traffic. */
async function rowOf(sent: Sent | string): Promise<Partial<GatewayCall>> {
  await send(gateway.port, typeof sent === 'string' ? { body: sent } : sent);
  const { value } = await gateway.service.traffic.watch(undefined).next();
  const row = value?.calls.at(-1);
  expect(row, 'the request left a row').toBeDefined();
  const { method, source, status, reason, failure, params } = row as GatewayCall;
  return { method, source, status, reason, failure, params };
}

describe('the histograms', () => {
  it('count answered calls by command and by client, and refused calls for no client', async () => {
    for (let n = 0; n < 3; n++) await send(gateway.port, { body: '{"method":"getinfo"}' });
    await send(gateway.port, { body: '{"method":"getblockcount"}' });
    await send(gateway.port, { body: '{"method":"getwalletinfo"}' });
    await send(gateway.port, { body: '{}', headers: { authorization: 'Basic eDp5' } });
    const { byCommand, byKey, bounds } = gateway.service.traffic.histograms();
    const calls = (of: typeof byKey): Record<string, number> =>
      Object.fromEntries(of.map(({ name, counts }) => [name, counts.reduce((sum, count) => sum + count, 0)]));
    expect(calls(byCommand)).toEqual({ getinfo: 3, getblockcount: 1 });
    expect(calls(byKey)).toEqual({ planchet: 4 });
    expect(byKey[0]?.counts).toHaveLength(bounds.length + 1);
    expect(byKey[0]?.sum).toBeGreaterThan(0);
  });
});

describe('a row of the traffic', () => {
  it('names an unknown command, which is not counted by method', async () => {
    expect(await rowOf('{"method":"getwalletinfo","params":["x"],"id":1}')).toEqual({
      method: 'getwalletinfo',
      source: 'refused',
      status: 404,
      reason: 'Method not found',
      failure: null,
      params: '["x"]',
    });
    for (let n = 0; n < 100; n++) await rowOf(`{"method":"nonsense${n}"}`);
    expect((await rowOf(`{"method":"${'x'.repeat(10_000)}"}`)).method).toBe('x'.repeat(64));
    await rowOf('{"method":"getinfo"}');
    expect(gateway.service.traffic.methods().map(({ method }) => method)).toEqual(['getinfo']);
  });

  it('shows why a call failed: the node’s error, or why no node answered', async () => {
    upstream.answer = failure(-5, 'Block not found');
    const row = { method: 'getblockheader', source: 'upstream', status: 500 };
    expect(await rowOf('{"method":"getblockheader","params":["00"]}')).toMatchObject({
      ...row,
      reason: 'Block not found',
      failure: null,
    });
    await upstream.stop();
    const unanswered = {
      // it broke off if the connection was still open, else it cannot be reached
      reason: expect.stringMatching(/^The node at http.*[^.]\. Check .*\.$/),
      failure: { id: expect.stringMatching(/^upstream\./), values: { origin: upstream.url } },
    };
    expect(await rowOf('{"method":"getblockheader","params":["00"]}')).toMatchObject(unanswered);
    expect((await gateway.service.status()).upstreams).toMatchObject([{ failure: unanswered.failure }]);
    const rest = await rowOf({ method: 'GET', path: '/rest/chaininfo.json' });
    expect(rest).toMatchObject({ ...unanswered, method: 'REST', status: 503 });
  });

  it('names the entry of the catalogue where a request is refused without a word', async () => {
    expect((await rowOf({ headers: { authorization: 'Basic eDp5' } })).failure?.id).toBe('gateway.credential-wrong');
    expect((await rowOf({ path: '/x' })).failure?.id).toBe('gateway.path-unknown');
  });

  it.each<[string, Sent, string]>([
    ['a page', { headers: { origin: 'https://app.example' } }, 'Allow its origin under Gateway, Keys'],
    ['a wrong password', { headers: { authorization: 'Basic eDp5' } }, 'Gateway, Connect shows the right one'],
    ['an unknown path', { path: '/x' }, 'no such path'],
    ['a batch that is too long', { body: `[${'1,'.repeat(1_000)}1]` }, 'at most 1000 calls'],
    ['no JSON', { body: '{' }, 'Parse error'],
  ])('shows why %s is refused, with a hint', async (_what, sent, reason) => {
    expect(await rowOf(sent)).toMatchObject({ source: 'refused', reason: expect.stringContaining(reason) });
  });
});

describe('the console', () => {
  it('shows help and decodes even while no node is reachable', async () => {
    await upstream.stop();
    const { service } = gateway;
    expect(await service.call('help', ['getblock'])).toEqual({
      result: expect.stringContaining('getblock "blockhash"') as string,
      error: null,
    });
    expect(await service.call('decodescript', ['51'])).toMatchObject({ result: { asm: '1' } });
    expect(await service.call('decodescript', [`51${'61'.repeat(20_000)}`])).toMatchObject({
      result: { type: 'nonstandard' },
    });
    expect(await service.call('decoderawtransaction', ['00'])).toMatchObject({ error: { code: -22 } });
    await expect(service.call('getinfo', [])).rejects.toThrow('The node at http');
    expect(await service.call('sendtoaddress', [])).toMatchObject({ error: { code: -32601 } });
    const { value } = await service.traffic.watch(undefined).next();
    expect(
      value?.calls.toReversed().map(({ method, source, reason }) => [method, source, reason?.slice(0, 17) ?? null]),
    ).toEqual([
      ['sendtoaddress', 'refused', 'Method not found:'],
      ['getinfo', 'upstream', 'The node at http:'],
      ['decoderawtransaction', 'local', 'TX decode failed'],
      ['decodescript', 'local', null],
      ['decodescript', 'local', null],
      ['help', 'local', null],
    ]);
  });
});
