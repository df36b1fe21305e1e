import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { selfSigned } from '../test-support/certificate.ts';
import { basic, type RunningGateway, send, startGateway } from '../test-support/gateway.ts';
import { HandClock } from '../test-support/hand-clock.ts';
import { type SandboxUpstream, startSandboxUpstream } from '../test-support/sandbox-upstream.ts';
import { type Answer, failure, result, Upstream } from '../test-support/upstream.ts';

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
});

async function gatewayAt(url: string, changes: Parameters<typeof startGateway>[1] = {}): Promise<RunningGateway> {
  const gateway = await startGateway(url, changes);
  open.push(gateway);
  return gateway;
}

async function upstreamOf(answer: Answer): Promise<Upstream> {
  const upstream = await new Upstream(answer).start();
  open.push(upstream);
  return upstream;
}

async function call(gateway: RunningGateway, method: string, ...params: unknown[]) {
  const { status, headers, text } = await send(gateway.port, { body: JSON.stringify({ method, params, id: 1 }) });
  const { result: value, error } = JSON.parse(text) as { result: unknown; error: { message: string } | null };
  return { status, age: headers.age, text, value, error };
}

describe('while every upstream is down', () => {
  it('the last tip is served with its age, immutable answers are served, and the rest fails at once with the reason', async () => {
    const upstream = await startSandboxUpstream();
    const hashes = await upstream.node.mine(10);
    const [first] = hashes as [string];
    // Where anything waited for the time limit, the test would take too long.
    const gateway = await gatewayAt(`${upstream.url},${upstream.url}`, { settings: { bitcoinTimeout: '10m' } });
    const raw = await call(gateway, 'getblock', first, 0);
    const verbose = await call(gateway, 'getblock', first, 1);
    const headers = await call(gateway, 'getblockheader', first, true);
    const [second] = hashes.slice(1) as [string];
    const proof = await call(gateway, 'getblockstats', second, ['txs']);
    // as the application does with each block; cached answers are not checked again before the upstream stops
    gateway.service.blockAnnounced();
    await expect.poll(async () => (await gateway.service.status()).tip?.hash).toBe(hashes.at(-1));
    await upstream.stop();

    const tip = await call(gateway, 'getbestblockhash');
    expect(tip).toMatchObject({ status: 200, value: hashes.at(-1) });
    expect(Number(tip.age)).toBeGreaterThanOrEqual(0);
    expect(await call(gateway, 'getblockcount')).toMatchObject({ status: 200, age: expect.any(String) as string });
    expect(await call(gateway, 'getblock', first, 0)).toEqual({ ...raw, age: undefined });
    expect(await call(gateway, 'getblock', first, 1)).toEqual({ ...verbose, age: expect.any(String) as string });
    expect((await call(gateway, 'getblockheader', first, true)).text).toBe(headers.text);
    expect(await call(gateway, 'getblockstats', second, ['txs'])).toMatchObject({ text: proof.text, age: tip.age });
    const rest = await send(gateway.port, { method: 'GET', path: `/rest/block/${first}.hex` });
    expect(rest).toMatchObject({ status: 200, text: `${String(raw.value)}\n` });
    const bare = await send(gateway.port, { method: 'GET', path: `/rest/block/notxdetails/${first}.json` });
    expect(bare).toMatchObject({ status: 200, headers: { age: expect.any(String) as string } });
    expect(JSON.parse(bare.text)).toEqual(verbose.value);

    // in a batch too, through both servers
    const batch = `[{"method":"getblockcount","id":1},{"method":"getblock","params":["${first}",0],"id":2}]`;
    for (const others of [{}, { 'x-other': '1' }]) {
      const together = await send(gateway.port, { body: batch, headers: others as Record<string, string> });
      expect(together.headers.age).toMatch(/^\d+$/);
      expect(JSON.parse(together.text)).toMatchObject([{ result: upstream.node.tip().height }, { result: raw.value }]);
      const local = await send(gateway.port, {
        body: '[{"method":"help","id":1}]',
        headers: others as Record<string, string>,
      });
      expect(local.headers.age).toBeUndefined();
    }

    for (const [method, ...params] of [
      ['getmempoolinfo'],
      ['gettxout', '00'.repeat(32), 0],
      ['getblock', '00'.repeat(32)],
    ]) {
      const refused = await call(gateway, method as string, ...params);
      expect(refused).toMatchObject({ status: 500, age: undefined });
      expect(refused.error?.message).toMatch(/cannot be reached.*bitcoinRpcUrl/);
    }
    const refused = await send(gateway.port, { method: 'GET', path: '/rest/chaininfo.json' });
    expect(refused.status).toBe(503);
    expect(refused.text).toContain('cannot be reached');
  });
});

