import { MerklePath, Transaction, WhatsOnChainBroadcaster } from '@bsv/sdk';
import { WhatsOnChainNoServices } from '@bsv/wallet-toolbox-client/out/src/services/providers/WhatsOnChain.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  checkPath,
  fromHex,
  headerHash,
  parseBump,
  parseHeader,
  parseTx,
  pathInBump,
  readTscJson,
  reverseHex,
  sha256,
  toHex,
  txidOf,
} from '../../../chain/index.ts';
import { lockingScriptOf } from '../node/test-support/open-node.ts';
import { spend } from '../test-support/merchant.ts';
import { TestSandbox, walletAddress, walletKey } from '../test-support/open-sandbox.ts';
import { clientOf } from '../test-support/public-client.ts';

const WOC = '/woc/v1/bsv/test';
const BANANA = '/bananablocks/api/v1';
const nowhere = 'ab'.repeat(32);

let sandbox: TestSandbox;
/** Mined, with both outputs unspent but the first, which the waiting transaction spends. */
let mined: { raw: Uint8Array; txid: string; height: number; hash: string };
let waiting: { raw: Uint8Array; txid: string };

beforeAll(async () => {
  sandbox = await TestSandbox.open();
  const coin = await sandbox.coin();
  const raw = spend(coin);
  await sandbox.service.node.submit(raw);
  await sandbox.service.mine({ blocks: 1 });
  const { height, hash } = sandbox.service.node.tip();
  mined = { raw, txid: txidOf(raw), height, hash };
  const next = spend({ txid: mined.txid, vout: 0, satoshis: Number(parseTx(raw).outputs[0]?.satoshis) });
  await sandbox.service.node.submit(next);
  waiting = { raw: next, txid: txidOf(next) };
});
afterAll(() => sandbox.remove());

const woc = (path: string, body?: unknown) => sandbox.send(body === undefined ? 'GET' : 'POST', `${WOC}${path}`, body);
const banana = (path: string, body?: unknown) =>
  sandbox.send(body === undefined ? 'GET' : 'POST', `${BANANA}${path}`, body);

