import { PrivateKey } from '@bsv/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  dataScript,
  fromHex,
  hash160,
  p2pkhScript,
  parseTx,
  satoshis,
  serializeTx,
  signP2pkhInputs,
  toHex,
  txidOf,
} from '../../../chain/index.ts';
import { described, publicKeyOf, TestSandbox } from '../test-support/open-sandbox.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await TestSandbox.open();
});
afterAll(() => sandbox.remove());

const key = PrivateKey.fromHex('77'.repeat(32));
const script = p2pkhScript(hash160(publicKeyOf(key)));

/** As the data-writing client registers: DER over the SHA-256 of the API key (which the SDK takes of what it signs). */
function registration(apiKey: string, signer = key) {
  return {
    signature: toHex(Uint8Array.from(signer.sign(Array.from(Buffer.from(apiKey))).toDER() as number[])),
    publicKey: key.toPublicKey().toString(),
  };
}

const call = (method: string, path: string, body?: unknown, apiKey = sandbox.service.apiKey()) =>
  sandbox.mapi(method, path, body, { authorization: `Bearer ${apiKey}` });

/** Adds a data output to a template and signs it. */
function fill(templates: { feeTransaction: string; dataTransaction: string }, data: Uint8Array): string {
  const fee = parseTx(fromHex(templates.feeTransaction));
  const frame = parseTx(fromHex(templates.dataTransaction));
  const funded = fee.outputs[0] as (typeof fee.outputs)[number];
  const spent = [{ txid: txidOf(fee), vout: 0, satoshis: funded.satoshis, lockingScript: funded.script }];
  const outputs = [{ satoshis: satoshis(0), script: dataScript([Buffer.from('text/plain'), data]) }];
  return toHex(serializeTx(signP2pkhInputs({ ...frame, outputs }, spent, key)));
}

describe('the funding service of the data-writing client', () => {
  it('registers a key, pays for a document and accepts it', async () => {
    const { apiKey } = await sandbox.service.createKey({});
    expect((await call('GET', '/txTemplates?size=100&feesRequired=true', undefined, apiKey)).status).toBe(400);
    expect((await call('POST', '/pubkey', registration(apiKey), apiKey)).status).toBe(200);
    expect((await call('POST', '/api/v1/pubkey', registration(apiKey), apiKey)).status).toBe(200);
    const data = Buffer.alloc(20_000, 'd');
    for (const feesRequired of [true, false]) {
      const size = dataScript([Buffer.from('text/plain'), data]).length + 8 + 3;
      const path = `/api/v1/txTemplates?size=${size}&feesRequired=${feesRequired}`;
      const { status, body } = await call('GET', path, undefined, apiKey);
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual(['feeTransaction', 'dataTransaction']);
      const fee = parseTx(fromHex(body.feeTransaction));
      expect(fee.outputs[0]?.script).toEqual(script);
      expect(parseTx(fromHex(body.dataTransaction))).toMatchObject({
        inputs: [{ txid: txidOf(fee), vout: 0 }],
        outputs: [],
      });
      const dataTransaction = fill(body, data);
      const submitted = await sandbox.send(
        'POST',
        '/mapi/api/v1/submitTransactions',
        { feeTransaction: body.feeTransaction, dataTransaction },
        { authorization: apiKey },
      );
      const txid = txidOf(fromHex(dataTransaction));
      expect(submitted).toMatchObject({ status: 201, body: { status: 201, txid } });
      if (feesRequired) expect(fee.outputs[0]?.satoshis).toBeGreaterThanOrEqual(Math.floor(dataTransaction.length / 4));
      expect(sandbox.service.node.mempool.has(txid)).toBe(true);
    }
    await sandbox.service.mine({ blocks: 1 });
    expect(sandbox.service.node.mempool.size).toBe(0);
    // the document has the addresses below /api/v1 too, which clients use
    const held = described.flatMap(({ seen }) => [...seen]);
    for (const base of ['', '/api/v1']) expect(held).toContain(`POST ${base}/pubkey 200`);
    expect(held).toEqual(
      expect.arrayContaining(['GET /api/v1/txTemplates 200', 'POST /api/v1/submitTransactions 201']),
    );
  });

  it('accepts a document whose payment was mined first', async () => {
    const { apiKey } = await sandbox.service.createKey({});
    await call('POST', '/pubkey', registration(apiKey), apiKey);
    const { body } = await call('GET', '/txTemplates?size=100', undefined, apiKey);
    await sandbox.service.mine({ blocks: 1 });
    const dataTransaction = fill(body, Buffer.from('late'));
    const submit = () =>
      call('POST', '/submitTransactions', { feeTransaction: body.feeTransaction, dataTransaction }, apiKey);
    expect((await submit()).status).toBe(201);
    await sandbox.service.mine({ blocks: 1 });
    expect((await submit()).status).toBe(201);
  });

  it('refuses unsigned, unknown and foreign requests', async () => {
    const { apiKey } = await sandbox.service.createKey({});
    const wrong = registration(apiKey, PrivateKey.fromHex('78'.repeat(32)));
    expect(await call('POST', '/pubkey', wrong, apiKey)).toMatchObject({
      status: 400,
      body: { status: 400, error: 'signature is not by publicKey over the apikey' },
    });
    for (const body of [{}, { ...wrong, publicKey: '00' }, { ...wrong, signature: 'zz' }, [], 'x']) {
      expect((await call('POST', '/pubkey', body, apiKey)).status).toBe(400);
    }
    expect((await call('POST', '/pubkey', registration(apiKey), 'unknown')).status).toBe(401);
    expect((await call('POST', '/pubkey', registration(apiKey), apiKey)).status).toBe(200);
    const other = PrivateKey.fromHex('79'.repeat(32));
    const second = {
      signature: toHex(Uint8Array.from(other.sign(Array.from(Buffer.from(apiKey))).toDER() as number[])),
      publicKey: other.toPublicKey().toString(),
    };
    expect((await call('POST', '/pubkey', second, apiKey)).status).toBe(409);
    for (const size of ['0', '-1', 'x', '1e3', '', '99999999999']) {
      expect((await call('GET', `/txTemplates?size=${size}`, undefined, apiKey)).status).toBe(400);
    }
    expect((await call('GET', '/txTemplates?size=999999999', undefined, apiKey)).status).toBe(413);
    const { body } = await call('GET', '/txTemplates?size=100', undefined, apiKey);
    for (const bad of [
      { ...body, dataTransaction: 'zz' },
      { feeTransaction: body.feeTransaction },
      body.feeTransaction,
    ]) {
      expect((await call('POST', '/submitTransactions', bad, apiKey)).status).toBe(400);
    }
    const unsigned = await call('POST', '/submitTransactions', body, apiKey);
    expect(unsigned.status).toBe(400);
    expect(unsigned.body.error).toMatch(/^16 /);
  });
});
