import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { concatBytes, satoshis, toHex } from '../../../../chain/index.ts';
import { rawBlock } from '../storage/block-bytes.ts';
import { blockAtHeight } from '../storage/chain-store.ts';
import { lockingScriptOf, openTestNode, otherKey, type TestNode } from '../test-support/open-node.ts';
import { textOf } from '../test-support/rpc-world.ts';
import { createNodeRpc, type NodeRpcDispatcher } from './dispatcher.ts';
import { registerNodeRest } from './rest.ts';

let opened: TestNode;
let app: FastifyInstance;
let rpc: NodeRpcDispatcher;
let mined: string;
let waiting: string;
let hash: string;
beforeAll(async () => {
  opened = await openTestNode();
  mined = await opened.node.fund(lockingScriptOf(otherKey), satoshis(1_000));
  [hash = ''] = await opened.node.mine(1);
  waiting = await opened.node.fund(lockingScriptOf(otherKey), satoshis(2_000));
  rpc = createNodeRpc(opened.node);
  app = fastify();
  await app.register(registerNodeRest, { prefix: '/rest', rpc });
});
afterAll(async () => {
  await app.close();
  await opened.remove();
});

async function get(path: string, headers: Record<string, string> = {}) {
  const { statusCode, rawPayload, payload, headers: answered } = await app.inject({ url: `/rest/${path}`, headers });
  return { status: statusCode, text: payload, bytes: rawPayload, type: answered['content-type'] as string, answered };
}

async function byRpc(command: string, ...params: unknown[]): Promise<string> {
  return `${await textOf(await rpc.dispatch(command, params))}\n`;
}

