import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { fromHex } from '../../../chain/index.ts';
import { systemClock } from '../../clock.ts';
import { NodeRpcError } from '../../ports/node.ts';
import { chainAnswer, mineHeaders } from '../test-support/chain-upstream.ts';
import {
  type Answer,
  clientParts,
  endpointsOf,
  failure,
  result,
  settingsOf,
  Upstream,
} from '../test-support/upstream.ts';
import { NodeClient } from './client.ts';
import type { Asked } from './http-request.ts';

const open: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  for (const part of open.splice(0)) await part.stop();
});

async function upstream(answer: Answer): Promise<Upstream> {
  const server = await new Upstream(answer).start();
  open.push(server);
  return server;
}

/** @param options.timeout may be changed later */
function client(bitcoinRpcUrl: string, options: { timeout?: string; apiKey?: string } = {}): NodeClient {
  const fixed = settingsOf();
  const made = new NodeClient({
    ...clientParts,
    endpoints: endpointsOf({ bitcoinRpcUrl }),
    settings: { ...fixed, current: () => ({ ...fixed.current(), bitcoinTimeout: options.timeout ?? '60s' }) },
    clock: systemClock,
    apiKey: () => options.apiKey,
  });
  open.push({ stop: () => made.close() });
  return made;
}

const itself = (answer: Asked): Asked => answer;

/** An address that no server listens on. */
async function deadUrl(): Promise<string> {
  const server = await upstream(() => {});
  const { url } = server;
  await server.stop();
  return url;
}

async function outcome(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => ({ value }),
    (error: unknown) => error,
  );
}

