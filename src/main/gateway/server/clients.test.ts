import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import BitcoinCore from 'bitcoin-core';
import BitcoindRpc from 'bitcoind-rpc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Subscriber } from 'zeromq';
import { parseBlock, toHex, txidOf } from '../../../chain/index.ts';
import { systemClock } from '../../clock.ts';
import { basic, type RunningGateway, send, startGateway } from '../test-support/gateway.ts';
import { type SandboxUpstream, startSandboxUpstream } from '../test-support/sandbox-upstream.ts';
import { clientParts, endpointsOf, quiet, settingsOf } from '../test-support/upstream.ts';
import { until } from '../test-support/zmq-node.ts';
import { NodeClient } from '../upstream/client.ts';
import { ZmqRelayService } from '../zmq/relay.ts';

const run = promisify(execFile);

let upstream: SandboxUpstream;
let gateway: RunningGateway;
let mined: string[];

beforeAll(async () => {
  upstream = await startSandboxUpstream();
  mined = await upstream.node.mine(5);
  gateway = await startGateway(upstream.url);
});

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

const rpc = async <T>(method: string, ...params: unknown[]): Promise<T> =>
  (JSON.parse((await send(gateway.port, { body: JSON.stringify({ method, params }) })).text) as { result: T }).result;

/** REST methods of bitcoin-core that its types lack. */
interface RestCalls {
  getBlockByHash(hash: string, options?: { extension: string }): Promise<unknown>;
  getBlockHeadersByHash(hash: string, count: number): Promise<unknown>;
  getBlockchainInformation(): Promise<unknown>;
}

const get = (path: string, headers: Record<string, string> = {}) =>
  send(gateway.port, { method: 'GET', path, headers: { 'content-type': '', ...headers } });

describe('the npm package bitcoin-core', () => {
  it('reads the chain with single calls and with batches', async () => {
    const host = `http://127.0.0.1:${gateway.port}`;
    const client = new BitcoinCore({ host, username: 'planchet', password: 'secret' });
    expect(await client.command('getbestblockhash')).toBe(mined.at(-1));
    expect(await client.command('getblock', mined[0], 1)).toMatchObject({ hash: mined[0], confirmations: 5 });
    const answers = await client.command([
      { method: 'getblockcount', parameters: [] },
      { method: 'getblockhash', parameters: [upstream.node.tip().height] },
    ]);
    expect(answers).toEqual([upstream.node.tip().height, mined.at(-1)]);
    await expect(client.command('sendrawtransaction', '00')).rejects.toThrow(/merchant API/);
    await expect(client.command('getblock', '00'.repeat(32))).rejects.toMatchObject({ code: -5 });
    const naming = new BitcoinCore({ host, username: 'planchet', password: 'secret', version: '0.16.0' });
    expect(await naming.command('getblockhash', { height: upstream.node.tip().height })).toBe(mined.at(-1));
    const unauthenticated = new BitcoinCore({ host, username: 'planchet', password: 'x' });
    await expect(unauthenticated.command('getblockcount')).rejects.toMatchObject({ code: 401 });
  });
});

describe('the npm package bitcoind-rpc', () => {
  const connect = () => {
    BitcoindRpc.config = { logger: 'none' };
    const { port } = gateway;
    return new BitcoindRpc({ protocol: 'http', host: '127.0.0.1', port, user: 'planchet', pass: 'secret' });
  };

  function call(method: string, ...params: unknown[]): Promise<{ error: unknown; result: unknown }> {
    const client = connect();
    const ask = client[method] as (...args: unknown[]) => void;
    return new Promise((resolve) => {
      ask.call(client, ...params, (error: unknown, answer: { result: unknown } | undefined) =>
        resolve({ error, result: answer?.result }),
      );
    });
  }

  it('reads the chain', async () => {
    expect(await call('getBestBlockHash')).toEqual({ error: null, result: mined.at(-1) });
    expect((await call('getBlock', mined[0])).result).toMatchObject({ hash: mined[0], confirmations: 5 });
    const { result } = await call('getBlockHash', upstream.node.tip().height);
    expect(result).toBe(mined.at(-1));
    expect((await call('getBlock', '00'.repeat(32))).error).toMatchObject({ code: -5 });
    expect((await call('sendRawTransaction', '00')).error).toMatchObject({ code: -32601 });
  });

  it('sends batches', async () => {
    const client = connect();
    const answers = await new Promise<unknown>((resolve, reject) => {
      client.batch(
        () => {
          client.getBlockCount();
          client.getBlockHash(1_000_000);
        },
        (error: unknown, all: unknown) => (error ? reject(error as Error) : resolve(all)),
      );
    });
    expect(answers).toMatchObject([{ result: upstream.node.tip().height }, { error: { code: -8 } }]);
  });
});

const hasWget = await run('wget', ['--version']).then(
  () => true,
  () => false,
);

