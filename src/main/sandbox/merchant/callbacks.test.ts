import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MerklePath } from '@bsv/sdk';
import sodium from 'libsodium-wrappers';
import { afterEach, describe, expect, it } from 'vitest';
import {
  hash160,
  p2pkhScript,
  parseHeader,
  parseTx,
  satoshis,
  serializeTx,
  signP2pkhInputs,
  toHex,
  txidOf,
  verifyEnvelope,
  verifyTscProof,
} from '../../../chain/index.ts';
import { publicKeyOf, TestSandbox, walletKey } from '../test-support/open-sandbox.ts';
import { isPrivateAddress } from './receivers.ts';

const ownScript = p2pkhScript(hash160(publicKeyOf(walletKey)));

function spend(coin: { txid: string; vout: number; satoshis: number }, fee = 200): Uint8Array {
  const tx = {
    version: 1,
    inputs: [{ txid: coin.txid, vout: coin.vout, script: new Uint8Array(), sequence: 0xffffffff }],
    outputs: [{ satoshis: satoshis(coin.satoshis - fee), script: ownScript }],
    lockTime: 0,
  };
  return serializeTx(
    signP2pkhInputs(tx, [{ ...coin, satoshis: satoshis(coin.satoshis), lockingScript: ownScript }], walletKey),
  );
}

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A receiver on a port of its own. */
class Receiver {
  readonly got: Received[] = [];
  status = 200;
  /** Never answers. */
  silent = false;
  readonly #server: Server;

