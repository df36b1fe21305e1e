import { describe, expect, it } from 'vitest';
import { parseTxObj, serializeTx, toHex, txidOf, type Utxo, verifyEnvelope } from '../../../chain/index.ts';
import { lockingScriptOf } from '../node/test-support/open-node.ts';
import { outputCoin, spend } from '../node/test-support/spend.ts';
import { refused, sign, TestSandbox, walletKey } from '../test-support/open-sandbox.ts';

const open = TestSandbox.ofTest;
const height = (sandbox: TestSandbox): number => sandbox.service.node.tip().height;

describe('the clock of the sandbox', () => {
  it('runs from a set time, or stays fixed there, also after a restart', async () => {
    const sandbox = await open();
    const now = async () => (await sandbox.admin('GET', '/status')).body.data.clock;
    await sandbox.admin('POST', '/clock', { at: Date.UTC(2027, 0, 1) });
    sandbox.clock.advance(60_000);
    expect(await now()).toEqual({ now: '2027-01-01T00:01:00.000Z', frozen: false });
    await sandbox.restart();
    expect((await sandbox.token('GET', '/quota')).body.data.startDate).toBe('2027-01-01T00:00:00.000Z');
    await sandbox.admin('POST', '/clock', { at: Date.UTC(2028, 0, 1), frozen: true });
    sandbox.clock.advance(60_000);
    expect(await now()).toEqual({ now: '2028-01-01T00:00:00.000Z', frozen: true });
    await sandbox.service.mine({ blocks: 1 });
    expect(sandbox.service.node.tip().time).toBe(Date.UTC(2028, 0, 1));
    await sandbox.admin('POST', '/clock', { at: null });
    expect(await now()).toEqual({ now: new Date(sandbox.clock.now()).toISOString(), frozen: false });
  });
});