// wget sends the first request without a credential, and repeats it with one after the refusal
describe.runIf(hasWget)('wget', () => {
  const login = ['--user=planchet', '--password=secret'];
  const read = async (...args: string[]): Promise<string> =>
    (await run('wget', ['-q', '-O', '-', ...login, ...args])).stdout;

  it('reads REST in all formats, and sends calls', async () => {
    const url = `http://127.0.0.1:${gateway.port}`;
    const [hash = ''] = mined;
    expect(JSON.parse(await read(`${url}/rest/chaininfo.json`))).toMatchObject({ bestblockhash: mined.at(-1) });
    const hex = await rpc<string>('getblock', hash, 0);
    expect(await read(`${url}/rest/block/${hash}.hex`)).toBe(`${hex}\n`);
    const bytes = await run('wget', ['-q', '-O', '-', `${url}/rest/block/${hash}.bin`, ...login], {
      encoding: 'buffer',
    });
    expect(bytes.stdout.toString('hex')).toBe(hex);
    expect(await read(`${url}/`, '--auth-no-challenge', '--post-data={"method":"getblockcount","id":"wget"}')).toBe(
      `{"result":${upstream.node.tip().height},"error":null,"id":"wget"}\n`,
    );
    // exit code 8: the server answered with an error
    await expect(read(`${url}/rest/tx/zz.json`)).rejects.toMatchObject({ code: 8 });
  });
});

describe('curl', () => {
  it('sends calls as in guides for full nodes, and reads REST', async () => {
    const url = `http://127.0.0.1:${gateway.port}`;
    const guide = ['-s', '--user', 'planchet:secret', '--data-binary', '{"method":"getblockcount","id":"curltest"}'];
    const { stdout } = await run('curl', [...guide, '-H', 'content-type: text/plain;', `${url}/`]);
    expect(stdout).toBe(`{"result":${upstream.node.tip().height},"error":null,"id":"curltest"}\n`);
    const form = ['-s', '-u', 'planchet:secret', '-d', '{"method":"getblockcount","id":1}', `${url}/`];
    expect(JSON.parse((await run('curl', form)).stdout)).toMatchObject({ error: null, id: 1 });
    const rest = await run('curl', ['-s', '-u', 'planchet:secret', `${url}/rest/chaininfo.json`]);
    expect(JSON.parse(rest.stdout)).toMatchObject({ chain: 'regtest', bestblockhash: mined.at(-1) });
  });
});