  static async open(port = 0): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => receiver.#server.listen(port, '127.0.0.1', resolve));
    return receiver;
  }

  private constructor() {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        this.got.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts) });
        if (!this.silent) response.writeHead(this.status).end();
      });
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async next(count = 1): Promise<Received> {
    await expect.poll(() => this.got.length, { timeout: 8_000, interval: 10 }).toBeGreaterThanOrEqual(count);
    return this.got[count - 1] as Received;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function open(settings: Parameters<typeof TestSandbox.open>[0] = {}): Promise<TestSandbox> {
  const sandbox = await TestSandbox.open(settings);
  closers.push(() => sandbox.remove());
  return sandbox;
}

async function receive(): Promise<Receiver> {
  const receiver = await Receiver.open();
  closers.push(() => receiver.close());
  return receiver;
}

async function submit(sandbox: TestSandbox, raw: Uint8Array, options: Record<string, unknown>): Promise<void> {
  const { body } = await sandbox.mapi('POST', '/tx', { rawTx: toHex(raw), ...options });
  expect(JSON.parse(body.payload)).toMatchObject({ returnResult: 'success' });
}

function messageOf(body: Buffer, signature: 'valid' | 'unsigned' = 'valid') {
  const envelope = JSON.parse(body.toString('utf8'));
  expect(verifyEnvelope(envelope)).toBe(signature);
  const message = JSON.parse(envelope.payload);
  return { envelope, message, payload: JSON.parse(message.callbackPayload) };
}

describe('a Merkle proof', () => {
  it('comes in both forms, signed, with the token as it was given, and holds for the SDK', async () => {
    const [sandbox, receiver] = [await open(), await receive()];
    const [first, second] = [spend(await sandbox.coin()), spend(await sandbox.coin())];
    const callbackUrl = `${receiver.url}/channel/{CallbackReason}?x=1`;
    await submit(sandbox, first, { callbackUrl, callbackToken: 'Bearer  abc', merkleProof: true, merkleFormat: 'TSC' });
    await submit(sandbox, second, { callbackUrl, merkleProof: true });
    const [hash] = await sandbox.service.mine(1);

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
    const [before] = await sandbox.service.mine(1);
    expect(messageOf((await receiver.next(1)).body).message.blockHash).toBe(before);
    await sandbox.service.reorg(1);
    const [after] = await sandbox.service.mine(1);
    expect(messageOf((await receiver.next(2)).body).message.blockHash).toBe(after);
  });

  it('is sealed so that only the holder of the key reads it', async () => {
    const [sandbox, receiver] = [await open(), await receive()];
    await sodium.ready;
    const keys = sodium.crypto_box_keypair();
    const raw = spend(await sandbox.coin());
    const callbackEncryption = `libsodium sealed_box ${Buffer.from(keys.publicKey).toString('base64')}`;
    await submit(sandbox, raw, { callbackUrl: receiver.url, merkleProof: true, callbackEncryption });
    await sandbox.service.mine(1);
    const { headers, body } = await receiver.next();
    expect(headers['content-type']).toBe('application/octet-stream');
    const opened = sodium.crypto_box_seal_open(body, keys.publicKey, keys.privateKey);
    expect(messageOf(Buffer.from(opened)).message.callbackTxId).toBe(txidOf(raw));
  });

  it('is not signed where that is turned off, and holds an object from version 1.5.0', async () => {
    const [sandbox, receiver] = [await open({ signEnvelopes: false, mapiVersion: '1.5.0' }), await receive()];
    await submit(sandbox, spend(await sandbox.coin()), { callbackUrl: receiver.url, merkleProof: true });
    await sandbox.service.mine(1);
    const envelope = JSON.parse((await receiver.next()).body.toString());
    expect(envelope).toMatchObject({ signature: null, publicKey: null, encoding: 'json' });
    const message = JSON.parse(envelope.payload);
    expect(message).toMatchObject({ apiVersion: '1.5.0', callbackPayload: { flags: 2 } });
    expect(message).not.toHaveProperty('minerId');
  });
});

describe('a double-spend', () => {
  it('is told when it is tried and when it is mined', async () => {
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

describe('delivery', () => {
  it('tries again until the receiver takes it, over a restart too', async () => {
    const [sandbox, receiver] = [await open(), await receive()];
    receiver.status = 503;
    const raw = spend(await sandbox.coin());
    await submit(sandbox, raw, { callbackUrl: receiver.url, merkleProof: true });
    await sandbox.service.mine(1);
    await receiver.next(1);
    await expect.poll(async () => (await sandbox.service.status()).callbacks).toEqual({ waiting: 1, givenUp: 0 });
    await sandbox.restart();
    receiver.status = 204;
    sandbox.clock.advance(5_000);
    expect(messageOf((await receiver.next(2)).body).message.callbackTxId).toBe(txidOf(raw));
    await expect.poll(async () => (await sandbox.service.status()).callbacks.waiting).toBe(0);
  });

  it('tells after a start what happened while nobody listened', async () => {
    const [sandbox, receiver] = [await open(), await receive()];
    const raw = spend(await sandbox.coin());
    await submit(sandbox, raw, { callbackUrl: receiver.url, merkleProof: true });
    receiver.silent = true;
    await sandbox.service.mine(1);
    await receiver.next(1);
    await sandbox.service.stop();
    await sandbox.edit(async (db) => {
      await db.deleteFrom('mapi_callbacks').execute();
      await db.updateTable('mapi_watches').set({ proven_block: null, proven_height: null }).execute();
    });
    receiver.silent = false;
    await sandbox.service.start();
    expect(messageOf((await receiver.next(2)).body).message.callbackTxId).toBe(txidOf(raw));
  });

  it('is not held up by receivers that are slow or gone', async () => {
    const [sandbox, slow, gone, good] = [await open(), await receive(), await receive(), await receive()];
    slow.silent = true;
    const goneUrl = gone.url;
    await gone.close();
    closers.splice(closers.length - 2, 1);
    for (const callbackUrl of [slow.url, slow.url, goneUrl, good.url, good.url]) {
      await submit(sandbox, spend(await sandbox.coin()), { callbackUrl, merkleProof: true });
    }
    await sandbox.service.mine(1);
    await good.next(2);
    // the slow one has not answered its first message, so it was not sent its second
    expect(slow.got).toHaveLength(1);
  });

  it('loses messages when that is rehearsed', async () => {
    const [sandbox, receiver] = [await open(), await receive()];
    sandbox.service.setFault({ name: 'callbacks-lost', value: 0, times: 1, area: 'all' });
    for (const n of [1, 2]) {
      await submit(sandbox, spend(await sandbox.coin(100_000 + n)), { callbackUrl: receiver.url, merkleProof: true });
    }
    await sandbox.service.mine(1);
    await receiver.next(1);
    await expect.poll(async () => (await sandbox.service.status()).callbacks.waiting).toBe(0);
    expect(receiver.got).toHaveLength(1);
    expect((await sandbox.service.status()).faults).toEqual([]);
  });
});

describe('what may be asked for', () => {
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

  it('knows private addresses in all their forms', () => {
    for (const address of [
      '10.0.0.1',
      '172.31.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '0.0.0.0',
      '::1',
      'fd00::1',
      'fe80::1',
      '::ffff:127.0.0.1',
      '::',
    ]) {
      expect(isPrivateAddress(address), address).toBe(true);
    }
    for (const address of ['8.8.8.8', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8', 'example.com']) {
      expect(isPrivateAddress(address), address).toBe(false);
    }
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
