import { MerklePath } from '@bsv/sdk';
import sodium from 'libsodium-wrappers';
import { describe, expect, it } from 'vitest';
import { parseHeader, parseTx, toHex, txidOf, verifyTscProof } from '../../../../chain/index.ts';
import { failed, spend, submit } from '../../test-support/merchant.ts';
import type { TestSandbox } from '../../test-support/open-sandbox.ts';
import { messageOf, sandboxesAndReceivers } from '../../test-support/receiver.ts';

const { open, receive } = sandboxesAndReceivers();
/** `mempoolexpiry` of the node, 336 hours, and a second. */
const EXPIRY_MS = 336 * 3_600_000 + 1_000;

describe('a Merkle proof sent as a callback', () => {
  it('is sent in both formats, signed, with the given token, and is valid for the SDK', async () => {
    const [sandbox, receiver] = [await open(), await receive()];
    const [first, second] = [spend(await sandbox.coin()), spend(await sandbox.coin())];
    const callbackUrl = `${receiver.url}/channel/{CallbackReason}?x=1`;
    await submit(sandbox, first, { callbackUrl, callbackToken: 'Bearer  abc', merkleProof: true, merkleFormat: 'TSC' });
    await submit(sandbox, second, { callbackUrl, merkleProof: true });
    const {
      hashes: [hash],
    } = await sandbox.service.mine({ blocks: 1 });

    const tsc = await receiver.next(1);
    expect(tsc.path).toBe('/channel/merkleProof?x=1');
    expect(tsc.headers).toMatchObject({ authorization: 'Bearer  abc', 'content-type': 'application/json' });
    const { envelope, message, payload } = messageOf(tsc.body);
    expect(Object.keys(message)).toEqual([
      'callbackPayload',
      'apiVersion',
      'timestamp',
      'minerId',
      'blockHash',
      'blockHeight',
      'callbackTxId',
      'callbackReason',
    ]);
    expect(message).toMatchObject({
      apiVersion: '1.2.0',
      minerId: envelope.publicKey,
      blockHash: hash,
      blockHeight: 121,
      callbackTxId: txidOf(first),
      callbackReason: 'merkleProof',
    });
    expect(Object.keys(payload)).toEqual(['index', 'txOrId', 'targetType', 'target', 'nodes']);
    const root = parseHeader(Buffer.from(payload.target, 'hex')).merkleRoot;
    expect(verifyTscProof(payload, root)).toBe(true);
    expect(await bumpRoot(payload, 121)).toBe(root);

    const node = await receiver.next(2);
    expect(node.headers.authorization).toBeUndefined();
    const { payload: older } = messageOf(node.body);
    expect(Object.keys(older)).toEqual(['flags', 'index', 'txOrId', 'target', 'nodes']);
    expect(older).toMatchObject({ flags: 2, txOrId: txidOf(second), target: { hash, height: 121, merkleroot: root } });
    expect(await bumpRoot(older, 121)).toBe(root);
  });

  it('is sent again for another block after a reorganisation', async () => {
    const [sandbox, receiver] = [await open(), await receive()];
    await submit(sandbox, spend(await sandbox.coin()), { callbackUrl: receiver.url, merkleProof: true });
    const {
      hashes: [before],
    } = await sandbox.service.mine({ blocks: 1 });
    expect(messageOf((await receiver.next(1)).body).message.blockHash).toBe(before);
    await sandbox.service.reorg({ depth: 1 });
    const {
      hashes: [after],
    } = await sandbox.service.mine({ blocks: 1 });
    expect(messageOf((await receiver.next(2)).body).message.blockHash).toBe(after);
  });

  it('is encrypted so that only the holder of the key can read it', async () => {
    const [sandbox, receiver] = [await open(), await receive()];
    await sodium.ready;
    const keys = sodium.crypto_box_keypair();
    const raw = spend(await sandbox.coin());
    const callbackEncryption = `libsodium sealed_box ${Buffer.from(keys.publicKey).toString('base64')}`;
    await submit(sandbox, raw, { callbackUrl: receiver.url, merkleProof: true, callbackEncryption });
    await sandbox.service.mine({ blocks: 1 });
    const { headers, body } = await receiver.next();
    expect(headers['content-type']).toBe('application/octet-stream');
    const opened = sodium.crypto_box_seal_open(body, keys.publicKey, keys.privateKey);
    expect(messageOf(Buffer.from(opened)).message.callbackTxId).toBe(txidOf(raw));
  });

  it('is unsigned if signing is disabled, and contains an object from version 1.5.0', async () => {
    const [sandbox, receiver] = [await open({ signEnvelopes: false, mapiVersion: '1.5.0' }), await receive()];
    await submit(sandbox, spend(await sandbox.coin()), { callbackUrl: receiver.url, merkleProof: true });
    await sandbox.service.mine({ blocks: 1 });
    const envelope = JSON.parse((await receiver.next()).body.toString());
    expect(envelope).toMatchObject({ signature: null, publicKey: null, encoding: 'json' });
    const message = JSON.parse(envelope.payload);
    expect(message).toMatchObject({ apiVersion: '1.5.0', callbackPayload: { flags: 2 } });
    expect(message).not.toHaveProperty('minerId');
  });
});

