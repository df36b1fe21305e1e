import { createHash } from 'node:crypto';
import { type HttpClient, WhatsOnChain } from '@bsv/sdk';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { headerHash, meetsTarget, parseHeader, toHex } from '../../../chain/index.ts';
import { phrase } from '../../../contract/index.ts';
import { createSourceClient } from '../../chain-data/sources/http/source-client.ts';
import { systemClock } from '../../clock.ts';
import { blockAtHeight } from '../node/storage/chain-store.ts';
import { TestSandbox } from '../test-support/open-sandbox.ts';

const WOC = '/woc/v1/bsv/test';
const BANANA = '/bananablocks/api/v1';
const ARCADE = '/arcade/chaintracks/v2';
const nowhere = 'ab'.repeat(32);

let sandbox: TestSandbox;
let tip: { height: number; hash: string };
let headers: Uint8Array[];
beforeAll(async () => {
  sandbox = await TestSandbox.open();
  await sandbox.service.mine({ blocks: 12 });
  tip = sandbox.service.node.tip();
  const rows = Array.from({ length: tip.height + 1 }, (_, height) => blockAtHeight(sandbox.service.node.db, height));
  headers = (await Promise.all(rows)).map((row) => row?.header as Uint8Array);
});
afterAll(() => sandbox.remove());

const get = (path: string) => sandbox.send('GET', path);

async function bytes(path: string): Promise<string> {
  const answer = await fetch(sandbox.root + path);
  expect(answer.headers.get('content-type')).toBe('application/octet-stream');
  return toHex(new Uint8Array(await answer.arrayBuffer()));
}

const from = (first: number, last: number): string =>
  headers
    .slice(first, last + 1)
    .map(toHex)
    .join('');

describe('headers from WhatsOnChain', () => {
  it('are returned one by one, and 404 if there is none', async () => {
    const { previousHash, merkleRoot, bits } = parseHeader(headers[7] as Uint8Array);
    const known = {
      height: 7,
      hash: headerHash(headers[7] as Uint8Array),
      merkleroot: merkleRoot,
      previousblockhash: previousHash,
      bits: bits.toString(16),
    };
    expect((await get(`${WOC}/block/7/header`)).body).toMatchObject(known);
    expect((await get(`${WOC}/block/${known.hash}/header`)).body).toMatchObject(known);
    expect(await get(`${WOC}/block/${nowhere}/header`)).toMatchObject({ status: 404, body: 'Not Found' });
    expect(await get(`${WOC}/block/${tip.height + 1}/header`)).toMatchObject({ status: 404 });
    expect((await get(`${WOC}/chain/info`)).body).toMatchObject({ blocks: tip.height, bestblockhash: tip.hash });
    const newest = (await get(`${WOC}/block/headers`)).body;
    expect(newest).toHaveLength(10);
    expect(newest[0]).toMatchObject({ height: tip.height, hash: tip.hash });
  });

  it('are returned as files, and the newest hundred at most', async () => {
    const { files } = (await get(`${WOC}/block/headers/resources`)).body;
    expect(files).toEqual([`${sandbox.root}${WOC}/block/headers/latest`]);
    expect(await bytes(`${WOC}/block/headers/latest`)).toBe(from(0, tip.height));
    expect(await bytes(`${WOC}/block/headers/latest?count=3`)).toBe(from(tip.height - 2, tip.height));
    expect(await get(`${WOC}/block/headers/latest?count=101`)).toMatchObject({ status: 400 });
    expect(await get(`${WOC}/block/headers/5_7_headers.bin`)).toMatchObject({ status: 404 });
  });

  it('are read by the chain tracker of the SDK', async () => {
    const httpClient: HttpClient = {
      async request(url, { method = 'GET', headers: sent } = {}) {
        const here = url.replace(/^https:\/\/api\.whatsonchain\.com\/v1\/bsv\/test/, sandbox.root + WOC);
        const { ok, status, statusText, body } = await fetch(here, {
          method,
          headers: sent as Record<string, string>,
        }).then(async (answer) => ({
          ok: answer.ok,
          status: answer.status,
          statusText: answer.statusText,
          body: answer.headers.get('content-type')?.includes('json') ? await answer.json() : await answer.text(),
        }));
        return { ok, status, statusText, data: body } as never;
      },
    };
    const tracker = new WhatsOnChain('test', { httpClient });
    const { merkleRoot } = parseHeader(headers[9] as Uint8Array);
    expect(await tracker.isValidRootForHeight(merkleRoot, 9)).toBe(true);
    expect(await tracker.isValidRootForHeight(nowhere, 9)).toBe(false);
    expect(await tracker.isValidRootForHeight(nowhere, tip.height + 5)).toBe(false);
    expect(await tracker.currentHeight()).toBe(tip.height);
  });
});