describe('faults of the sandbox', () => {
  const fault = (sandbox: TestSandbox, body: Record<string, unknown>) => sandbox.admin('POST', '/faults', body);

  it('are listed while enabled, and cleared by a restart', async () => {
    const sandbox = await open();
    await fault(sandbox, { name: 'latency', value: 5 });
    const { body } = await fault(sandbox, { name: 'http-error', value: 503, times: 2, area: 'mapi' });
    expect(body.data.faults).toEqual([
      { name: 'latency', value: 5, times: null, area: 'all' },
      { name: 'http-error', value: 503, times: 2, area: 'mapi' },
    ]);
    expect((await sandbox.token('GET', '/quota')).status).toBe(200);
    const statuses = [];
    const types = [];
    for (let n = 0; n < 3; n++) {
      const { status, headers } = await sandbox.mapi('GET', '/feeQuote');
      statuses.push(status);
      types.push(headers.get('content-type')?.split(';')[0]);
    }
    expect(statuses).toEqual([503, 503, 200]);
    expect(types).toEqual(['application/problem+json', 'application/problem+json', 'application/json']);
    expect((await sandbox.admin('DELETE', '/faults?name=latency')).body.data.faults).toEqual([]);
    await fault(sandbox, { name: 'latency', value: 5 });
    await sandbox.restart();
    expect((await sandbox.service.status()).faults).toEqual([]);
    expect(await fault(sandbox, { name: 'gravity' })).toMatchObject(refused(400, 'invalid-request'));
  });

  it('are enabled in several areas independently, until a fault of all areas replaces them', async () => {
    const sandbox = await open();
    const statuses = async () => [
      (await sandbox.token('GET', '/quota')).status,
      (await sandbox.mapi('GET', '/feeQuote')).status,
    ];
    await fault(sandbox, { name: 'http-error', value: 503, area: 'mapi' });
    await fault(sandbox, { name: 'http-error', value: 500, area: 'token', times: 1 });
    expect(await statuses()).toEqual([500, 503]);
    expect(await statuses()).toEqual([200, 503]);
    await fault(sandbox, { name: 'http-error', value: 502, area: 'token' });
    await fault(sandbox, { name: 'http-error', value: 504 });
    expect(await statuses()).toEqual([504, 504]);
    expect((await sandbox.service.status()).faults).toHaveLength(1);
    await fault(sandbox, { name: 'http-error', value: 503, area: 'mapi' });
    expect(await statuses()).toEqual([200, 503]);
    await fault(sandbox, { name: 'http-error', value: 503, area: 'token' });
    expect((await sandbox.admin('DELETE', '/faults?name=http-error')).body.data.faults).toEqual([]);
  });

  it('close connections or delay them, but do not affect the control API', async () => {
    const sandbox = await open();
    await fault(sandbox, { name: 'drop-connection', times: 1 });
    await expect(sandbox.token('GET', '/quota')).rejects.toThrow();
    await fault(sandbox, { name: 'latency', value: 300, times: 1 });
    // had the fault met this request, it would have been its one time
    expect((await sandbox.admin('GET', '/status')).body.data.faults).toHaveLength(1);
    const from = performance.now();
    await sandbox.token('GET', '/quota');
    expect(performance.now() - from).toBeGreaterThan(290);
    expect((await sandbox.admin('GET', '/status')).body.data.faults).toEqual([]);
  });

  it('fill the mempool for every API', async () => {
    const sandbox = await open();
    const { tx, transactionUid } = await sandbox.prepareMint();
    await fault(sandbox, { name: 'mempool-full' });
    const submitted = JSON.parse((await sandbox.mapi('POST', '/tx', { rawTx: tx })).body.payload);
    expect(submitted).toMatchObject({ returnResult: 'failure', resultDescription: 'evicted' });
    expect(await sandbox.submit(transactionUid, tx)).toMatchObject(refused(422, 'tx-rejected'));
    sandbox.set({ mapiVersion: '1.5.0' });
    const modern = JSON.parse((await sandbox.mapi('POST', '/tx', { rawTx: tx })).body.payload);
    expect(modern).toMatchObject({
      failureRetryable: true,
      resultDescription: 'Mempool error, retry again later. (details: 66 mempool full)',
    });
    await sandbox.admin('DELETE', '/faults');
    expect((await sandbox.submit(transactionUid, tx)).status).toBe(200);
  });

  it('expire quotes, corrupt signatures and tamper with transactions to sign', async () => {
    const sandbox = await open();
    await fault(sandbox, { name: 'quote-expired', times: 1 });
    const quote = JSON.parse((await sandbox.mapi('GET', '/feeQuote')).body.payload);
    expect(Date.parse(quote.expiryTime)).toBeLessThan(Date.parse(quote.timestamp));
    await fault(sandbox, { name: 'wrong-signature', times: 1 });
    expect(verifyEnvelope((await sandbox.mapi('GET', '/feeQuote')).body)).toBe('invalid');
    expect(verifyEnvelope((await sandbox.mapi('GET', '/feeQuote')).body)).toBe('valid');

    const projectUid = await sandbox.createProject();
    const uid = await sandbox.createOutput(projectUid);
    await fault(sandbox, { name: 'tampered-txobj', times: 1 });
    const { body } = await sandbox.createTransaction(projectUid, [uid]);
    const { tx, spent } = parseTxObj(body.data.txObj);
    expect(toHex(tx.outputs[1]?.script as Uint8Array)).not.toBe(toHex(spent[0]?.lockingScript as Uint8Array));
    const signed = sign(body.data.txObj);
    expect(await sandbox.submit(body.data.transactionUid, signed)).toMatchObject(refused(422, 'tx-different'));
  });

  it('double-spend an unconfirmed transaction, also with unconfirmed parents', async () => {
    const sandbox = await open();
    const { tx, transactionUid } = await sandbox.prepareMint();
    const { txId } = (await sandbox.submit(transactionUid, tx)).body.data;
    expect(await sandbox.admin('POST', '/double-spend', { txid: '00'.repeat(32) })).toMatchObject(
      refused(404, 'not-found'),
    );
    const tried = await sandbox.admin('POST', '/double-spend', { txid: txId, mined: false });
    expect(await sandbox.service.node.transaction(tried.body.data.txid)).toBeUndefined();
    const { txid } = (await sandbox.admin('POST', '/double-spend', { txid: txId })).body.data;
    expect(await sandbox.service.node.transaction(txId)).toBeUndefined();
    expect((await sandbox.service.node.transaction(txid))?.blockHeight).toBe(121);
  });

  it('double-spend a mined transaction, and survive a reorganisation and a restart', async () => {
    const sandbox = await open();
    const { tx, transactionUid } = await sandbox.prepareMint();
    const { txId } = (await sandbox.submit(transactionUid, tx)).body.data;
    await sandbox.service.mine({ blocks: 2 });
    const { txid } = (await sandbox.admin('POST', '/double-spend', { txid: txId })).body.data;
    expect(await sandbox.service.node.transaction(txId)).toBeUndefined();
    expect(await sandbox.service.node.transaction(txid)).toMatchObject({ blockHeight: 121 });
    await sandbox.restart();
    expect((await sandbox.admin('POST', '/reorg', { depth: 1 })).body.data.hashes).toHaveLength(2);
    expect(await sandbox.service.node.transaction(txid)).toMatchObject({ blockHeight: 121 });
  });
});

describe('a transaction relayed by a peer', () => {
  it('is accepted, waits for its parent, or is refused', async () => {
    const sandbox = await open();
    const { node } = sandbox.service;
    const script = lockingScriptOf(walletKey);
    const [coin] = await node.spendable(script);
    const parent = spend([coin as Utxo], walletKey, [{ satoshis: 100_000, script }]);
    const child = spend([outputCoin(parent, txidOf(serializeTx(parent)), 0)], walletKey, [
      { satoshis: 90_000, script },
    ]);
    const [parentTx, childTx] = [parent, child].map((tx) => toHex(serializeTx(tx)));
    const relay = async (rawTx?: string) => (await sandbox.admin('POST', '/relay', { rawTx })).body.data;
    const txid = txidOf(serializeTx(child));
    expect(await relay(childTx)).toEqual({ txid, outcome: 'orphan', reason: '16 missing-inputs' });
    expect(await relay('00')).toEqual({ txid: null, outcome: 'refused', reason: '1 tx-malformed' });
    expect(await relay(parentTx)).toMatchObject({ outcome: 'accepted', reason: null });
    expect(node.mempool.txids()).toContain(txid);
    const { status } = await sandbox.admin('POST', '/relay', { rawTx: 'abc' });
    expect(status).toBe(400);
  });
});