describe('the REST interface', () => {
  it('returns blocks and transactions as bytes, hex and JSON that agree', async () => {
    const hash = mined[1] as string;
    const hex = await rpc<string>('getblock', hash, 0);
    expect((await get(`/rest/block/${hash}.hex`)).text).toBe(`${hex}\n`);
    const bin = await get(`/rest/block/${hash}.bin`);
    expect(bin.headers['content-type']).toBe('application/octet-stream');
    const part = await get(`/rest/block/${hash}.bin`, { range: 'bytes=0-3' });
    expect(part.status).toBe(206);
    expect(part.headers['content-range']).toBe(`bytes 0-3/${hex.length / 2}`);
    const [txid] = parseBlock(Buffer.from(hex, 'hex')).transactions.map((tx) => txidOf(tx));
    const full = JSON.parse((await get(`/rest/block/${hash}.json`)).text) as { tx: { txid: string }[] };
    expect(full.tx[0]?.txid).toBe(txid);
    const light = JSON.parse((await get(`/rest/block/notxdetails/${hash}.json`)).text) as { tx: string[] };
    expect(light.tx[0]).toBe(txid);
    const tx = JSON.parse((await get(`/rest/tx/${txid}.json`)).text) as Record<string, unknown>;
    expect(tx).toMatchObject({ txid, blockhash: hash });
    expect(Object.keys(tx)).not.toContain('confirmations');
    expect((await get(`/rest/tx/${txid}.hex`)).text).toBe(`${tx.hex as string}\n`);
  });

  it('lists headers forward, plain and extended', async () => {
    const answer = await get(`/rest/headers/3/${mined[0]}.json`);
    expect((JSON.parse(answer.text) as { hash: string }[]).map(({ hash }) => hash)).toEqual(mined.slice(0, 3));
    const hex = await get(`/rest/headers/2000/${mined[3]}.hex`);
    expect(hex.text).toHaveLength(2 * 160 + 1);
    const extended = JSON.parse((await get(`/rest/headers/extended/1/${mined[0]}.json`)).text) as { tx: unknown[] }[];
    expect(extended[0]?.tx).toHaveLength(1);
  });

  it('returns unspent outputs', async () => {
    const { tx } = await rpc<{ tx: string[] }>('getblock', mined[0], 1);
    const answer = JSON.parse((await get(`/rest/getutxos/checkmempool/${tx[0]}-0/${'00'.repeat(32)}-1.json`)).text);
    expect(answer).toMatchObject({
      chainHeight: upstream.node.tip().height,
      chaintipHash: mined.at(-1),
      bitmap: '10',
      utxos: [{ height: upstream.node.tip().height - 4 }],
    });
    const hex = (await get(`/rest/getutxos/${tx[0]}-0.hex`)).text.trim();
    expect(Buffer.from(hex, 'hex').readUInt32LE(0)).toBe(upstream.node.tip().height);
  });

  it.each([
    ['/rest/block/zz.hex', 400, 'Invalid hash: zz\r\n'],
    [`/rest/block/${'00'.repeat(32)}.hex`, 404, `${'00'.repeat(32)} not found\r\n`],
    [`/rest/tx/${'00'.repeat(32)}.json`, 404, `${'00'.repeat(32)} not found\r\n`],
    [`/rest/block/${'00'.repeat(32)}.xml`, 404, 'output format not found (available: .bin, .hex, .json)\r\n'],
    ['/rest/chaininfo.bin', 404, 'output format not found (available: json)\r\n'],
    [`/rest/headers/0/${'00'.repeat(32)}.json`, 400, 'Header count out of range: 0\r\n'],
    ['/rest/headers/5.json', 400, 'No header count specified. Use /rest/headers/<count>/<hash>.<ext>.\r\n'],
    ['/rest/getutxos.json', 400, 'Error: empty request\r\n'],
    ['/rest/getutxos/x-1.json', 400, 'Parse error\r\n'],
  ])('refuses %s as a node does', async (path, status, text) => {
    expect(await get(path)).toMatchObject({ status, text });
  });

  it('accepts programs without a credential if the setting allows it, but no web page', async () => {
    const open = await startGateway(upstream.url, { settings: { gatewayOpenRest: true } });
    try {
      const ask = (headers: Record<string, string>) =>
        send(open.port, { method: 'GET', path: '/rest/chaininfo.json', headers: { authorization: '', ...headers } });
      expect((await ask({})).status).toBe(200);
      expect((await ask({ 'sec-fetch-site': 'none' })).status).toBe(401);
      expect((await ask({ origin: 'https://evil.example' })).status).toBe(403);
      expect((await ask({ authorization: basic('planchet:wrong') })).status).toBe(401);
      // this client sends no credential with REST
      const client = new BitcoinCore({ host: `http://127.0.0.1:${open.port}` }) as unknown as RestCalls;
      const hash = mined[0] as string;
      expect(await client.getBlockByHash(hash)).toMatchObject({ hash });
      const bytes = await client.getBlockByHash(hash, { extension: 'bin' });
      expect((bytes as Buffer).toString('hex')).toBe(await rpc('getblock', hash, 0));
      expect(await client.getBlockHeadersByHash(hash, 2)).toMatchObject(
        mined.slice(0, 2).map((each) => ({ hash: each })),
      );
      expect(await client.getBlockchainInformation()).toMatchObject({ chain: 'regtest' });
    } finally {
      await open.stop();
    }
  });
});

describe('a ZMQ subscriber', () => {
  // A chain of its own: the other tests know the height of theirs.
  let upstream: SandboxUpstream;
  beforeAll(async () => {
    upstream = await startSandboxUpstream();
  });
  afterAll(() => upstream.stop());

  it('written for a node’s documentation receives blocks and transactions', async () => {
    const endpoints = endpointsOf({ bitcoinZmqUrl: upstream.zmq, bitcoinRpcUrl: upstream.url });
    const node = new NodeClient({
      ...clientParts,
      endpoints,
      settings: settingsOf(),
      clock: systemClock,
    });
    const relay = new ZmqRelayService({
      settings: settingsOf(),
      endpoints,
      node,
      clock: systemClock,
      credentialsAreDefault: () => true,
      logger: quiet,
    });
    const { address = '' } = await relay.start();
    const socket = new Subscriber({ linger: 0 });
    socket.connect(address);
    const topics = ['hashblock', 'rawblock', 'rawtx'];
    socket.subscribe(...topics);
    const heard = new Map<string, Buffer>();
    const reading = (async () => {
      for await (const [topic, body, sequence] of socket) {
        expect(sequence).toHaveLength(4);
        heard.set(String(topic), body as Buffer);
      }
    })();
    // The subscriptions reach the relay with a delay.
    await until(
      () => topics.every((topic) => heard.has(topic)),
      () => upstream.node.mine(1),
    );
    const [hash] = await upstream.node.mine(1);
    await until(() => heard.get('hashblock')?.toString('hex') === hash);
    const raw = await node.call('getblock', [hash, false]);
    await until(() => toHex(heard.get('rawblock') as Buffer) === raw);
    socket.close();
    await reading;
    await relay.stop();
    await node.close();
  });
});