describe('WhatsOnChain of the sandbox answers', () => {
  it('a transaction as text of hex and as bytes; 404 for an unknown one', async () => {
    const hex = await woc(`/tx/${mined.txid}/hex`);
    expect(hex).toMatchObject({ status: 200, body: toHex(mined.raw) });
    expect(hex.headers.get('content-type')).toContain('text/plain');
    const bytes = await fetch(`${sandbox.root}${WOC}/tx/${waiting.txid}/bin`);
    expect(toHex(new Uint8Array(await bytes.arrayBuffer()))).toBe(toHex(waiting.raw));
    expect(await woc(`/tx/${nowhere}/hex`)).toMatchObject({ status: 404, body: 'Not Found' });
    expect(await woc('/tx/12/hex')).toMatchObject({ status: 400 });
  });

  it('many transactions and their states at once, at most twenty', async () => {
    const txids = [mined.txid, waiting.txid, nowhere];
    expect((await woc('/txs/hex', { txids })).body).toEqual([
      { txid: mined.txid, hex: toHex(mined.raw) },
      { txid: waiting.txid, hex: toHex(waiting.raw) },
      { txid: nowhere, error: 'unknown' },
    ]);
    expect((await woc('/txs/status', { txids })).body).toEqual([
      { txid: mined.txid, blockhash: mined.hash, blockheight: mined.height, confirmations: 1 },
      { txid: waiting.txid },
      { txid: nowhere, error: 'unknown' },
    ]);
    expect((await woc('/txs/hex', { txids: Array(21).fill(nowhere) })).status).toBe(400);
    expect((await woc('/txs/hex', { ids: [] })).status).toBe(400);
  });

  it('a proof in both forms, which leads to the header; none while a transaction waits', async () => {
    const [proof] = (await woc(`/tx/${mined.txid}/proof/tsc`)).body;
    const { path, target } = readTscJson(proof);
    const header = await sandbox.service.node.db
      .selectFrom('node_blocks')
      .select('header')
      .where('hash', '=', mined.hash)
      .executeTakeFirstOrThrow();
    const { merkleRoot } = parseHeader(header.header);
    expect(target).toEqual({ kind: 'hash', hash: headerHash(header.header) });
    expect(checkPath(path).root).toBe(merkleRoot);
    const bump = parseBump(fromHex((await woc(`/tx/${mined.txid}/proof/bump`)).body));
    expect(bump.height).toBe(mined.height);
    expect(checkPath(pathInBump(bump, mined.txid) ?? path).root).toBe(merkleRoot);
    expect((await woc(`/tx/${waiting.txid}/proof/tsc`)).body).toEqual([]);
    expect((await woc(`/tx/${waiting.txid}/proof/bump`)).status).toBe(404);
  });

  it('a spent output with its spender, 404 for an unspent one, 400 for an unknown one', async () => {
    const spent = { txid: waiting.txid, vin: 0, status: 'unconfirmed' };
    expect(await woc(`/tx/${mined.txid}/0/spent`)).toMatchObject({ status: 200, body: spent });
    expect(await woc(`/tx/${waiting.txid}/0/spent`)).toMatchObject({ status: 404 });
    expect(await woc(`/tx/${mined.txid}/99/spent`)).toMatchObject({ status: 400 });
    expect(await woc(`/tx/${nowhere}/0/spent`)).toMatchObject({ status: 400 });
    const parent = parseTx(mined.raw).inputs[0] as { txid: string; vout: number };
    const { txid, vout } = parent;
    expect((await woc(`/tx/${txid}/${vout}/spent`)).body).toEqual({ txid: mined.txid, vin: 0, status: 'confirmed' });
    const utxos = [
      { txid: mined.txid, vout: 0 },
      { txid: nowhere, vout: 0 },
    ];
    expect((await woc('/utxos/spent', { utxos })).body).toEqual([
      { utxo: utxos[0], spentIn: spent, error: '' },
      { utxo: utxos[1], spentIn: null, error: '' },
    ]);
  });

  it('the history of an address in pages, newest first or oldest first, and what waits', async () => {
    const whole = (await woc(`/address/${walletAddress}/confirmed/history?order=asc&limit=1000`)).body;
    expect(whole.script).toBe(toHex(sha256(lockingScriptOf(walletKey))));
    expect(whole.result.map((row: { tx_hash: string }) => row.tx_hash)).toContain(mined.txid);
    expect(whole.nextPageToken).toBeUndefined();
    const pages: unknown[] = [];
    let token: string | undefined = '';
    while (token !== undefined) {
      const query: string = token === '' ? '' : `&token=${token}`;
      const { body } = await woc(`/address/${walletAddress}/confirmed/history?order=asc&limit=5${query}`);
      pages.push(...body.result);
      token = body.nextPageToken;
    }
    expect(pages).toEqual(whole.result);
    const newest = (await woc(`/address/${walletAddress}/confirmed/history?limit=1000`)).body.result;
    expect(newest).toEqual([...whole.result].reverse());
    const { body } = await woc(`/address/${walletAddress}/unconfirmed/history`);
    expect(body.result).toEqual([{ tx_hash: waiting.txid }]);
    expect((await woc('/address/1nobody/confirmed/history')).status).toBe(400);
    expect((await woc(`/address/${walletAddress}/confirmed/history?limit=1001`)).status).toBe(400);
  });

  it('histories of many addresses, and unspent outputs that say where the mempool spends them', async () => {
    const [all] = (await woc('/addresses/history/all', { addresses: [walletAddress] })).body;
    expect(all.unconfirmed.result).toEqual([{ tx_hash: waiting.txid }]);
    expect(all.confirmed.result[0]).toEqual({ tx_hash: mined.txid, height: mined.height });
    const unspent = (await woc(`/address/${walletAddress}/unspent/all?limit=1000`)).body.result;
    const row = (txid: string) => unspent.find(({ tx_hash }: { tx_hash: string }) => tx_hash === txid);
    expect(row(mined.txid)).toMatchObject({ tx_pos: 0, isSpentInMempoolTx: true, status: 'confirmed' });
    expect(row(waiting.txid)).toMatchObject({ isSpentInMempoolTx: false, status: 'unconfirmed', height: 0 });
  });

  it('an updated history after a reorganisation', async () => {
    const { node } = sandbox.service;
    const { txid } = await sandbox.coin();
    await sandbox.service.mine({ blocks: 1 });
    const rows = async () => (await woc(`/address/${walletAddress}/confirmed/history?limit=1000`)).body.result;
    expect(await rows()).toContainEqual({ tx_hash: txid, height: node.tip().height });
    const before = node.tip().height;
    await sandbox.service.reorg({ depth: 1 });
    expect(await rows()).not.toContainEqual({ tx_hash: txid, height: before });
    expect((await woc(`/address/${walletAddress}/unconfirmed/history`)).body.result).toContainEqual({ tx_hash: txid });
  });
});

