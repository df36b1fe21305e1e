import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../clock.ts';
import { ResponseCache } from './cache/response-cache.ts';
import { createChainView } from './chain/create-chain-view.ts';
import { GatewayService } from './gateway.ts';
import { Authenticator } from './server/authenticator.ts';
import { chainAnswer, mineHeaders } from './test-support/chain-upstream.ts';
import { basic, send, startBefore, startGateway } from './test-support/gateway.ts';
import {
  type Answer,
  clientParts,
  endpointsOf,
  failure,
  result,
  settingsOf,
  Upstream,
} from './test-support/upstream.ts';
import { NodeClient } from './upstream/client.ts';

const open: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
});

const start = (answer: Answer, changes?: Parameters<typeof startGateway>[1]) => startBefore(open, answer, changes);

describe('a single call', () => {
  it('passes on the upstream’s bytes, with the id as the client wrote it', async () => {
    const { rpc } = await start(result('{"difficulty": 1.50000000,"big":9007199254740993,"é":"\\u00e9"}'));
    for (const id of ['1', '1.0', '9007199254740993', '"a\\u0041"', 'null', '{"x": [1]}', 'true']) {
      const answer = await rpc(`{"method":"getblockchaininfo","id":${id}}`);
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toBe('application/json');
      expect(answer.text).toBe(
        `{"result":{"difficulty": 1.50000000,"big":9007199254740993,"é":"\\u00e9"},"error":null,"id":${id}}\n`,
      );
    }
  });

  it('keeps the upstream’s own key order and extra keys', async () => {
    const { rpc } = await start(({ id }, response) => response.end(`{"jsonrpc":"2.0","id":${id},"result":1.0}`));
    expect((await rpc('{"id":7,"method":"getdifficulty"}')).text).toBe('{"jsonrpc":"2.0","id":7,"result":1.0}');
  });

  it('sends the parameters unchanged, and an empty list if there are none', async () => {
    const { rpc, upstream } = await start(result('1'));
    await rpc('{"method":"getblockhash","params":[1.0, "x\\u0041"],"id":1}');
    await rpc('{"method":"getblockcount","params":null}');
    await rpc('{"method":"getblockcount"}');
    expect(upstream.requests[0]?.text).toContain('"params":[1.0, "x\\u0041"]}');
    expect(upstream.requests.slice(1).map(({ params }) => params)).toEqual([[], []]);
  });

  it('puts named parameters in their order', async () => {
    const { rpc, upstream } = await start(result('1'));
    await rpc('{"method":"gettxout","params":{"include_mempool":false,"txid":"ab"}}');
    await rpc('{"method":"getblock","params":{"verbose":2.0,"blockhash":"cd"}}');
    await rpc('{"method":"getblockcount","params":{}}');
    expect(upstream.requests.map(({ params }) => params)).toEqual([['ab', null, false], ['cd', 2], []]);
    expect(upstream.requests[1]?.text).toContain('["cd",2.0]');
    const unknown = await rpc('{"method":"getblock","params":{"hash":"cd"},"id":3}');
    expect(unknown.status).toBe(500);
    expect(unknown.text).toBe('{"result":null,"error":{"code":-8,"message":"Unknown named parameter hash"},"id":3}\n');
  });

  it.each([
    [-5, 500],
    [-8, 500],
    [-28, 500],
    [-32600, 400],
    [-32601, 404],
  ])('answers the error %i with HTTP status %i, whatever the upstream’s status', async (code, status) => {
    for (const reported of [200, 500]) {
      const { rpc } = await start(failure(code, 'text "quoted"', reported));
      const answer = await rpc('{"method":"getblock","params":["00"],"id":"i"}');
      expect(answer.status).toBe(status);
      expect(answer.text).toBe(`{"result":null,"error":{"code":${code},"message":"text \\"quoted\\""},"id":"i"}\n`);
    }
  });

  it('relays every command of the interface', async () => {
    const { rpc, upstream } = await start(result('1'), { settings: { gatewayLocalCommands: false } });
    const commands =
      'getbestblockhash getblock getblockbyheight getblockchaininfo getblockcount getblockhash getblockheader getblockstats getblockstatsbyheight getchaintips getchaintxstats getdifficulty getmempoolancestors getmempooldescendants getmempoolentry getmempoolinfo getmerkleproof getmerkleproof2 getrawmempool getrawnonfinalmempool gettxout gettxoutproof gettxouts gettxoutsetinfo verifymerkleproof verifytxoutproof decoderawtransaction decodescript getrawtransaction getnetworkinfo getinfo help'.split(
        ' ',
      );
    expect(commands).toHaveLength(32);
    for (const method of commands) expect((await rpc({ method })).status).toBe(200);
    expect(upstream.requests.map(({ method }) => method)).toEqual(commands);
  });

  it('refuses every other command without asking the upstream', async () => {
    const { rpc, upstream } = await start(result('1'));
    for (const method of ['stop', 'getblockCount', 'constructor', '__proto__', 'dumpprivkey', 'x'.repeat(10_000)]) {
      const answer = await rpc({ method, id: 1 });
      expect(answer.status).toBe(404);
      expect(answer.text).toBe('{"result":null,"error":{"code":-32601,"message":"Method not found"},"id":1}\n');
    }
    expect(upstream.requests).toHaveLength(0);
  });

  it.each(['sendrawtransaction', 'sendrawtransactions', 'generate', 'generatetoaddress', 'sendtoaddress'])(
    'tells who calls %s where transactions go',
    async (method) => {
      const { rpc } = await start(result('1'), { mapiUrl: 'https://miner.example/mapi' });
      const answer = await rpc({ method, params: ['00'], id: 1 });
      expect(answer.status).toBe(404);
      expect(JSON.parse(answer.text)).toMatchObject({ error: { code: -32601 }, result: null });
      expect(answer.text).toContain('merchant API at https://miner.example/mapi/tx');
    },
  );

  it.each([
    ['{"method":"getinfo"', 500, -32700, 'Parse error'],
    ['', 500, -32700, 'Parse error'],
    ['\ufeff{"method":"getinfo"}', 500, -32700, 'Parse error'],
    ['"getinfo"', 500, -32700, 'Top-level object parse error'],
    ['{}', 400, -32600, 'Missing method'],
    ['{"method":null}', 400, -32600, 'Missing method'],
    ['{"method":5}', 400, -32600, 'Method must be a string'],
    ['{"method":"getinfo","params":5}', 400, -32600, 'Params must be an array or object'],
    ['{"method":"getinfo","params":"[]"}', 400, -32600, 'Params must be an array or object'],
  ])('answers %s as a node does', async (body, status, code, message) => {
    const { rpc } = await start(result('1'));
    const answer = await rpc(body);
    expect(answer.status).toBe(status);
    expect(answer.text).toBe(`{"result":null,"error":{"code":${code},"message":"${message}"},"id":null}\n`);
  });
});

