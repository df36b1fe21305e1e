import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestNode, type TestNode } from '../test-support/open-node.ts';
import { createNodeRpc } from './dispatcher.ts';
import { registerNodeRpc } from './server.ts';

const right = { authorization: `Basic ${Buffer.from('user:pass:word').toString('base64')}` };

let opened: TestNode;
let app: FastifyInstance;
let url = '';
beforeAll(async () => {
  opened = await openTestNode();
  app = fastify();
  await app.register(registerNodeRpc, {
    prefix: '/rpc',
    rpc: createNodeRpc(opened.node),
    username: 'user',
    password: 'pass:word',
  });
  url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/rpc`;
});
afterAll(async () => {
  await app.close();
  await opened.remove();
});

async function post(body: unknown, headers: Record<string, string> = right): Promise<Response> {
  return fetch(url, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
}

async function textOf(body: unknown): Promise<[number, string]> {
  const response = await post(body);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  return [response.status, await response.text()];
}

it('the RPC server yields to the event loop during a long batch', async () => {
  const rpc = createNodeRpc(opened.node);
  let turn = 0;
  const turns = new Set<number>();
  const counted = fastify();
  await counted.register(registerNodeRpc, {
    rpc: {
      ...rpc,
      dispatch: (method, params) => {
        turns.add(turn);
        return rpc.dispatch(method, params);
      },
    },
    username: 'user',
    password: 'pass:word',
  });
  const origin = await counted.listen({ host: '127.0.0.1', port: 0 });
  const next = (): void => {
    turn++;
    ticking = setImmediate(next);
  };
  let ticking = setImmediate(next);
  const calls = Array.from({ length: 40_000 }, (_, id) => ({ method: 'getblockcount', id }));
  const answer = await fetch(origin, { method: 'POST', headers: right, body: JSON.stringify(calls) });
  const replies = (await answer.json()) as { result: number; id: number }[];
  clearImmediate(ticking);
  await counted.close();
  expect(replies.map(({ id }) => id)).toEqual(calls.map(({ id }) => id));
  expect(replies.every(({ result }) => result === 120)).toBe(true);
  // without a pause all of them are answered in one
  expect(turns.size).toBeGreaterThan(3);
});

describe('the RPC work queue', () => {
  it('runs four requests, queues sixteen, and refuses more', async () => {
    const slow = await openTestNode();
    const finish: (() => void)[] = [];
    const held = createNodeRpc(slow.node);
    const queued = fastify();
    await queued.register(registerNodeRpc, {
      rpc: {
        ...held,
        dispatch: async () => {
          await new Promise<void>((resolve) => finish.push(resolve));
          return 1;
        },
      },
      username: 'user',
      password: 'pass:word',
    });
    const at = await queued.listen({ host: '127.0.0.1', port: 0 });
    const call = () => fetch(at, { method: 'POST', headers: right, body: '{"method":"getblockcount"}' });
    const answers = Array.from({ length: 20 }, async () => (await call()).status);
    await expect.poll(() => finish.length).toBe(4);
    // the other sixteen are on their way here or wait already
    const refused = await expect.poll(async () => {
      const probe = fetch(`${at}/rest/tx/x.bin`, { signal: AbortSignal.timeout(200) });
      const answer = await probe.catch(() => undefined);
      return answer && [answer.status, answer.headers.get('content-type'), await answer.text()];
    });
    await refused.toEqual([500, 'text/plain', 'Work queue depth exceeded']);
    for (let done = 0; done < 20; done++) {
      await expect.poll(() => finish.length).toBeGreaterThan(done);
      finish[done]?.();
    }
    expect(await Promise.all(answers)).toEqual(Array(20).fill(200));
    const again = call();
    await expect.poll(() => finish.length).toBe(21);
    finish[20]?.();
    expect((await again).status).toBe(200);
    await queued.close();
    await slow.remove();
  });
});

describe('access to the RPC server', () => {
  it('checks credentials before it reads the body', async () => {
    const response = await post('not json', {});
    expect([response.status, response.headers.get('www-authenticate'), await response.text()]).toEqual([
      401,
      'Basic realm="jsonrpc"',
      '',
    ]);
  });

  it('delays the answer to wrong credentials', async () => {
    const started = performance.now();
    const wrong = `Basic ${Buffer.from('user:other').toString('base64')}`;
    for (const authorization of [wrong, 'Bearer abc']) {
      expect((await post({ method: 'getblockcount' }, { authorization })).status).toBe(401);
    }
    expect(performance.now() - started).toBeGreaterThan(490);
  });

  it('serves POST only, on this path only', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS']) {
      const response = await fetch(url, { method, headers: right });
      expect([response.status, await response.text()]).toEqual([405, 'JSONRPC server handles only POST requests']);
    }
    const elsewhere = await fetch(`${url}/elsewhere`, { method: 'POST', headers: right, body: '{}' });
    expect([elsewhere.status, await elsewhere.text()]).toEqual([404, '']);
    expect(
      (await fetch(`${url}/`, { method: 'POST', headers: right, body: '{"method":"getblockcount"}' })).status,
    ).toBe(200);
  });
});

describe('the RPC server', () => {
  it('answers with ordered keys and a newline, for any content type', async () => {
    expect(await textOf({ jsonrpc: '2.0', id: 'x', method: 'getblockcount', params: [] })).toEqual([
      200,
      '{"result":120,"error":null,"id":"x"}\n',
    ]);
    const response = await post({ method: 'getblockcount' }, { ...right, 'content-type': 'text/plain' });
    expect(await response.text()).toBe('{"result":120,"error":null,"id":null}\n');
  });

  it('returns a specific status for each kind of failure', async () => {
    const error = (code: number, message: string, id: unknown = null) =>
      `${JSON.stringify({ result: null, error: { code, message }, id })}\n`;
    expect(await textOf('{"method":')).toEqual([500, error(-32700, 'Parse error')]);
    expect(await textOf('')).toEqual([500, error(-32700, 'Parse error')]);
    const deep = (levels: number) => `{"method":"nope","id":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    expect(await textOf(deep(513))).toEqual([500, error(-32700, 'Parse error')]);
    expect(await textOf(deep(100_000))).toEqual([500, error(-32700, 'Parse error')]);
    expect((await textOf(deep(500)))[0]).toBe(404);
    expect(await textOf('7')).toEqual([500, error(-32700, 'Top-level object parse error')]);
    expect(await textOf({ id: 1 })).toEqual([400, error(-32600, 'Missing method', 1)]);
    expect(await textOf({ id: 1, method: 5 })).toEqual([400, error(-32600, 'Method must be a string', 1)]);
    expect(await textOf({ id: 1, method: 'help', params: 'x' })).toEqual([
      400,
      error(-32600, 'Params must be an array or object', 1),
    ]);
    expect(await textOf({ id: [1], method: 'nope' })).toEqual([404, error(-32601, 'Method not found', [1])]);
    expect(await textOf({ id: 2, method: 'getblockhash', params: [9_999] })).toEqual([
      500,
      error(-8, 'Block height out of range', 2),
    ]);
    expect(await textOf({ id: 2, method: 'getblockhash', params: { size: 1 } })).toEqual([
      500,
      error(-8, 'Unknown named parameter size', 2),
    ]);
  });

  it('refuses an oversized body', async () => {
    const response = await post(`"${'a'.repeat(33 * 1024 * 1024)}"`);
    expect([response.status, await response.text()]).toEqual([413, '']);
  });

  it('answers a batch item by item, always with 200', async () => {
    const [status, text] = await textOf([
      { id: 1, method: 'getblockcount' },
      'nonsense',
      { id: 2, method: 'nope' },
      { id: 3, method: 'getrawmempool' },
    ]);
    expect(status).toBe(200);
    expect(text).toBe(
      '[{"result":120,"error":null,"id":1},' +
        '{"result":null,"error":{"code":-32600,"message":"Invalid Request object"},"id":null},' +
        '{"result":null,"error":{"code":-32601,"message":"Method not found"},"id":2},' +
        '{"result":[],"error":null,"id":3}]\n',
    );
    expect(await textOf([])).toEqual([200, '[]\n']);
  });

  it('streams what the node streams, without a newline', async () => {
    const response = await post({ id: 1, method: 'getrawmempool' });
    expect(response.headers.get('transfer-encoding')).toBe('chunked');
    expect(response.headers.get('content-length')).toBeNull();
    expect(await response.text()).toBe('{"result":[],"error":null,"id":1}');
  });
});