describe('headers from BananaBlocks, Arcade and the CDN', () => {
  it('are those of the chain, in ranges', async () => {
    expect((await get(`${BANANA}/block/tip`)).body).toMatchObject({ height: tip.height, hash: tip.hash });
    expect(await get(`${BANANA}/block/header/height/4/raw`)).toMatchObject({ body: toHex(headers[4] as Uint8Array) });
    expect(await bytes(`${BANANA}/block/headers/2-5`)).toBe(from(2, 5));
    expect(await get(`${BANANA}/block/headers/5-2`)).toMatchObject({ status: 400, body: { error: 'invalid range' } });
    expect(await get(`${BANANA}/block/headers/0-2016`)).toMatchObject({ status: 400 });
    expect(await get(`${BANANA}/block/headers/900-901`)).toMatchObject({ status: 404 });
    expect((await get(`${ARCADE}/tip`)).body).toMatchObject({ height: tip.height, hash: tip.hash });
    expect((await get(`${ARCADE}/height`)).body).toEqual({ height: tip.height });
    expect((await get(`${ARCADE}/header/height/4`)).body).toMatchObject({ height: 4, nonce: expect.any(Number) });
    expect((await get(`${ARCADE}/header/hash/${tip.hash}`)).body).toMatchObject({ height: tip.height });
    expect(await get(`${ARCADE}/header/hash/${nowhere}`)).toMatchObject({ status: 404 });
    expect(await bytes(`${ARCADE}/headers?height=3&count=4`)).toBe(from(3, 6));
    expect(await get(`${ARCADE}/headers?height=900`)).toMatchObject({ status: 404 });
    const [file] = (await get('/cdn/testNetBlockHeaders.json')).body.files;
    const content = Buffer.from(await bytes(`/cdn/${file.fileName}`), 'hex');
    // the newest are not in it yet
    const lastHash = headerHash(headers[tip.height - 12] as Uint8Array);
    expect(file).toMatchObject({ firstHeight: 0, count: tip.height - 11, lastHash });
    expect(createHash('sha256').update(content).digest('base64')).toBe(file.fileHash);
  });

  it('are not sent again to a client that sends the tag of the last answer', async () => {
    for (const path of [`${WOC}/chain/info`, `${BANANA}/block/tip`, `${ARCADE}/tip`]) {
      const etag = (await fetch(sandbox.root + path)).headers.get('etag') as string;
      const again = await fetch(sandbox.root + path, { headers: { 'if-none-match': etag } });
      expect(again.status).toBe(304);
    }
  });
});

describe('a header fault', () => {
  it('replaces the newest block by another one with the same height and as much work', async () => {
    await sandbox.service.faults.set({ name: 'headers-fork', area: 'arcade', value: 0, times: null });
    const other = (await get(`${ARCADE}/tip`)).body;
    expect(other).toMatchObject({
      height: tip.height,
      previousHash: headerHash(headers[tip.height - 1] as Uint8Array),
    });
    expect(other.hash).not.toBe(tip.hash);
    expect(meetsTarget(other.hash, other.bits)).toBe(true);
    expect((await get(`${WOC}/chain/info`)).body).toMatchObject({ bestblockhash: tip.hash });
    await sandbox.service.faults.clear({});
  });

  it('ends a stream of tips whose block the node does not have', async () => {
    await sandbox.service.faults.set({ name: 'headers-fork', area: 'arcade', value: 0, times: null });
    const ahead = vi.spyOn(sandbox.service.node, 'tip').mockReturnValue({ height: 999, hash: nowhere, time: 0 });
    const stream = fetch(`${sandbox.root}${ARCADE}/tip/stream`);
    await expect(stream.then((answer) => answer.text())).rejects.toThrow(TypeError);
    ahead.mockRestore();
    await sandbox.service.faults.clear({});
  });

  it('forges a longer chain whose blocks do not show the work that they claim', async () => {
    await sandbox.service.faults.set({ name: 'forged-headers', area: 'all', value: 0, times: null });
    const forged = (await get(`${ARCADE}/tip`)).body;
    expect(forged.height).toBe(tip.height + 100);
    expect(meetsTarget(forged.hash, forged.bits)).toBe(false);
    await sandbox.service.faults.clear({});
  });

  it('sends so slowly that there is no answer within the deadline', async () => {
    await sandbox.service.faults.set({ name: 'slow-drip', area: 'woc', value: 60_000, times: null });
    const baseUrl = sandbox.root + WOC;
    const client = createSourceClient({ operator: 'woc', baseUrl, clock: systemClock, minIntervalMs: 0 });
    const answer = await client.get('/chain/info', { kind: 'json', limitBytes: 1_000, deadlineMs: 200 });
    expect(answer).toEqual({ state: 'unavailable', reason: phrase('reason.no-answer-within', { ms: 200 }) });
    await sandbox.service.faults.clear({});
  });
});