describe('a transaction that is submitted again with a callback', () => {
  const answerTo = async (sandbox: TestSandbox, raw: Uint8Array, options: Record<string, unknown>) =>
    JSON.parse((await sandbox.mapi('POST', '/tx', { rawTx: toHex(raw), ...options })).body.payload);

  it('keeps its first callback request, and is reported once', async () => {
    const [sandbox, receiver] = [await open(), await receive()];
    const raw = spend(await sandbox.coin());
    const first = { callbackUrl: `${receiver.url}/first`, merkleProof: true };
    await submit(sandbox, raw, first);
    expect(await answerTo(sandbox, raw, first)).toMatchObject(failed('Transaction already in the mempool'));
    sandbox.set({ mapiVersion: '1.5.0' });
    const success = { returnResult: 'success', resultDescription: 'Already known' };
    expect(await answerTo(sandbox, raw, first)).toMatchObject(success);
    expect(await answerTo(sandbox, raw, {})).toMatchObject(success);
    for (const other of [{ callbackUrl: `${receiver.url}/other` }, { callbackToken: 'x' }, { merkleFormat: 'TSC' }]) {
      expect(await answerTo(sandbox, raw, { ...first, ...other })).toMatchObject({
        txid: txidOf(raw),
        ...failed('Transaction already submitted with different parameters.'),
      });
    }
    await sandbox.service.mine({ blocks: 1 });
    await receiver.next(1);
    await expect.poll(async () => (await sandbox.service.status()).callbacks.waiting).toBe(0);
    expect(receiver.got.map(({ path }) => path)).toEqual(['/first']);
  });
});

describe('a transaction that left the mempool while its proof is pending', () => {
  it('must be resubmitted with its ancestors, and is reported once', async () => {
    const [sandbox, receiver] = [await open({ mapiVersion: '1.5.0' }), await receive()];
    const coin = await sandbox.coin();
    await sandbox.service.mine({ blocks: 1 });
    const parent = spend(coin);
    const child = spend({ txid: txidOf(parent), vout: 0, satoshis: parseTx(parent).outputs[0]?.satoshis ?? 0 });
    const asked = { callbackUrl: receiver.url, merkleProof: true };
    await submit(sandbox, parent, {});
    await submit(sandbox, child, asked);
    sandbox.clock.advance(EXPIRY_MS);
    await sandbox.service.node.expire();
    expect(sandbox.service.node.mempool.txids()).toEqual([]);
    const refused = await sandbox.mapi('POST', '/tx', { rawTx: toHex(child), ...asked });
    expect(JSON.parse(refused.body.payload)).toMatchObject({
      ...failed('Transaction is already present in db, but unconfirmed ancestors are missing, retry again.'),
      failureRetryable: true,
    });
    await submit(sandbox, parent, {});
    await submit(sandbox, child, asked);
    await sandbox.service.mine({ blocks: 1 });
    await receiver.next(1);
    await expect.poll(async () => (await sandbox.service.status()).callbacks.waiting).toBe(0);
    expect(receiver.got).toHaveLength(1);
  });
});