describe('an upstream that misbehaves', () => {
  const cases: [string, Answer, string][] = [
    ['is a web page', (_request, response) => response.writeHead(200).end('<html>'), 'not a JSON-RPC answer'],
    [
      'has a proxy before it',
      (_request, response) => response.writeHead(502).end('<html>'),
      'is not available at the moment',
    ],
    ['refuses the key', (_request, response) => response.writeHead(401).end(), 'refused the credential'],
    [
      'answers another call',
      (_request, response) => response.end('{"result":1,"error":null,"id":3}'),
      'a different call',
    ],
    ['says nothing', (_request, response) => response.end(), 'not a JSON-RPC answer'],
    ['stays silent', () => {}, 'did not answer within 0.3 s'],
    [
      'lies about the length',
      (_request, response) => {
        response.writeHead(200, { 'content-length': 1_000 });
        response.write('{"result":1', () => response.destroy());
      },
      'broke off its answer',
    ],
    [
      'stops in the middle',
      (_request, response) => {
        response.writeHead(200, { 'content-length': 1_000 });
        response.write('{"result":1');
      },
      'did not answer within 0.3 s',
    ],
    ['cuts the connection', (_request, response) => response.destroy(), 'broke off its answer'],
    [
      'is endless nonsense',
      (_request, response) => {
        const timer = setInterval(() => response.write('x'.repeat(65_536)), 1);
        response.on('close', () => clearInterval(timer));
      },
      'not a JSON-RPC answer',
    ],
  ];
  it.each(cases)('causes error -1 with HTTP 500 when it %s', async (_what, answer, message) => {
    const bitcoinTimeout = message.includes('within') ? '300ms' : '10m';
    const { rpc } = await start(answer, { settings: { bitcoinTimeout } });
    const reply = await rpc('{"method":"getinfo","id":9}');
    expect(reply.status).toBe(500);
    expect(JSON.parse(reply.text)).toEqual({
      result: null,
      error: { code: -1, message: expect.stringContaining(message) as string },
      id: 9,
    });
  });

  it('causes an error that names the setting when it is offline, and works again when it is back', async () => {
    const { rpc, upstream } = await start(result('1'));
    await upstream.stop();
    const away = await rpc('{"method":"getinfo","id":1}');
    expect(away.status).toBe(500);
    expect(away.text).toContain('bitcoinRpcUrl');
    await upstream.start();
    expect((await rpc('{"method":"getinfo","id":1}')).status).toBe(200);
  });
});