describe('restarted while every upstream is down', () => {
  it('the last tip is served with its age, and cached answers are served', async () => {
    const upstream = await startSandboxUpstream();
    const folder = await mkdtemp(join(tmpdir(), 'planchet-cache-'));
    open.push({ stop: () => rm(folder, { recursive: true, force: true }) });
    const options = { cacheFile: join(folder, 'cache.db') };
    const hashes = await upstream.node.mine(12);
    const [first] = hashes as [string];
    const before = await startGateway(upstream.url, { options });
    const raw = await call(before, 'getblock', first, 0);
    const verbose = await call(before, 'getblock', first, 1);
    before.service.blockAnnounced();
    await expect.poll(async () => (await before.service.status()).tip?.hash).toBe(hashes.at(-1));
    const { height } = (await before.service.status()).tip ?? {};
    await before.stop();
    await upstream.stop();

    const after = await gatewayAt(upstream.url, { options });
    const age = expect.stringMatching(/^\d+$/) as string;
    expect(await call(after, 'getblockcount')).toMatchObject({ status: 200, value: height, age });
    expect(await call(after, 'getbestblockhash')).toMatchObject({ status: 200, value: hashes.at(-1), age });
    expect(await call(after, 'getblock', first, 0)).toEqual({ ...raw, age: undefined });
    expect(await call(after, 'getblock', first, 1)).toEqual({ ...verbose, age });
    expect((await after.service.status()).tip).toMatchObject({ hash: hashes.at(-1), height });
  });
});

describe('a block in which the upstream changed a transaction', () => {
  it('is passed on, but not cached', async () => {
    const node = await startSandboxUpstream();
    open.push(node);
    const [hash] = (await node.node.mine(1)) as [string];
    const real = JSON.parse(
      (
        await send(node.port, {
          body: JSON.stringify({ method: 'getblock', params: [hash, 0] }),
          headers: { authorization: basic('me:up') },
        })
      ).text,
    ) as { result: string };
    // the last byte before the lock time, in the script of the last output
    const at = real.result.length - 10;
    const altered = `${real.result.slice(0, at)}${real.result[at] === '0' ? '1' : '0'}${real.result.slice(at + 1)}`;
    const upstream = await upstreamOf(result(`"${altered}"`));
    const gateway = await gatewayAt(upstream.url);
    const blocks = () => upstream.requests.filter(({ method }) => method === 'getblock').length;
    for (let n = 1; n <= 2; n++) {
      expect((await call(gateway, 'getblock', hash, 0)).value).toBe(altered);
      expect(blocks()).toBe(n);
    }
    upstream.answer = result(`"${real.result}"`);
    for (let n = 0; n < 2; n++) expect((await call(gateway, 'getblock', hash, 0)).value).toBe(real.result);
    expect(blocks()).toBe(3);
  });
});