describe('a double-spend', () => {
  it('is reported when it is attempted and when it is mined', async () => {
    const [sandbox, receiver] = [await open(), await receive()];
    const coin = await sandbox.coin();
    const [victim, rival] = [spend(coin), spend(coin, 400)];
    await submit(sandbox, victim, { callbackUrl: `${receiver.url}/{callbackReason}`, dsCheck: true });
    await sandbox.mapi('POST', '/tx', { rawTx: toHex(rival) });
    const tried = await receiver.next(1);
    expect(tried.path).toBe('/doubleSpendAttempt');
    expect(messageOf(tried.body)).toMatchObject({
      message: { blockHash: '', blockHeight: -1, callbackTxId: txidOf(victim), callbackReason: 'doubleSpendAttempt' },
      payload: { doubleSpendTxId: txidOf(rival), payload: toHex(rival) },
    });

    const answer = await sandbox.admin('POST', '/double-spend', { txid: txidOf(victim) });
    const { txid } = answer.body.data;
    const mined = messageOf((await receiver.next(2)).body);
    const tip = sandbox.service.node.tip();
    expect(mined).toMatchObject({
      message: { blockHash: tip.hash, blockHeight: tip.height, callbackReason: 'doubleSpend' },
      payload: { doubleSpendTxId: txid },
    });
    expect(parseTx(Buffer.from(mined.payload.payload, 'hex')).inputs).toEqual(parseTx(victim).inputs);
    expect(JSON.parse((await sandbox.mapi('GET', `/tx/${txidOf(victim)}`)).body.payload).returnResult).toBe('failure');
  });
});

describe('an invalid callback request', () => {
  it('is refused with the reason', async () => {
    const sandbox = await open({ refusePrivateCallbacks: true });
    const rawTx = toHex(spend(await sandbox.coin()));
    const reasonFor = async (options: Record<string, unknown>) =>
      JSON.parse((await sandbox.mapi('POST', '/tx', { rawTx, merkleProof: true, ...options })).body.payload)
        .resultDescription;
    for (const url of [
      'http://127.0.0.1/x',
      'http://localhost:80',
      'https://10.1.2.3',
      'http://[::1]/',
      'http://2130706433/',
    ]) {
      expect(await reasonFor({ callbackUrl: url }), url).toBe('CallbackUrl is a private address');
    }
    for (const url of ['ftp://a.example', 'file:///etc/passwd', 'http://{callbackReason}.example/', 'http://a b/']) {
      expect(await reasonFor({ callbackUrl: url }), url).toBe('CallbackUrl is not an http(s) URL');
    }
    const callbackUrl = 'https://receiver.example';
    expect(await reasonFor({ callbackUrl, callbackToken: 'a\r\nb' })).toBe('CallbackToken contains invalid characters');
    expect(await reasonFor({ callbackUrl, callbackEncryption: 'rot13 key' })).toBe(
      'CallbackEncryption contains unsupported encryption type',
    );
    expect(await reasonFor({ callbackUrl, callbackEncryption: `libsodium sealed_box ${'A'.repeat(1_100)}` })).toBe(
      'CallbackEncryption contains encryption token that is too long',
    );
    expect(await reasonFor({ callbackUrl, callbackEncryption: 'libsodium sealed_box AAAA' })).toBe(
      'CallbackEncryption contains an encryption key that is not 32 bytes in Base64',
    );
  });
});

/** The Merkle root @bsv/sdk computes from one of our proofs, written as a BUMP (BRC-74). */
async function bumpRoot(proof: { index: number; txOrId: string; nodes: string[] }, height: number): Promise<string> {
  const path = proof.nodes.map((node, level) => {
    const offset = (proof.index >> level) ^ 1;
    const sibling = node === '*' ? { offset, duplicate: true } : { offset, hash: node };
    return level === 0 ? [{ offset: proof.index, hash: proof.txOrId, txid: true }, sibling] : [sibling];
  });
  for (const level of path) level.sort((a, b) => a.offset - b.offset);
  const read = MerklePath.fromHex(new MerklePath(height, path).toHex());
  return read.computeRoot(proof.txOrId);
}