describe('REST of the node', () => {
  it('returns a transaction in three formats', async () => {
    const raw = (await opened.node.transaction(mined))?.raw ?? new Uint8Array();
    expect(await get(`tx/${mined}.bin`)).toMatchObject({ status: 200, type: 'application/octet-stream' });
    expect(Uint8Array.from((await get(`tx/${mined}.bin`)).bytes)).toEqual(raw);
    expect(await get(`tx/${mined}.hex`)).toMatchObject({
      text: `${toHex(raw)}\n`,
      type: expect.stringMatching('^text/plain'),
    });
    const shown = await get(`tx/${mined}.json`);
    expect(shown.type).toMatch('application/json');
    expect(JSON.parse(shown.text)).toMatchObject({ txid: mined, blockhash: hash, hex: toHex(raw) });
    expect(JSON.parse(shown.text)).not.toHaveProperty('confirmations');
    expect(JSON.parse((await get(`tx/${waiting}.json`)).text)).not.toHaveProperty('blockhash');
    expect(await get('tx/xyz.bin')).toMatchObject({ status: 400, text: 'Invalid hash: xyz\r\n' });
    const unknown = 'ab'.repeat(32);
    expect(await get(`tx/${unknown}.hex`)).toMatchObject({ status: 404, text: `${unknown} not found\r\n` });
    expect(await get(`tx/${mined}`)).toMatchObject({
      status: 404,
      text: 'output format not found (available: .bin, .hex, .json)\r\n',
    });
  });

  it('returns a block, complete or in part', async () => {
    const raw = (await rawBlock(opened.node.db, hash)) ?? new Uint8Array();
    expect(Uint8Array.from((await get(`block/${hash}.bin`)).bytes)).toEqual(raw);
    expect((await get(`block/${hash}.hex`)).text).toBe(`${toHex(raw)}\n`);
    expect((await get(`block/${hash}.json`)).text).toBe(await byRpc('getblock', hash, 2));
    expect((await get(`block/notxdetails/${hash}.json`)).text).toBe(await byRpc('getblock', hash, 1));
    const part = await get(`block/${hash}.bin`, { range: 'bytes=80-99' });
    expect(part.status).toBe(206);
    expect(part.answered['content-range']).toBe(`bytes 80-99/${raw.length}`);
    expect(Uint8Array.from(part.bytes)).toEqual(raw.slice(80, 100));
    const tail = await get(`block/${hash}.bin`, { range: 'bytes=100-99999999' });
    expect(tail.answered['content-range']).toBe(`bytes 100-${raw.length - 1}/${raw.length}`);
    expect(Uint8Array.from(tail.bytes)).toEqual(raw.slice(100));
    for (const [range, text] of [
      ['80-99', "Invalid Range header format, should starts with 'bytes='"],
      ['bytes=80', 'Invalid Range header format, bytes delimiter not found'],
      ['bytes=-80', 'Invalid Range parameter'],
      ['bytes=80--99', 'Invalid Range parameter, negative value'],
      ['bytes=9-3', 'Invalid Range parameter, start > end'],
      ['bytes=9999999-', 'Invalid Range parameter, start > end'],
      ['bytes=9999999-99999999', 'Invalid Range parameter, start >= data_size'],
    ] as const) {
      expect(await get(`block/${hash}.bin`, { range })).toMatchObject({ status: 404, text: `${text}\r\n` });
    }
    expect((await get(`block/${hash}.hex`, { range: 'bytes=80-99' })).text).toBe(`${toHex(raw)}\n`);
    expect(await get(`block/${'cd'.repeat(32)}.json`)).toMatchObject({ status: 404 });
  });

  it('returns headers without coinbase and proof where the block is pruned', async () => {
    const { node } = opened;
    Object.assign(node, { lowestKept: () => node.tip().height });
    const { hash: pruned } = (await blockAtHeight(node.db, node.tip().height - 1)) ?? { hash: '' };
    const answer = await get(`headers/extended/2/${pruned}.json`);
    expect(answer.status).toBe(200);
    const [first, second] = JSON.parse(answer.text) as object[];
    expect(first).toEqual(JSON.parse(await byRpc('getblockheader', pruned, 1)));
    expect(first).toEqual(JSON.parse(await byRpc('getblockheader', pruned, 2)));
    expect(second).toHaveProperty('merkleproof');
    expect(second).toHaveProperty('tx');
  });

  it('returns headers of the main chain from a block on', async () => {
    const first = await blockAtHeight(opened.node.db, 119);
    const rows = await Promise.all([119, 120, 121].map((height) => blockAtHeight(opened.node.db, height)));
    const all = concatBytes(...rows.map((row) => row?.header ?? new Uint8Array()));
    expect(Uint8Array.from((await get(`headers/5/${first?.hash}.bin`)).bytes)).toEqual(all);
    expect((await get(`headers/2/${first?.hash}.hex`)).text).toBe(`${toHex(all.subarray(0, 160))}\n`);
    const shown = JSON.parse((await get(`headers/2/${first?.hash}.json`)).text) as unknown[];
    expect(shown[1]).toEqual(JSON.parse(await byRpc('getblockheader', rows[1]?.hash)));
    const extended = JSON.parse((await get(`headers/extended/1/${hash}.json`)).text) as unknown[];
    expect(extended[0]).toEqual(JSON.parse(await byRpc('getblockheader', hash, 2)));
    expect(await get(`headers/0/${hash}.bin`)).toMatchObject({ status: 400, text: 'Header count out of range: 0\r\n' });
    expect(await get(`headers/2001/${hash}.bin`)).toMatchObject({ status: 400 });
    expect(await get(`headers/${hash}.bin`)).toMatchObject({
      status: 400,
      text: expect.stringContaining('No header count'),
    });
    expect(await get(`headers/1/${'ef'.repeat(32)}.bin`)).toMatchObject({
      status: 400,
      text: expect.stringContaining('Block not found'),
    });
    expect((await get(`headers/1/${hash}.xml`)).text).toBe('output format not found (available: .bin, .hex)\r\n');
  });

  it('returns chain and mempool information, in JSON only', async () => {
    expect((await get('chaininfo.json')).text).toBe(await byRpc('getblockchaininfo'));
    expect((await get('mempool/info.json')).text).toBe(await byRpc('getmempoolinfo'));
    expect((await get('mempool/contents.json')).text).toBe(await byRpc('getrawmempool', true));
    expect(await get('chaininfo.hex')).toMatchObject({
      status: 404,
      text: 'output format not found (available: json)\r\n',
    });
    expect(await get('nothing.json')).toMatchObject({ status: 404, text: '' });
    const verb = (method: 'PUT' | 'DELETE') => app.inject({ method, url: '/rest/chaininfo.json' });
    expect((await verb('PUT')).payload).toBe(await byRpc('getblockchaininfo'));
    expect(await verb('DELETE')).toMatchObject({ statusCode: 405, payload: '' });
  });

  it('finds unspent outputs, by path and by body', async () => {
    const path = `${mined}-0/${waiting}-0/${'ab'.repeat(32)}-3`;
    const shown = JSON.parse((await get(`getutxos/checkmempool/${path}.json`)).text) as { utxos: unknown[] };
    expect(shown).toMatchObject({ chainHeight: 121, chaintipHash: hash, bitmap: '110' });
    expect(shown.utxos).toMatchObject([
      { height: 121, value: 0.00001, scriptPubKey: { type: 'pubkeyhash' } },
      { height: 2_147_483_647, value: 0.00002 },
    ]);
    expect(JSON.parse((await get(`getutxos/${path}.json`)).text)).toMatchObject({ bitmap: '100' });
    const body = concatBytes(
      Uint8Array.of(1, 2),
      Buffer.from(mined, 'hex').reverse(),
      Uint8Array.of(0, 0, 0, 0),
      Buffer.from(waiting, 'hex').reverse(),
      Uint8Array.of(0, 0, 0, 0),
    );
    const post = (payload: Buffer | string, url = '/rest/getutxos.bin') =>
      app.inject({ method: 'POST', url, headers: { 'content-type': 'application/octet-stream' }, payload });
    const binary = await post(Buffer.from(body));
    const sameByPath = await get(`getutxos/checkmempool/${mined}-0/${waiting}-0.bin`);
    expect(binary.rawPayload.equals(sameByPath.bytes)).toBe(true);
    expect(binary.rawPayload.readInt32LE(0)).toBe(121);
    expect(toHex(Uint8Array.from(binary.rawPayload.subarray(4, 36)).reverse())).toBe(hash);
    expect([...binary.rawPayload.subarray(36, 39)]).toEqual([1, 3, 2]);
    expect((await post(toHex(body), '/rest/getutxos.hex')).payload).toBe(`${binary.rawPayload.toString('hex')}\n`);
    expect(await get('getutxos.json')).toMatchObject({ status: 400, text: 'Error: empty request\r\n' });
    expect(await get('getutxos/zz-1.json')).toMatchObject({ status: 400, text: 'Parse error\r\n' });
    expect((await post('zz')).statusCode).toBe(400);
    const many = Array.from({ length: 16 }, (_, n) => `${mined}-${n}`).join('/');
    expect((await get(`getutxos/${many}.json`)).text).toBe('Error: max outpoints exceeded (max: 15, tried: 16)\r\n');
  });
});
