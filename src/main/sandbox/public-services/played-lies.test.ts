import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseTx, sha256, toHex, txidOf } from '../../../chain/index.ts';
import { createSourceClient } from '../../chain-data/sources/http/source-client.ts';
import { systemClock } from '../../clock.ts';
import { lockingScriptOf } from '../node/test-support/open-node.ts';
import { spend } from '../test-support/merchant.ts';
import { TestSandbox, walletAddress, walletKey } from '../test-support/open-sandbox.ts';

const WOC = '/woc/v1/bsv/test';
const BANANA = '/bananablocks/api/v1';
const script = toHex(sha256(lockingScriptOf(walletKey)));

let sandbox: TestSandbox;
let mined: { raw: Uint8Array; txid: string };

beforeAll(async () => {
  sandbox = await TestSandbox.open();
  const raw = spend(await sandbox.coin());
  await sandbox.service.node.submit(raw);
  await sandbox.service.mine({ blocks: 1 });
  mined = { raw, txid: txidOf(raw) };
});
afterEach(async () => void (await sandbox.service.faults.clear({})));
afterAll(() => sandbox.remove());

type Name = Parameters<TestSandbox['service']['faults']['set']>[0]['name'];
const play = (name: Name, area: 'woc' | 'bananablocks' | 'arcade' | 'arc') =>
  sandbox.service.faults.set({ name, area, value: 0, times: null });
const get = async (path: string) => (await sandbox.send('GET', path)).body;

describe('a public service with a fault', () => {
  it('is the only one that answers falsely', async () => {
    await play('other-bytes', 'woc');
    expect(txidOf(Buffer.from(await get(`${WOC}/tx/${mined.txid}/hex`), 'hex'))).not.toBe(mined.txid);
    expect(await get(`${BANANA}/tx/${mined.txid}/hex`)).toBe(toHex(mined.raw));
  });

  it('doubles amounts, hides the newest output and adds an invented one in lists of outputs', async () => {
    const rows = async () =>
      (await get(`${WOC}/script/${script}/unspent/all?limit=1000`)).result as { value: number }[];
    const honest = await rows();
    await play('wrong-amount', 'woc');
    expect((await rows()).map(({ value }) => value)).toEqual(honest.map(({ value }) => 2 * value));
    await sandbox.service.faults.clear({});
    await play('hidden-rows', 'woc');
    expect(await rows()).toEqual(honest.slice(0, -1));
    await sandbox.service.faults.clear({});
    await play('invented-rows', 'woc');
    expect(await rows()).toHaveLength(honest.length + 1);
    const history = await get(`${WOC}/address/${walletAddress}/confirmed/history?limit=1`);
    expect((await sandbox.send('GET', `${WOC}/tx/${history.result[0].tx_hash}/hex`)).status).toBe(404);
  });

  it('denies a spend: with 404 at WhatsOnChain, with false at BananaBlocks', async () => {
    const { txid, vout } = parseTx(mined.raw).inputs[0] as { txid: string; vout: number };
    await play('denied-spend', 'woc');
    expect((await sandbox.send('GET', `${WOC}/tx/${txid}/${vout}/spent`)).status).toBe(404);
    expect(await get(`${BANANA}/txo/${txid}/${vout}/spend`)).toMatchObject({ spent: true });
    await play('denied-spend', 'bananablocks');
    expect(await get(`${BANANA}/txo/${txid}/${vout}/spend`)).toEqual({ spent: false });
  });

  it('answers a broadcast with the txid although the node does not have the transaction', async () => {
    const raw = spend(await sandbox.coin());
    await play('echoed-broadcast', 'woc');
    const answer = await sandbox.send('POST', `${WOC}/tx/raw`, { txhex: toHex(raw) });
    expect(answer).toMatchObject({ status: 200, body: txidOf(raw) });
    expect(await sandbox.service.node.transaction(txidOf(raw))).toBeUndefined();
    await play('echoed-broadcast', 'bananablocks');
    const other = await sandbox.send('POST', `${BANANA}/tx/broadcast`, { rawtx: toHex(raw) });
    expect(other.body).toEqual({ txid: txidOf(raw) });
  });

  it('reports a mined transaction as rejected, and no waiting one', async () => {
    const raw = spend(await sandbox.coin());
    const txid = txidOf(raw);
    await sandbox.send('POST', '/arcade/tx', { rawTx: toHex(raw) });
    await play('rejected-mined', 'arcade');
    expect((await get(`/arcade/tx/${txid}`)).txStatus).not.toBe('REJECTED');
    await sandbox.service.mine({ blocks: 1 });
    // the block is told to the miner a moment later
    await expect.poll(() => get(`/arcade/tx/${txid}`)).toMatchObject({ txStatus: 'REJECTED', merklePath: '' });
    await play('rejected-mined', 'arc');
    expect(await get(`/open-arc/v1/tx/${txid}`)).toMatchObject({ txStatus: 'REJECTED', merklePath: '' });
    await sandbox.service.faults.clear({});
    expect(await get(`/arcade/tx/${txid}`)).toMatchObject({ txStatus: 'MINED' });
  });

  it('sends a body without end, which the client stops reading at its limit', async () => {
    await play('endless-body', 'woc');
    const baseUrl = sandbox.root + WOC;
    const client = createSourceClient({ operator: 'woc', baseUrl, clock: systemClock, minIntervalMs: 0 });
    const answer = await client.get('/chain/info', { kind: 'json', limitBytes: 100_000, deadlineMs: 20_000 });
    expect(answer).toMatchObject({ state: 'unavailable' });
  });
});
