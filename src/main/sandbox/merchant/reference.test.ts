import { afterAll, beforeAll, expect, it } from 'vitest';
import { concatBytes, toHex, txidOf } from '../../../chain/index.ts';
import { failed, payloadOf, spend } from '../test-support/merchant.ts';
import { TestSandbox } from '../test-support/open-sandbox.ts';
import { messageOf, sandboxesAndReceivers } from '../test-support/receiver.ts';

const { receive } = sandboxesAndReceivers();

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await TestSandbox.open();
});
afterAll(() => sandbox.remove());

it('a status has its keys in the order of the reference, for a txid in either case', async () => {
  const raw = spend(await sandbox.coin());
  const status = async (txid = txidOf(raw)) => payloadOf(await sandbox.mapi('GET', `/tx/${txid}`));
  const unknown = ['apiVersion', 'timestamp', 'txid', 'returnResult', 'resultDescription', 'minerId'];
  expect(Object.keys(await status())).toEqual([...unknown, 'txSecondMempoolExpiry']);
  await sandbox.mapi('POST', '/tx', { rawTx: toHex(raw) });
  const {
    hashes: [blockHash],
  } = await sandbox.service.mine({ blocks: 1 });
  const mined = await status();
  expect(Object.entries(mined)).toEqual(
    Object.entries({
      apiVersion: '1.2.0',
      timestamp: mined.timestamp,
      txid: txidOf(raw),
      returnResult: 'success',
      blockHash,
      blockHeight: sandbox.service.node.tip().height,
      confirmations: 1,
      minerId: mined.minerId,
      txSecondMempoolExpiry: 0,
    }),
  );
  expect(await status(txidOf(raw).toUpperCase())).toEqual(mined);
});

it('query options apply to a single binary transaction, and to all of a binary batch', async () => {
  const receiver = await receive();
  const raws = [spend(await sandbox.coin()), spend(await sandbox.coin()), spend(await sandbox.coin())];
  const query = new URLSearchParams({ CALLBACKURL: receiver.url, callbackToken: 'Bearer x', merkleProof: 'true' });
  const [single, ...rest] = raws as [Uint8Array, Uint8Array, Uint8Array];
  expect(payloadOf(await sandbox.mapi('POST', `/tx?${query}&merkleFormat=TSC`, single)).returnResult).toBe('success');
  expect(payloadOf(await sandbox.mapi('POST', `/txs?${query}`, concatBytes(...rest))).failureCount).toBe(0);
  await sandbox.service.mine({ blocks: 1 });
  const heard = [await receiver.next(1), await receiver.next(2), await receiver.next(3)];
  expect(heard.map(({ headers }) => headers.authorization)).toEqual(['Bearer x', 'Bearer x', 'Bearer x']);
  const told = heard.map(({ body }) => messageOf(body));
  expect(told.map(({ message }) => message.callbackTxId).sort()).toEqual(raws.map((raw) => txidOf(raw)).sort());
  for (const { message, payload } of told) {
    const tsc = message.callbackTxId === txidOf(single);
    expect(Object.keys(payload)[0]).toBe(tsc ? 'index' : 'flags');
  }
});

it('options of a batch element override the defaults of the query, and null counts as absent', async () => {
  const elements = await Promise.all([0, 1, 2].map(async () => ({ rawTx: toHex(spend(await sandbox.coin())) })));
  const [plain, own, none] = elements as [object, object, object];
  const body = [plain, { ...own, merkleFormat: 'TSC' }, { ...none, merkleFormat: null }];
  const { txs, failureCount } = payloadOf(await sandbox.mapi('POST', '/txs?defaultMerkleFormat=X', body));
  const refused = failed('Invalid merkle format X. Supported formats: TSC.');
  expect(failureCount).toBe(2);
  expect(txs.slice(0, 2)).toMatchObject([refused, refused]);
  expect(txs[2]).toMatchObject({ returnResult: 'success' });
});

it('a problem document has the keys of the reference', async () => {
  const { body, headers, status } = await sandbox.mapi('GET', '/tx/abc');
  expect([status, headers.get('content-type')]).toEqual([400, expect.stringContaining('application/problem+json')]);
  expect(Object.keys(body)).toEqual(expect.arrayContaining(['type', 'title', 'status', 'traceId']));
  expect(Object.keys(body).filter((key) => !['type', 'title', 'status', 'detail', 'traceId'].includes(key))).toEqual(
    [],
  );
});