describe('BananaBlocks of the sandbox answers', () => {
  it('a transaction, its proof by the Merkle root, and errors as JSON', async () => {
    expect((await banana(`/tx/${mined.txid}`)).body).toMatchObject({
      txid: mined.txid,
      block_hash: expect.any(String),
    });
    expect((await banana(`/tx/${mined.txid}/hex`)).body).toBe(toHex(mined.raw));
    const { path, target } = readTscJson((await banana(`/tx/${mined.txid}/proof`)).body);
    expect(target).toEqual({ kind: 'root', root: checkPath(path).root });
    expect(await banana(`/tx/${nowhere}/hex`)).toMatchObject({ status: 404, body: { error: 'transaction not found' } });
  });

  it('whether an output is spent, and by which transaction; 404 for an unknown one', async () => {
    expect((await banana(`/txo/${mined.txid}/0/spend`)).body).toEqual({ spent: true, spentTxid: waiting.txid });
    expect((await banana(`/txo/${waiting.txid}/0/spend`)).body).toEqual({ spent: false });
    expect((await banana(`/txo/${nowhere}/0/spend`)).status).toBe(404);
  });

  it('histories in the shapes of its mirror', async () => {
    const mirror = (await banana(`/bsv/main/address/${walletAddress}/confirmed/history?limit=1000`)).body.result;
    expect(mirror).toEqual((await woc(`/address/${walletAddress}/confirmed/history?limit=1000`)).body.result);
    expect((await banana(`/bsv/main/address/${walletAddress}/unspent/all?limit=1001`)).status).toBe(400);
  });

  it('a broadcast with its txid, and the reason of a refusal', async () => {
    const raw = spend(await sandbox.coin());
    expect((await banana('/tx/broadcast', { rawtx: toHex(raw) })).body).toEqual({ txid: txidOf(raw) });
    expect((await banana('/tx/broadcast', { rawtx: 'zz' })).status).toBe(400);
  });
});

describe('third-party clients of the public services:', () => {
  const toolbox = new WhatsOnChainNoServices('test', {
    httpClient: { request: (url: string, options: never) => clientOf(sandbox).request(url, options) },
  } as never);

  it('the wallet toolbox reads transactions, states, histories and outputs', async () => {
    expect(await toolbox.getRawTx(mined.txid)).toBe(toHex(mined.raw));
    expect(await toolbox.getRawTx(nowhere)).toBeUndefined();
    const { results } = await toolbox.getStatusForTxids([mined.txid, waiting.txid, nowhere]);
    expect(results.map(({ status }) => status)).toEqual(['mined', 'known', 'unknown']);
    const hash = toHex(sha256(lockingScriptOf(walletKey)));
    const { history } = await toolbox.getScriptHashConfirmedHistory(reverseHex(hash));
    expect(history).toContainEqual({ txid: mined.txid, height: mined.height });
    const outputs = await toolbox.getUtxoStatus(hash, 'hashBE', `${waiting.txid}.0`);
    expect(outputs).toMatchObject({ status: 'success', isUtxo: true });
  });

  it('the SDK broadcasts, and the toolbox understands why a second spend is refused', async () => {
    const coin = await sandbox.coin();
    const raw = spend(coin);
    const broadcaster = new WhatsOnChainBroadcaster('test', clientOf(sandbox));
    expect(await broadcaster.broadcast(Transaction.fromHex(toHex(raw)))).toMatchObject({
      status: 'success',
      txid: txidOf(raw),
    });
    expect(await toolbox.postRawTx(toHex(raw))).toMatchObject({ status: 'success', txid: txidOf(raw) });
    expect(await toolbox.postRawTx(toHex(spend(coin, 300)))).toMatchObject({ status: 'error', doubleSpend: true });
    expect(MerklePath.fromHex((await woc(`/tx/${mined.txid}/proof/bump`)).body).blockHeight).toBe(mined.height);
  });
});
