import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { basic, send, startGateway } from '../test-support/gateway.ts';
import { HandClock } from '../test-support/hand-clock.ts';
import { startSandboxUpstream } from '../test-support/sandbox-upstream.ts';
import { quiet } from '../test-support/upstream.ts';
import type { CacheEntry } from './cache-entry.ts';
import { ResponseCache } from './response-cache.ts';

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
});

it('a reorganisation removes exactly the entries that rest on replaced blocks; the rest is served from the cache', async () => {
  const upstream = await startSandboxUpstream();
  open.push(upstream);
  await upstream.node.mine(10);
  const gateway = await startGateway(upstream.url);
  open.push(gateway);
  const top = upstream.node.tip().height;
  const ask = async (method: string, ...params: unknown[]) => {
    const body = JSON.stringify({ method, params, id: 1 });
    const before = upstream.methods.length;
    const { text } = await send(gateway.port, { body });
    const asked = upstream.methods.slice(before).includes(method);
    const direct = await send(upstream.port, { body, headers: { authorization: basic('me:up') } });
    expect(text, body).toBe(direct.text);
    return { asked, result: (JSON.parse(text) as { result: unknown }).result };
  };
  const heights = Array.from({ length: 8 }, (_, index) => top - 7 + index);
  const hashes = new Map<number, unknown>();
  for (const height of heights) hashes.set(height, (await ask('getblockhash', height)).result);
  /** Heights, before the reorganisation, of the blocks that are read from the upstream. */
  const askedFor = async (method: string, params: (height: number) => unknown[]): Promise<number[]> => {
    const asked: number[] = [];
    for (const height of heights) if ((await ask(method, ...params(height))).asked) asked.push(height);
    return asked;
  };
  const all = async () => ({
    block: await askedFor('getblock', (height) => [hashes.get(height), 1]),
    raw: await askedFor('getblock', (height) => [hashes.get(height), 0]),
    hash: await askedFor('getblockhash', (height) => [height]),
    stats: await askedFor('getblockstats', (height) => [hashes.get(height), ['txs', 'time']]),
  });
  const seen = async (): Promise<void> => {
    gateway.service.blockAnnounced();
    const { hash } = upstream.node.tip();
    await expect.poll(async () => (await gateway.service.status()).tip?.hash).toBe(hash);
  };
  await seen();
  await all();
  // the tip has no next block yet, so its answer cannot be cached
  expect(await all()).toEqual({ block: [top], raw: [], hash: [], stats: [] });

  await upstream.node.reorg(3);
  await seen();
  const status = await gateway.service.status();
  expect(status.reorganisations).toBe(1);
  // three hashes and statistics, and the blocks whose next block was replaced
  expect(status.cache.dropped).toBe(9);
  const replaced = [top - 2, top - 1, top];
  // a raw block is proven by its hash, on any branch
  expect(await all()).toEqual({ block: [top - 3, ...replaced], raw: [], hash: replaced, stats: replaced });
  // for two of the new hashes, the chain is asked again whether it has them
  expect(await all()).toEqual({ block: replaced, raw: [], hash: [top - 1, top], stats: replaced });
  expect(await all()).toEqual({ block: replaced, raw: [], hash: [], stats: replaced });
});

describe('the cache', () => {
  const answer = (bytes: number): CacheEntry => ({ texts: ['x'.repeat(bytes), ''], slots: ['id'] });

  it('stays under the memory limit, keeps recently used entries, and lets no single entry evict all others', async () => {
    const memoryBytes = 100_000;
    const cache = new ResponseCache({
      memoryBytes,
      diskBytes: 0,
      file: undefined,
      clock: new HandClock(),
      logger: quiet,
    });
    await cache.open();
    cache.set('asked for', answer(1_000));
    for (let n = 0; n < 1_000; n++) {
      cache.set(`answer ${n}`, answer(1_000));
      expect(cache.get('asked for')).toBeDefined();
      expect(cache.figures().bytes).toBeLessThanOrEqual(memoryBytes);
    }
    expect(cache.get('answer 0')).toBeUndefined();
    expect(cache.get('answer 999')).toBeDefined();
    expect(cache.figures().entries).toBeGreaterThan(60);
    cache.set('long', answer(memoryBytes / 8));
    expect(cache.get('long')).toBeUndefined();
    expect(cache.get('answer 999')).toBeDefined();
    await cache.close();
  });

  it('stays under the disk limit, also after restarts, and so does the file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'planchet-cache-'));
    open.push({ stop: () => rm(folder, { recursive: true, force: true }) });
    const diskBytes = 400_000;
    const clock = new HandClock();
    const options = { memoryBytes: 1_000_000, diskBytes, file: join(folder, 'cache.db'), clock, logger: quiet };
    for (let round = 0; round < 25; round++) {
      const cache = new ResponseCache(options);
      await cache.open();
      expect(cache.figures().diskBytes).toBeLessThanOrEqual(diskBytes);
      for (let n = 0; n < 20; n++) cache.set(`answer ${round} ${n}`, answer(200 + n * 150));
      await cache.close();
      clock.time += 1_000;
    }
    const cache = new ResponseCache(options);
    await cache.open();
    const { diskBytes: held, diskEntries } = cache.figures();
    expect(held).toBeLessThanOrEqual(diskBytes);
    expect(diskEntries).toBeGreaterThan(100);
    expect((await cache.load('answer 24 19'))?.texts[0]).toHaveLength(3_050);
    expect(await cache.load('answer 0 0')).toBeUndefined();
    await cache.close();
    const files = await Promise.all((await readdir(folder)).map((name) => stat(join(folder, name))));
    expect(files.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(diskBytes * 1.5);
  });
});