describe('the cache on the disk', () => {
  async function filled(): Promise<{
    upstream: SandboxUpstream;
    cacheFile: string;
    folder: string;
    asked: () => Promise<string[]>;
  }> {
    const upstream = await startSandboxUpstream();
    open.push(upstream);
    const folder = await mkdtemp(join(tmpdir(), 'planchet-cache-'));
    open.push({ stop: () => rm(folder, { recursive: true, force: true }) });
    const cacheFile = join(folder, 'cache.db');
    const hashes = await upstream.node.mine(12);
    const questions = hashes.slice(0, 4).flatMap((hash) => [
      ['getblock', hash, 0],
      ['getblock', hash, 1],
      ['getblockheader', hash, false],
    ]);
    const asked = async (): Promise<string[]> => {
      const gateway = await startGateway(upstream.url, { options: { cacheFile } });
      try {
        const texts: string[] = [];
        for (const [method, ...params] of questions)
          texts.push((await call(gateway, method as string, ...params)).text);
        return texts;
      } finally {
        await gateway.stop();
      }
    };
    return { upstream, cacheFile, folder, asked };
  }

  it('answers after a restart, after only the tip was read from an upstream', async () => {
    const { upstream, asked } = await filled();
    const first = await asked();
    const before = upstream.methods.length;
    expect(await asked()).toEqual(first);
    // cached answers need their blocks to be on the chain still
    const again = new Set(upstream.methods.slice(before));
    // the monitor asks each upstream for this
    again.delete('getblockchaininfo');
    expect(again).toEqual(new Set(['getbestblockhash', 'getblockhash', 'getblockheader']));
  });

  const damages: [string, (file: string) => Promise<void>][] = [
    ['garbage', (file) => writeFile(file, 'x'.repeat(100_000))],
    ['empty', (file) => writeFile(file, '')],
    ['cut short', async (file) => truncate(file, Math.floor((await readFile(file)).length / 2))],
    [
      'full of wrong bytes',
      async (file) => {
        const bytes = await readFile(file);
        for (let at = 5_000; at < bytes.length; at += 101) bytes[at] = (bytes[at] as number) ^ 0x15;
        await writeFile(file, bytes);
      },
    ],
  ];
  it.each(damages)('is not used if it is %s', async (_what, damage) => {
    const { folder, asked } = await filled();
    const first = await asked();
    const files = await readdir(folder);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) await damage(join(folder, file));
    expect(await asked()).toEqual(first);
    // the recreated cache works again
    expect(await asked()).toEqual(first);
  });
});

describe('answers that depend on the tip', () => {
  it('are shared for the time of the setting, at most until a block is announced', async () => {
    const upstream = await upstreamOf(result('{"size":1}'));
    const clock = new HandClock();
    const gateway = await gatewayAt(upstream.url, { settings: { gatewayShareFor: '250ms' }, options: { clock } });
    const calls = () => upstream.requests.filter(({ method }) => method === 'getmempoolinfo').length;
    await call(gateway, 'getmempoolinfo');
    clock.time += 249;
    await call(gateway, 'getmempoolinfo');
    expect(calls()).toBe(1);
    clock.time += 1;
    await call(gateway, 'getmempoolinfo');
    expect(calls()).toBe(2);
    gateway.service.blockAnnounced();
    await call(gateway, 'getmempoolinfo');
    expect(calls()).toBe(3);
    // the clock is put back
    clock.time -= 3_600_000;
    await call(gateway, 'getmempoolinfo');
    expect(calls()).toBe(4);
  });

  it('are not shared if the setting is 0', async () => {
    const upstream = await upstreamOf(result('{"size":1}'));
    const gateway = await gatewayAt(upstream.url, { settings: { gatewayShareFor: '0' } });
    for (let n = 0; n < 3; n++) await call(gateway, 'getmempoolinfo');
    expect(upstream.requests).toHaveLength(3);
  });

  it('to one pending call go to all clients that ask the same, each with its own id, even if the first client leaves', async () => {
    let answer = (): void => {};
    const upstream = await upstreamOf((request, response, raw) => {
      answer = () => result('{"size":1}')(request, response, raw);
    });
    const gateway = await gatewayAt(upstream.url);
    const left = new AbortController();
    const leaving = fetch(`http://127.0.0.1:${gateway.port}/`, {
      method: 'POST',
      headers: { authorization: basic('planchet:secret'), 'content-type': 'application/json' },
      body: '{"method":"gettxoutsetinfo","id":"gone"}',
      signal: left.signal,
    }).catch(() => 'left');
    await expect.poll(() => upstream.requests, { timeout: 30_000, interval: 5 }).toHaveLength(1);
    const others = Array.from({ length: 30 }, (_, id) =>
      send(gateway.port, { body: `{"method":"gettxoutsetinfo","id":${id}.0}` }),
    );
    const status = async () => (await gateway.service.status()).connections;
    await expect.poll(() => status(), { timeout: 30_000, interval: 5 }).toBe(31);
    left.abort();
    expect(await leaving).toBe('left');
    await expect.poll(() => status(), { timeout: 30_000, interval: 5 }).toBe(30);
    answer();
    const texts = (await Promise.all(others)).map(({ text }) => text);
    expect(texts).toEqual(texts.map((_, id) => `{"result":{"size":1},"error":null,"id":${id}.0}\n`));
    expect(upstream.requests).toHaveLength(1);
  });
});