describe('a batch', () => {
  it('answers each element in order, with its own error, while several are pending', async () => {
    // no call is answered before all three have arrived
    const held: (() => void)[] = [];
    const { rpc, upstream } = await start((request, response) => {
      held.push(() => {
        if (request.method === 'getblockhash')
          failure(-8, 'Block height out of range')(request, response, response.req);
        else result(`"${request.method}"`)(request, response, response.req);
      });
      if (held.length === 3) for (const answer of held) answer();
    });
    const answer = await rpc(
      '[{"method":"getblockcount","id":1.0}, {"method":"getblockhash","params":[-1],"id":"b"},7,{"method":"stop","id":[2]},{"method":"getinfo"}]',
    );
    expect(answer.status).toBe(200);
    expect(answer.headers['transfer-encoding']).toBe('chunked');
    expect(answer.text).toBe(
      '[{"result":"getblockcount","error":null,"id":1.0},' +
        '{"result":null,"error":{"code":-8,"message":"Block height out of range"},"id":"b"},' +
        '{"result":null,"error":{"code":-32600,"message":"Invalid Request object"},"id":null},' +
        '{"result":null,"error":{"code":-32601,"message":"Method not found"},"id":[2]},' +
        '{"result":"getinfo","error":null,"id":null}]\n',
    );
    const methods = upstream.requests.map(({ method }) => method);
    expect(methods.sort()).toEqual(['getblockcount', 'getblockhash', 'getinfo']);
    expect(held).toHaveLength(3);
  });

  it('may be empty, and may hold large answers', async () => {
    const filler = `"${'cd'.repeat(200_000)}"`;
    const { rpc } = await start(result(filler));
    expect((await rpc('[]')).text).toBe('[]\n');
    const answer = await rpc('[{"method":"getblock","id":1},{"method":"getblock","id":2}]');
    expect(JSON.parse(answer.text)).toEqual(
      [1, 2].map((id) => ({ result: JSON.parse(filler) as string, error: null, id })),
    );
  });

  it('is refused where it has more calls than the limit', async () => {
    const { rpc, upstream } = await start(result('1'));
    const calls = (n: number): string => JSON.stringify(Array.from({ length: n }, (_, id) => ({ method: 'x', id })));
    expect((JSON.parse((await rpc(calls(1_000))).text) as unknown[]).length).toBe(1_000);
    const bomb = await rpc(calls(1_001));
    expect(bomb.status).toBe(400);
    expect(JSON.parse(bomb.text)).toMatchObject({ error: { code: -32600 }, id: null });
    expect(upstream.requests).toHaveLength(0);
  });
});