describe('NodeClient.call', () => {
  it('sends a JSON-RPC request and returns the result', async () => {
    const node = await upstream(result('{"height":5}'));
    expect(await client(node.url).call('getblock', ['00', 1])).toEqual({ height: 5 });
    expect(JSON.parse(node.requests[0]?.text ?? '')).toEqual({
      jsonrpc: '1.0',
      id: 0,
      method: 'getblock',
      params: ['00', 1],
    });
  });

  it('decodes a long result that is hex, and hands on what the node refuses', async () => {
    const hex = '00ff'.repeat(500_000);
    expect(await client((await upstream(result(`"${hex}"`))).url).callBytes('getblock', ['00', 0])).toEqual(
      fromHex(hex),
    );
    expect(await client((await upstream(result('"ab"'))).url).callBytes('getblock', ['00', 0])).toEqual(
      Uint8Array.of(0xab),
    );
    const refusing = await upstream(failure(-5, 'Block not found', 500));
    expect(await outcome(client(refusing.url).callBytes('getblock', ['00', 0]))).toMatchObject({ code: -5 });
  });

  it('returns null if the node does', async () => {
    const node = await upstream(result('null'));
    expect(await client(node.url).call('gettxout', [])).toBeNull();
  });

  it.each([200, 404, 500])('turns the node’s error into NodeRpcError at HTTP %i', async (status) => {
    const node = await upstream(failure(-5, 'Block not found', status));
    const error = await outcome(client(node.url).call('getblock', ['00']));
    expect(error).toBeInstanceOf(NodeRpcError);
    expect(error).toMatchObject({ code: -5, message: 'Block not found' });
  });

  it('sends the user and password of the address, or the API key if there are none', async () => {
    const node = await upstream(result('1'));
    const withUser = node.url.replace('http://', 'http://me:p%40ss@');
    await client(withUser, { apiKey: 'key' }).call('getblockcount');
    await client(node.url, { apiKey: 'key' }).call('getblockcount');
    await client(node.url).call('getblockcount');
    expect(node.requests.map(({ authorization }) => authorization)).toEqual([
      `Basic ${Buffer.from('me:p@ss').toString('base64')}`,
      'Bearer key',
      undefined,
    ]);
  });

  it('refuses to send a key that would end the request head early', async () => {
    const node = await upstream(result('1'));
    const made = client(node.url, { apiKey: 'key\r\nX-Forged: 1' });
    expect(await outcome(made.call('getinfo'))).toMatchObject({ code: 'upstream-unreachable' });
    const read = { wholeBytes: 100 };
    expect(made.post('{"id":1}', { answered: () => {}, failed: () => {} }, 100)).toBeUndefined();
    expect(await outcome(made.ask('{"id":1}', read, () => 1))).toMatchObject({ code: 'upstream-unreachable' });
    expect(node.requests).toHaveLength(0);
  });

  it('reports that no upstream is set', async () => {
    expect(await outcome(client('').call('getinfo'))).toMatchObject({
      code: 'upstream-unreachable',
      hint: expect.stringContaining('bitcoinRpcUrl'),
    });
  });

  it.each(['http://[half', 'http://me:%zz@127.0.0.1:1', 'http://host:99999'])(
    'says that %s is no address',
    async (url) => {
      const error = await outcome(client(url).call('getinfo'));
      expect(error).toMatchObject({ code: 'settings-invalid', hint: expect.stringContaining('http://') });
      expect(String(error)).not.toContain('me:');
    },
  );

  it('reports that the address does not accept connections, without showing the password', async () => {
    const url = (await deadUrl()).replace('http://', 'http://me:hunter2@');
    const error = await outcome(client(url).call('getinfo'));
    expect(error).toMatchObject({ code: 'upstream-unreachable', hint: expect.stringContaining('bitcoinRpcUrl') });
    expect(String(error)).not.toContain('hunter2');
  });

  it('times out after bitcoinTimeout, both before the head and within the body', async () => {
    const silent = await upstream(() => {});
    const slow = await upstream((_request, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('{"result":');
    });
    for (const { url } of [silent, slow]) {
      expect(await outcome(client(url, { timeout: '100ms' }).call('getinfo'))).toMatchObject({
        code: 'upstream-timeout',
      });
    }
  });

  it('stops when the signal aborts', async () => {
    const silent = await upstream(() => {});
    const abort = new AbortController();
    const call = outcome(client(silent.url).call('getinfo', [], { signal: abort.signal }));
    abort.abort();
    expect(await call).toMatchObject({ code: 'cancelled' });
  });

  const nonsense: [string, Answer][] = [
    ['a page', (_request, response) => response.writeHead(502).end('<html>Bad gateway</html>')],
    ['an array', (_request, response) => response.end('[1]')],
    ['another id', (_request, response) => response.end('{"result":1,"error":null,"id":99}')],
    ['no result', ({ id }, response) => response.end(`{"id":${id}}`)],
    ['an error of no shape', ({ id }, response) => response.end(`{"error":"slow down","id":${id}}`)],
    [
      'a broken-off answer',
      (_request, response) => {
        response.writeHead(200, { 'content-length': 100 });
        response.write('{"result":', () => response.destroy());
      },
    ],
    ['half an answer', (_request, response) => response.end('{"result":1')],
  ];
  it.each(nonsense)('refuses %s', async (_what, answer) => {
    const node = await upstream(answer);
    expect(await outcome(client(node.url).call('getinfo'))).toMatchObject({ code: 'upstream-error' });
  });

  it('reports that the credential was refused', async () => {
    const node = await upstream((_request, response) => response.writeHead(401).end());
    expect(await outcome(client(node.url).call('getinfo'))).toMatchObject({
      code: 'upstream-error',
      message: expect.stringContaining('refused the credential'),
      hint: expect.stringContaining('apiKey'),
    });
  });

  it('refuses a node that does not speak HTTP', async () => {
    const server = createServer((socket) => socket.resume().end('SSH-2.0-OpenSSH\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push({ stop: () => new Promise((resolve) => server.close(() => resolve())) });
    const { port } = server.address() as { port: number };
    expect(await outcome(client(`http://127.0.0.1:${port}`).call('getinfo'))).toMatchObject({
      code: 'upstream-error',
    });
  });

  it('uses the first node that answers, and asks a failed one last for a while', async () => {
    const dead = await deadUrl();
    const alive = await upstream(result('7'));
    const node = client(`${dead} , ${alive.url}`);
    expect(await node.call('getblockcount')).toBe(7);
    expect(await node.call('getblockcount')).toBe(7);
    expect(alive.requests).toHaveLength(2);
  });

  it('does not ask a second node if the first answers with an error', async () => {
    const first = await upstream(failure(-8, 'Block height out of range'));
    const second = await upstream(result('1'));
    expect(await outcome(client(`${first.url},${second.url}`).call('getblockhash', [9]))).toMatchObject({ code: -8 });
    expect(second.requests).toHaveLength(0);
  });

  it('works again when the node is back', async () => {
    const node = await upstream(result('1'));
    const rpc = client(node.url);
    expect(await rpc.call('getblockcount')).toBe(1);
    await node.stop();
    expect(await outcome(rpc.call('getblockcount'))).toMatchObject({ name: 'PlanchetError' });
    await node.start();
    expect(await rpc.call('getblockcount')).toBe(1);
  });
});

describe('NodeClient.ask', () => {
  it('returns a small answer as a whole, and streams a large one', async () => {
    const first = Promise.withResolvers<void>();
    let rest = Promise.resolve();
    const node = await upstream((_request, response) => {
      response.write('{"result":');
      void rest.then(() => response.end('1}'));
    });
    const whole = await client(node.url).ask('{"id":1}', { wholeBytes: 100 }, itself);
    expect({ status: whole.status, text: whole.bytes.toString(), rest: whole.rest }).toEqual({
      status: 200,
      text: '{"result":1}',
      rest: undefined,
    });
    rest = first.promise;
    const flowing = await client(node.url).ask('{"id":1}', { wholeBytes: 5 }, itself);
    const pieces = [flowing.bytes.toString()];
    first.resolve();
    for await (const piece of flowing.rest ?? []) pieces.push(piece.toString());
    expect(pieces).toEqual(['{"result":', '1}']);
  });

  it('limits the wait for each piece, not for the whole answer', async () => {
    const node = await upstream((_request, response) => {
      let sent = 0;
      const timer = setInterval(() => {
        response.write(sent === 0 ? '{'.padEnd(1_024) : ' '.repeat(1_024));
        sent += 1;
        if (sent === 5) clearInterval(timer);
      }, 700);
    });
    // less than all of them take, and as much more than one as a loaded machine may need
    const answer = await client(node.url, { timeout: '3s' }).ask('{"id":1}', { wholeBytes: 0 }, itself);
    let pieces = 1;
    const reading = (async () => {
      for await (const _piece of answer.rest ?? []) pieces += 1;
    })();
    expect(await outcome(reading)).toMatchObject({ code: 'upstream-timeout' });
    expect(pieces).toBe(5);
  });

  it('tries the next node when a proxy answers for a dead one', async () => {
    const proxy = await upstream((_request, response) => response.writeHead(503).end('no server'));
    const alive = await upstream(result('1'));
    const answer = await client(`${proxy.url},${alive.url}`).ask('{"id":1}', { wholeBytes: 1_000 }, itself);
    expect(answer.status).toBe(200);
  });
});

describe('NodeClient with several upstreams', () => {
  it('also asks the second if the first is slower than usual, and uses the first answer', async () => {
    let held = false;
    const waiting: (() => void)[] = [];
    // an upstream that does not report its chain is not used for hedging
    const reported = { headers: mineHeaders(2) };
    const one = await upstream(
      chainAnswer(
        () => reported,
        (request, response, raw) => {
          const answer = (): void => result('"one"')(request, response, raw);
          if (held) waiting.push(answer);
          else answer();
        },
      ),
    );
    const two = await upstream(chainAnswer(() => reported, result('"two"')));
    one.tellsChain = true;
    two.tellsChain = true;
    const node = client(`${one.url},${two.url}`, { timeout: '60s' });
    const ask = async (): Promise<string> => (await node.ask('{"id":1}', { wholeBytes: 100 }, itself)).bytes.toString();
    // only until the latency is known: from then on, late calls share the limited number of hedged calls
    while ((node.health()[0]?.p95 ?? null) === null) await ask();
    held = true;
    expect(await ask()).toContain('"two"');
    expect(waiting).toHaveLength(1);
    expect(two.requests.some(({ method }) => method === undefined)).toBe(true);
  });

  it('tries a dead one once at a time, and fails the other calls at once with the reason', async () => {
    // A port that accepts connections and never answers.
    const silent = await upstream(() => {});
    const options = { timeout: '400ms' };
    const node = client(silent.url, options);
    for (let n = 0; n < 3; n++) await outcome(node.call('getinfo'));
    const calls = silent.requests.length;
    let tried = false;
    const trial = outcome(node.call('getinfo')).finally(() => {
      tried = true;
    });
    const others = await Promise.all(Array.from({ length: 20 }, () => outcome(node.call('getinfo'))));
    expect(tried).toBe(false);
    for (const other of others) expect(other).toMatchObject({ code: 'upstream-timeout' });
    await trial;
    expect(silent.requests.length).toBe(calls + 1);
    expect(node.health()[0]).toMatchObject({ circuit: 'open', failures: 4 });
    silent.answer = result('1');
    // a loaded machine answers later
    options.timeout = '60s';
    expect(await node.call('getinfo')).toBe(1);
    expect(node.health()[0]).toMatchObject({ circuit: 'closed' });
  });

  it('sends the API key in the header of the setting', async () => {
    const node = await upstream((request, response, raw) => {
      result(JSON.stringify(raw.headers['x-api-key'] ?? null))(request, response, raw);
    });
    const made = new NodeClient({
      ...clientParts,
      endpoints: endpointsOf({ bitcoinRpcUrl: node.url }),
      settings: settingsOf({ apiKeyHeader: 'X-Api-Key' }),
      clock: systemClock,
      apiKey: () => 'k-1',
    });
    open.push({ stop: () => made.close() });
    expect(await made.call('getinfo')).toBe('k-1');
    expect(node.requests[0]?.authorization).toBeUndefined();
  });
});