it('a cached answer is not used for a call with a space inside a parameter', async () => {
  const upstream = await startSandboxUpstream();
  open.push(upstream);
  const [first = ''] = await upstream.node.mine(3);
  const gateway = await gatewayAt(upstream.url);
  for (let n = 0; n < 2; n++) expect((await call(gateway, 'getblock', first, 0)).status).toBe(200);
  const spaced = `${first.slice(0, 30)} ${first.slice(30)}`;
  const direct = await send(upstream.port, {
    headers: { authorization: basic('me:up') },
    body: JSON.stringify({ method: 'getblock', params: [spaced, 0], id: 1 }),
  });
  expect((await call(gateway, 'getblock', spaced, 0)).text).toBe(direct.text);
  const asked = upstream.methods.length;
  const body = `{"method":"getblock","params":[ "${first}" , 0 ],"id":1}`;
  expect((await send(gateway.port, { body })).text).toBe((await call(gateway, 'getblock', first, 0)).text);
  expect(upstream.methods.slice(asked)).not.toContain('getblock');
});

describe('no upstream gets the same call twice', () => {
  const callsOf = ({ requests }: Upstream): number => requests.filter(({ method }) => method === 'gettxout').length;

  it('if one after the other fails', async () => {
    const all = await Promise.all([
      upstreamOf((_request, response) => response.writeHead(502).end('<html>')),
      upstreamOf((_request, response) => response.writeHead(200).end('<html>')),
      upstreamOf((_request, response) => response.destroy()),
      upstreamOf(failure(-5, 'No such mempool or blockchain transaction')),
      upstreamOf(result('"never asked"')),
    ]);
    const gateway = await gatewayAt(all.map(({ url }) => url).join(','));
    const { status, text } = await call(gateway, 'gettxout', '00', 0);
    expect(status).toBe(500);
    expect(text).toContain('No such mempool or blockchain transaction');
    expect(all.reduce((sum, one) => sum + callsOf(one), 0)).toBeLessThanOrEqual(4);
    expect(Math.max(...all.map(callsOf))).toBe(1);
    expect(callsOf(all[4] as Upstream)).toBe(0);
  });

  it('if a second was asked as a hedge and both fail', async () => {
    let failing = false;
    const cut: Answer = (request, response, raw) => {
      if (!failing) return result('"well"')(request, response, raw);
      setTimeout(() => response.destroy(), 150);
    };
    const one = await upstreamOf(cut);
    const two = await upstreamOf(cut);
    const three = await upstreamOf(result('"third"'));
    const gateway = await gatewayAt([one, two, three].map(({ url }) => url).join(','));
    for (let n = 0; n < 40; n++) await call(gateway, 'gettxout', String(n), 0);
    const before = [one, two, three].map(callsOf);
    failing = true;
    expect((await call(gateway, 'gettxout', 'last', 0)).value).toBe('third');
    const after = [one, two, three].map((each, index) => callsOf(each) - (before[index] as number));
    expect(after).toEqual([1, 1, 1]);
  });
});

describe('an upstream behind TLS', () => {
  it('is refused without a trusted certificate, unless the setting allows it; then the service shows a warning', async () => {
    const server = createServer(selfSigned, (request, response) => {
      let text = '';
      request.on('data', (piece) => {
        text += String(piece);
      });
      request.on('end', () => {
        const { id } = JSON.parse(text) as { id: string };
        response.end(`{"result":1,"error":null,"id":${JSON.stringify(id)}}\n`);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push({
      stop: () => {
        server.closeAllConnections();
        return new Promise((resolve) => server.close(() => resolve()));
      },
    });
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const strict = await gatewayAt(url);
    const refused = await call(strict, 'getinfo');
    expect(refused.error?.message).toMatch(/certificate of https:.* is not trusted.*ignoreCertificate/);
    const loose = await gatewayAt(url, { settings: { ignoreCertificate: true } });
    expect((await call(loose, 'getinfo')).value).toBe(1);
    expect((await loose.service.status()).certificatesIgnored).toBe(true);
  });
});
