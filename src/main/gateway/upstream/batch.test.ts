import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../clock.ts';
import { NodeRpcError } from '../../ports/node.ts';
import { clientParts, endpointsOf, settingsOf, Upstream } from '../test-support/upstream.ts';
import { callAll } from './batch.ts';
import { NodeClient } from './client.ts';

interface Call {
  id: number;
  method: string;
  params: unknown[];
}

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0)) await part.stop();
});

/** @param answer makes the body from the calls of a batch */
async function nodeWith(answer: (calls: Call[]) => unknown): Promise<NodeClient> {
  const server = await new Upstream(({ text }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer(JSON.parse(text) as Call[])));
  }).start();
  const client = new NodeClient({
    ...clientParts,
    endpoints: endpointsOf({ bitcoinRpcUrl: server.url }),
    settings: settingsOf({ bitcoinTimeout: '60s' }),
    clock: systemClock,
  });
  open.push({ stop: () => client.close() }, server);
  return client;
}

const resultOf = ({ id, params }: Call) => ({ id, result: Number(params[0]) * 2, error: null });

describe('a batch of calls', () => {
  it('returns the results in order, whatever the order of the answers', async () => {
    const node = await nodeWith((calls) => calls.map(resultOf).reverse());
    const results = await callAll<number>(
      node,
      'double',
      Array.from({ length: 100 }, (_, n) => [n]),
    );
    expect(results).toEqual(Array.from({ length: 100 }, (_, n) => 2 * n));
  });

  it('fails with the error of its first call that was refused', async () => {
    const refused = (call: Call) => ({ id: call.id, result: null, error: { code: -8, message: `no ${call.id}` } });
    const node = await nodeWith((calls) => calls.map((call) => (call.id > 1 ? refused(call) : resultOf(call))));
    const failing = callAll(node, 'double', [[1], [2], [3], [4]]);
    await expect(failing).rejects.toEqual(new NodeRpcError(-8, 'no 2'));
  });

  it.each([
    ['an object', () => ({ id: null, result: null, error: { code: -32600, message: 'no batches' } })],
    ['too few', (calls: Call[]) => calls.slice(1).map(resultOf)],
    ['others', (calls: Call[]) => calls.map((call) => ({ ...resultOf(call), id: call.id + 7 }))],
  ])('refuses answers that are %s', async (_, answer) => {
    const node = await nodeWith(answer);
    await expect(callAll(node, 'double', [[1], [2]])).rejects.toMatchObject({ code: 'upstream-error' });
  });
});