describe('the gateway as a service', () => {
  it('listens only on IPv4 and IPv6 of this machine, and reports its address', async () => {
    const { gateway, rpc } = await start(result('1'));
    expect(gateway.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await rpc('{"method":"getinfo"}')).status).toBe(200);
    const v6 = await rpc('{"method":"getinfo"}', { host: '::1', headers: { host: `[::1]:${gateway.port}` } });
    expect(v6.status).toBe(200);
  });

  it('has a cookie file while it runs, with a new password each time', async () => {
    const { gateway, rpc } = await start(result('1'));
    const file = join(gateway.dataDir, '.cookie');
    const cookie = readFileSync(file, 'utf8');
    expect(cookie).toMatch(/^__cookie__:[0-9a-f]{64}$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await rpc('{"method":"getinfo"}', { headers: { authorization: basic(cookie) } })).status).toBe(200);
    await gateway.service.stop();
    expect(existsSync(file)).toBe(false);
    await gateway.service.start();
    expect(readFileSync(file, 'utf8')).not.toBe(cookie);
  });

  it('accepts no empty password', async () => {
    const { rpc } = await start(result('1'), { settings: { rpcPassword: '' } });
    expect((await rpc('{"method":"getinfo"}', { headers: { authorization: basic('planchet:') } })).status).toBe(401);
  });

  it('reports which port is in use and how to choose another', async () => {
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve));
    open.push({ stop: () => new Promise((resolve) => squatter.close(() => resolve())) });
    const { port } = squatter.address() as { port: number };
    await expect(startGateway('', { settings: { rpcBind: `:${port}` } })).rejects.toMatchObject({
      code: 'port-in-use',
      message: expect.stringContaining(String(port)),
      hint: expect.stringContaining(`planchet settings set rpcBind :${port + 1}`),
    });
  });

  it('is not reachable from other machines while the credentials are the generated ones', async () => {
    await expect(startGateway('', { settings: { rpcBind: '0.0.0.0:0' } })).rejects.toMatchObject({
      code: 'bind-refused',
      hint: expect.stringContaining('rpcPassword'),
    });
    const options = { credentialsAreDefault: () => false };
    const { gateway, rpc } = await start(result('1'), { settings: { rpcBind: '0.0.0.0:0' }, options });
    expect((await rpc('{"method":"getinfo"}')).status).toBe(200);
    const byName = await rpc('{"method":"getinfo"}', { headers: { host: `evil.example:${gateway.port}` } });
    expect(byName.status).toBe(403);
  });

  it('warns while certificates are not checked', async () => {
    const { gateway } = await start(result('1'), { settings: { ignoreCertificate: true } });
    await gateway.service.stop();
    expect(await gateway.service.start()).toMatchObject({
      warning: { message: expect.stringContaining('ignoreCertificate') },
    });
  });

  it('warns about certificates as soon as the setting changes, without a restart', async () => {
    const settings = settingsOf();
    let ignoreCertificate = false;
    const view = { ...settings, current: () => ({ ...settings.current(), ignoreCertificate }) };
    const { gateway } = await start(result('1'), { options: { settings: view } });
    expect(gateway.service.health()).toEqual({});
    ignoreCertificate = true;
    expect(gateway.service.health()).toMatchObject({
      warning: { message: expect.stringContaining('ignoreCertificate') },
    });
  });

  it('reports why it is degraded while no upstream can be asked, and recovers', async () => {
    const { gateway, rpc, upstream } = await start(result('1'));
    const second = await new Upstream(result('2')).start();
    open.push(second);
    await rpc('{"method":"getinfo"}');
    expect(gateway.service.health().degraded).toBeUndefined();
    await upstream.stop();
    await rpc('{"method":"getinfo"}');
    expect(gateway.service.health().degraded?.message).toMatch(
      /^No upstream node can be asked\. The node at .*[^.]\.$/,
    );
    await upstream.start();
    await rpc('{"method":"getinfo"}');
    expect(gateway.service.health().degraded).toBeUndefined();

    const both = await startGateway(`${upstream.url},${second.url}`);
    open.push(both);
    await upstream.stop();
    await send(both.port, { body: '{"method":"getinfo"}' });
    expect(both.service.health().degraded).toBeUndefined();
    const none = await startGateway('');
    open.push(none);
    expect(none.service.health().degraded?.message).toContain('No upstream node is set.');
    const unreadable = await startGateway('http://[half');
    open.push(unreadable);
    expect(unreadable.service.health().degraded?.message).toContain('cannot be read');
  });

  it('monitors the upstreams for other services even if its port is in use', async () => {
    const upstream = new Upstream(chainAnswer(() => ({ headers: mineHeaders(3) })));
    upstream.tellsChain = true;
    open.push(await upstream.start());
    const squatter = createServer();
    await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve));
    open.push({ stop: () => new Promise((resolve) => squatter.close(() => resolve())) });
    const settings = settingsOf({ rpcBind: `:${(squatter.address() as AddressInfo).port}` });
    const endpoints = endpointsOf({ bitcoinRpcUrl: upstream.url });
    const node = new NodeClient({ ...clientParts, endpoints, settings, clock: systemClock });
    open.push({ stop: () => node.close() });
    const dataDir = await mkdtemp(join(tmpdir(), 'planchet-gateway-'));
    open.push({ stop: () => rm(dataDir, { recursive: true, force: true }) });
    const parts = { ...clientParts, endpoints, settings, clock: systemClock, dataDir };
    const service = new GatewayService({
      ...parts,
      node,
      chain: createChainView({ ...parts, node }),
      credentialsAreDefault: () => true,
    });
    open.push(service);
    await expect(service.start()).rejects.toMatchObject({ code: 'port-in-use' });
    await expect.poll(() => node.health()).toMatchObject([{ circuit: 'closed', height: 2 }]);
  });

  it('stops while a call is pending', async () => {
    const asked = Promise.withResolvers<void>();
    // Waiting for the upstream would take longer than the test may.
    const { gateway, rpc } = await start(() => asked.resolve(), { settings: { bitcoinTimeout: '10m' } });
    const call = rpc('{"method":"getinfo","id":1}').then(
      ({ status }) => status,
      () => 'cut',
    );
    await asked.promise;
    await gateway.service.stop();
    expect([500, 'cut']).toContain(await call);
  });
});

it('a gateway that cannot remove its cookie file closes its cache all the same', async () => {
  const { gateway } = await start(result('1'));
  const closed = vi.spyOn(ResponseCache.prototype, 'close');
  onTestFinished(() => closed.mockRestore());
  vi.spyOn(Authenticator.prototype, 'withdraw').mockRejectedValueOnce(new Error('held by another program'));
  await expect(gateway.service.stop()).rejects.toThrow('held by another program');
  expect(closed).toHaveBeenCalledOnce();
});