describe('the chain view of the sandbox', () => {
  it('has the newest blocks with their transactions, and what waits for the next', async () => {
    const sandbox = await open();
    const mined = [await sandbox.coin(), await sandbox.coin()];
    await sandbox.service.mine({ blocks: 2 });
    const waiting = [await sandbox.coin(), await sandbox.coin()];
    const { node } = sandbox.service;
    const { blocks, mempool } = await sandbox.service.chain({ limit: 3 });
    expect(blocks.map(({ height }) => height)).toEqual([120, 121, 122]);
    expect(blocks.map(({ txids }) => txids)).toEqual([[], mined.map(({ txid }) => txid), []]);
    expect(blocks.map(({ transactions }) => transactions)).toEqual([0, 2, 0]);
    expect(blocks.at(-1)).toMatchObject({ hash: node.tip().hash, time: node.tip().time });
    expect((await sandbox.service.status()).medianTime).toBe(node.chainTip().medianTime * 1_000);
    expect(mempool).toMatchObject({ count: 2, bytes: node.mempool.bytes });
    expect(mempool.transactions.map(({ txid }) => txid)).toEqual(waiting.map(({ txid }) => txid).reverse());
    expect((await sandbox.service.chain({ limit: 1_000 })).blocks).toHaveLength(123);
  });
});

describe('a reorganisation by the control API', () => {
  it.each([1, 3, 7])('replaces just the newest %i blocks, and their transactions wait again', async (depth) => {
    const sandbox = await open();
    const mined = await sandbox.coin();
    await sandbox.service.mine({ blocks: 1 });
    const { node } = sandbox.service;
    const kept = node.tip();
    const replaced = await sandbox.coin();
    const { hashes: gone } = await sandbox.service.mine({ blocks: depth });
    const { hashes } = (await sandbox.admin('POST', '/reorg', { depth })).body.data;
    expect(hashes).toHaveLength(depth + 1);
    expect(node.tip()).toMatchObject({ hash: hashes.at(-1), height: kept.height + depth + 1 });
    expect(node.chainEnds()).toMatchObject([
      { hash: hashes.at(-1), branchLength: 0, status: 'active' },
      { hash: gone.at(-1), height: kept.height + depth, branchLength: depth, status: 'valid-fork' },
    ]);
    expect(await node.transaction(mined.txid)).toMatchObject({ blockHash: kept.hash, confirmations: depth + 2 });
    expect(node.mempool.txids()).toEqual([replaced.txid]);
  });

  it('is undone: the blocks it replaced are the chain again, once', async () => {
    const sandbox = await open();
    const paid = await sandbox.coin();
    const { hashes: gone } = await sandbox.service.mine({ blocks: 3 });
    const { node } = sandbox.service;
    const {
      hashes: [first = ''],
    } = await sandbox.service.reorg({ depth: 3 });
    await sandbox.service.mine({ blocks: 2 });
    await sandbox.service.undoReorg({ hash: first });
    expect(node.tip().hash).toBe(gone.at(-1));
    expect(await node.transaction(paid.txid)).toMatchObject({ blockHash: gone[0] });
    expect(node.mempool.txids()).toEqual([]);
    await expect(sandbox.service.undoReorg({ hash: first })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('cannot go below the genesis block, or deeper than allowed', async () => {
    const sandbox = await open();
    for (const depth of [0, 1_001, 1.5, 'all']) {
      expect(await sandbox.admin('POST', '/reorg', { depth })).toMatchObject(refused(400, 'invalid-request'));
    }
    expect((await sandbox.admin('POST', '/reorg', { depth: 500 })).body.success).toBe(false);
    expect(height(sandbox)).toBe(120);
  });
});

describe('the request rate of the sandbox', () => {
  it('is limited for each key separately', async () => {
    const sandbox = await open({ maxRequestsPerSecond: 5 });
    const answers = await Promise.all(Array.from({ length: 12 }, () => sandbox.token('GET', '/quota')));
    const tooMany = answers.filter(({ status }) => status === 429);
    expect(tooMany.length).toBeGreaterThanOrEqual(5);
    expect(tooMany[0]).toMatchObject(refused(429, 'too-many-requests'));
    expect(tooMany[0]?.headers.get('retry-after')).toBe('1');
    const { apiKey: other } = await sandbox.service.createKey({ newUser: true });
    expect((await sandbox.token('GET', '/quota', undefined, { apikey: other })).status).toBe(200);
  });
});

it('the miner follows a mining setting that is changed at run time', async () => {
  const sandbox = await open();
  await sandbox.coin();
  sandbox.set({ mineInterval: '2s' });
  sandbox.clock.advance(2_000);
  await expect.poll(() => height(sandbox)).toBe(121);
});
