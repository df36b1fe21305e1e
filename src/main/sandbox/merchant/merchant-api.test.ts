import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fromHex, parseTx, serializeTx, toHex, txidOf } from '../../../chain/index.ts';
import type { Parameter } from '../../open-api/parts.ts';
import { mapiDocument } from '../openapi/mapi.ts';
import { failed, ownScript, payloadOf, spend } from '../test-support/merchant.ts';
import { refused, TestSandbox } from '../test-support/open-sandbox.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await TestSandbox.open();
});
afterAll(() => sandbox.remove());

const post = async (rawTx: Uint8Array | string, more: Record<string, unknown> = {}) =>
  payloadOf(await sandbox.mapi('POST', '/tx', { rawTx: typeof rawTx === 'string' ? rawTx : toHex(rawTx), ...more }));

describe('quotes of the merchant API', () => {
  it('have their keys in the order of the reference', async () => {
    const quote = payloadOf(await sandbox.mapi('GET', '/feeQuote'));
    const tip = sandbox.service.node.tip();
    expect(Object.entries(quote)).toEqual(
      Object.entries({
        apiVersion: '1.2.0',
        timestamp: '2026-11-21T12:00:00.000Z',
        expiryTime: '2026-11-21T12:10:00.000Z',
        minerId: quote.minerId,
        currentHighestBlockHash: tip.hash,
        currentHighestBlockHeight: tip.height,
        fees: ['standard', 'data'].map((feeType) => ({
          feeType,
          miningFee: { satoshis: 500, bytes: 1000 },
          relayFee: { satoshis: 250, bytes: 1000 },
        })),
      }),
    );
  });

  it('report the policies of the node', async () => {
    const quote = payloadOf(await sandbox.mapi('GET', '/policyQuote'));
    expect(quote.apiVersion).toBe('1.4.0');
    expect(Object.keys(quote).slice(-3)).toEqual(['fees', 'callbacks', 'policies']);
    expect(Object.keys(quote.policies)).toEqual([
      'skipscriptflags',
      'maxtxsizepolicy',
      'datacarriersize',
      'maxscriptsizepolicy',
      'maxscriptnumlengthpolicy',
      'maxstackmemoryusagepolicy',
      'limitancestorcount',
      'limitcpfpgroupmemberscount',
      'acceptnonstdoutputs',
      'datacarrier',
      'dustrelayfee',
      'maxstdtxvalidationduration',
      'maxnonstdtxvalidationduration',
      'dustlimitfactor',
    ]);
    expect(quote.policies.maxtxsizepolicy).toBe(10_000_000);
  });
});

describe('one transaction sent to the merchant API', () => {
  it('is accepted as JSON in any casing and as bytes', async () => {
    const raw = spend(await sandbox.coin());
    const result = await post(raw);
    expect(Object.entries(result)).toEqual(
      Object.entries({
        apiVersion: '1.2.0',
        timestamp: '2026-11-21T12:00:00.000Z',
        txid: txidOf(raw),
        returnResult: 'success',
        resultDescription: '',
        minerId: result.minerId,
        currentHighestBlockHash: sandbox.service.node.tip().hash,
        currentHighestBlockHeight: sandbox.service.node.tip().height,
        txSecondMempoolExpiry: 0,
      }),
    );
    const second = await sandbox.mapi('POST', '/tx', { rawtx: toHex(spend(await sandbox.coin())) });
    expect(payloadOf(second).returnResult).toBe('success');
    const third = await sandbox.mapi('POST', '/tx?merkleFormat=TSC', spend(await sandbox.coin()));
    expect(payloadOf(third).returnResult).toBe('success');
  });

  it('fails with the text of its real cause', async () => {
    const coin = await sandbox.coin();
    const raw = spend(coin);
    expect(await post(spend(coin, 20))).toMatchObject(failed('Not enough fees'));
    expect(await post(spend(coin, 200, 9))).toMatchObject(failed('Missing inputs - invalid output index'));
    expect(await post(spend({ ...coin, txid: 'ab'.repeat(32) }))).toMatchObject(failed('Missing inputs'));
    expect(await post(raw.slice(0, -1))).toMatchObject(failed('Can not parse transaction'));
    expect(await post('abc')).toMatchObject(failed('Can not parse transaction'));
    expect(await post('xyz')).toMatchObject(failed('Invalid characters in rawTx'));
    expect(await post('')).toMatchObject(failed('RawTx is required'));
    const coinbase =
      '01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff0100ffffffff010000000000000000016a00000000';
    expect(await post(coinbase)).toMatchObject(failed('Invalid transaction - coinbase transactions are not accepted'));
    const tx = parseTx(raw);
    const unsigned = serializeTx({ ...tx, inputs: tx.inputs.map((input) => ({ ...input, script: new Uint8Array() })) });
    expect((await post(unsigned)).resultDescription).toMatch(/^16 mandatory-script-verify-flag-failed/);

    expect(await post(raw)).toMatchObject({ returnResult: 'success' });
    const txid = txidOf(raw);
    expect(await post(raw)).toMatchObject({ txid, ...failed('Transaction already in the mempool') });
    const conflict = await post(spend(coin, 300));
    expect(conflict).toMatchObject(failed('258 txn-mempool-conflict'));
    expect(conflict.conflictedWith).toEqual([{ txid: txidOf(raw), size: raw.length, hex: toHex(raw) }]);
    await sandbox.service.mine({ blocks: 1 });
    expect(await post(raw)).toMatchObject({ txid, ...failed('Transaction already known') });
    expect(await post(spend(coin, 300))).toMatchObject(failed('tx rejected: double spent'));
  });

  it('is refused for invalid options', async () => {
    const raw = spend(await sandbox.coin());
    expect(await post(raw, { merkleFormat: 'BUMP' })).toMatchObject(
      failed('Invalid merkle format BUMP. Supported formats: TSC.'),
    );
    expect(await post(raw, { MerkleProof: true })).toMatchObject(
      failed('CallbackUrl is required when MerkleProof or DsCheck is not false'),
    );
    expect(await post(raw, { dsCheck: true, callBackUrl: 'ftp://x' })).toMatchObject(
      failed('CallbackUrl is not an http(s) URL'),
    );
    expect(await post(raw, { merkleProof: false, dsCheck: false })).toMatchObject({ returnResult: 'success' });
  });

  it('is refused with 400 if an option has the wrong type, and nothing is submitted', async () => {
    const raw = spend(await sandbox.coin());
    const rawTx = toHex(raw);
    const callbackUrl = 'https://receiver.example';
    const wrong: [option: Record<string, unknown>, detail: string][] = [
      [{ callbackUrl: { toString: 1, valueOf: 1 } }, 'callbackUrl must be a text'],
      [{ CALLBACKURL: 7 }, 'callbackUrl must be a text'],
      [{ callbackToken: ['x'] }, 'callbackToken must be a text'],
      [{ callbackEncryption: false }, 'callbackEncryption must be a text'],
      [{ merkleFormat: 1 }, 'merkleFormat must be a text'],
      [{ merkleProof: 'yes', callbackUrl }, 'merkleProof must be true or false'],
      [{ merkleProof: 1, callbackUrl }, 'merkleProof must be true or false'],
      [{ dsCheck: {}, callbackUrl }, 'dsCheck must be true or false'],
      [{ rawTx: 12 }, 'rawTx must be a text'],
    ];
    for (const [option, detail] of wrong) {
      for (const [path, body] of [
        ['/tx', { rawTx, ...option }],
        ['/txs', [{ rawTx }, { rawTx, ...option }]],
      ] as const) {
        const { status, headers, body: answer } = await sandbox.mapi('POST', path, body);
        expect([status, answer.detail], JSON.stringify(option)).toEqual([400, detail]);
        expect(headers.get('content-type')).toContain('application/problem+json');
      }
    }
    for (const query of [
      'merkleProof=yes',
      'dsCheck=1',
      'merkleProof=true&merkleProof=false',
      'callbackUrl=a&callbackUrl=b',
    ])
      for (const path of ['/tx', '/txs'])
        expect((await sandbox.mapi('POST', `${path}?${query}`, raw)).status, query).toBe(400);
    expect((await sandbox.mapi('POST', '/txs?defaultMerkleProof=maybe', [{ rawTx }])).status).toBe(400);
    expect(sandbox.service.node.mempool.has(txidOf(raw))).toBe(false);
    // Null and an empty text say nothing, and flags may be written as texts.
    const nothing = { callbackUrl: null, callbackToken: '', merkleProof: null, dsCheck: 'False', merkleFormat: '' };
    expect(await post(raw, nothing)).toMatchObject({ returnResult: 'success' });
  });

  it('has a status before and after it is sent', async () => {
    const raw = spend(await sandbox.coin());
    const txid = txidOf(raw);
    const status = async () => payloadOf(await sandbox.mapi('GET', `/tx/${txid}`));
    expect(await status()).toMatchObject({ txid, ...failed('No such mempool or blockchain transaction') });
    await post(raw);
    expect(Object.keys(await status())).toEqual([
      'apiVersion',
      'timestamp',
      'txid',
      'returnResult',
      'minerId',
      'txSecondMempoolExpiry',
    ]);
    const {
      hashes: [blockHash],
    } = await sandbox.service.mine({ blocks: 2 });
    expect(await status()).toMatchObject({ returnResult: 'success', blockHash, confirmations: 2 });
    for (const bad of ['abc', 'zz'.repeat(32), `${txid}00`]) {
      const answer = await sandbox.mapi('GET', `/tx/${bad}`);
      expect(answer.status).toBe(400);
      expect(answer.headers.get('content-type')).toContain('application/problem+json');
      expect(answer.body).toMatchObject({ title: 'Invalid format of TransactionId', status: 400 });
    }
  });
});

describe('version 1.5.0 of the merchant API', () => {
  it('has its own fields, texts and proofs', async () => {
    const own = await TestSandbox.open({ mapiVersion: '1.5.0' });
    try {
      const raw = spend(await own.coin());
      const rawTx = toHex(raw);
      const send = async () =>
        payloadOf(await own.mapi('POST', '/tx', { rawTx, dsCheck: true, callbackUrl: 'http://127.0.0.1:9' }));
      const first = await send();
      expect(first).toMatchObject({ apiVersion: '1.5.0', returnResult: 'success', failureRetryable: false });
      expect(first.warnings).toEqual(['Missing DSNT output.']);
      expect(await send()).toMatchObject({ returnResult: 'success', resultDescription: 'Already known' });
      await own.service.mine({ blocks: 1 });
      expect(await send()).toMatchObject({
        returnResult: 'success',
        resultDescription: 'Transaction already mined into block',
      });
      const status = payloadOf(await own.mapi('GET', `/tx/${txidOf(raw)}?merkleProof=true`));
      expect(status.merkleProof).toMatchObject({ txOrId: txidOf(raw), targetType: 'header' });
      const older = payloadOf(await own.mapi('GET', `/tx/${txidOf(raw)}?merkleProof=true&merkleFormat=`));
      expect(older.merkleProof.flags).toBe(2);
      const [spent] = parseTx(raw).inputs;
      const outputs = [
        { txid: txidOf(raw), n: 0 },
        { txid: txidOf(raw), n: 7 },
        { txid: spent?.txid, n: spent?.vout },
      ];
      const { txouts } = payloadOf(await own.mapi('POST', '/txouts', outputs));
      expect(txouts[0]).toMatchObject({ confirmations: 1, scriptPubKeyLen: 25 });
      expect(txouts.slice(1)).toEqual([{ error: 'missing' }, { error: 'missing' }]);
      const named = payloadOf(await own.mapi('POST', '/txouts?returnField=scriptPubKey', outputs.slice(0, 1)));
      expect(named.txouts).toEqual([{ scriptPubKey: toHex(ownScript) }]);
      const wanted = ['value', 'isStandard', 'confirmations'];
      const several = new URLSearchParams(wanted.map((field) => ['returnField', field]));
      const fields = payloadOf(await own.mapi('POST', `/txouts?${several}`, outputs.slice(0, 1)));
      expect(Object.keys(fields.txouts[0])).toEqual(wanted);
      const parameters = mapiDocument.paths['/txouts']?.post?.parameters ?? [];
      const { schema } = parameters.find(({ name }) => name === 'returnField') as Parameter;
      expect(z.fromJSONSchema(schema).safeParse(wanted)).toMatchObject({ success: true });
      const child = spend({ txid: txidOf(raw), vout: 0, satoshis: parseTx(raw).outputs[0]?.satoshis ?? 0 });
      await own.mapi('POST', '/tx', child);
      const collided = payloadOf(await own.mapi('POST', '/txouts', outputs.slice(0, 1)));
      expect(collided.txouts).toEqual([
        { error: 'spent', collidedWith: { txid: txidOf(child), size: child.length, hex: toHex(child) } },
      ]);
      expect((await own.mapi('POST', '/txouts?returnField=colour', outputs)).status).toBe(400);
      expect(Object.keys(payloadOf(await own.mapi('GET', '/policyQuote')).policies)).not.toContain('dustrelayfee');
      own.set({ mapiVersion: '1.2.0' });
      expect((await own.mapi('POST', '/txouts', outputs)).status).toBe(404);
    } finally {
      await own.remove();
    }
  });

  it('leaves envelopes unsigned if signing is disabled', async () => {
    const own = await TestSandbox.open({ signEnvelopes: false });
    try {
      const { body } = await own.mapi('GET', '/feeQuote');
      expect(body).toMatchObject({ signature: null, publicKey: null, encoding: 'json' });
      expect(JSON.parse(body.payload)).not.toHaveProperty('minerId');
      const submitted = await own.mapi('POST', '/tx', { rawTx: toHex(spend(await own.coin())) });
      expect(JSON.parse(submitted.body.payload)).toMatchObject({ returnResult: 'success', minerId: '' });
    } finally {
      await own.remove();
    }
  });
});

describe('invalid requests to the merchant API', () => {
  it('are answered with a problem document or 401', async () => {
    const raw = toHex(spend(await sandbox.coin()));
    for (const authorization of ['', 'Bearer wrong', 'Basic abc', sandbox.service.apiKey()]) {
      const answer = await sandbox.send('POST', '/mapi/tx', { rawTx: raw }, { authorization });
      expect(answer).toMatchObject({ status: 401, body: 'Incorrectly formatted token' });
    }
    expect(await sandbox.mapi('POST', '/tx', [])).toMatchObject({ status: 400, body: { status: 400 } });
    expect(await sandbox.mapi('POST', '/tx', '{')).toMatchObject({ status: 400 });
    expect(await sandbox.mapi('POST', '/txs', { rawTx: raw })).toMatchObject({ status: 400 });
    const tooMany = { status: 413, body: { title: expect.stringContaining('at most 10000 transactions') } };
    const nothing = Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    expect(await sandbox.mapi('POST', '/txs', Array(10_001).fill({}))).toMatchObject(tooMany);
    expect(await sandbox.mapi('POST', '/txs', Buffer.concat(Array(10_001).fill(nothing)))).toMatchObject(tooMany);
    expect(await sandbox.mapi('POST', '/tx', raw, { 'content-type': 'text/plain' })).toMatchObject({ status: 415 });
    expect(payloadOf(await sandbox.mapi('GET', `/tx/${txidOf(fromHex(raw))}`)).returnResult).toBe('failure');
  });
});

it('the merchant API reports a failure of the node', async () => {
  const own = await TestSandbox.open();
  try {
    const rawTx = toHex(spend(await own.coin()));
    const { transactionUid, tx } = await own.prepareMint();
    await own.service.node.close();
    const result = payloadOf(await own.mapi('POST', '/tx', { rawTx }));
    expect(result).toMatchObject(failed('Error while submitting transactions to the node'));
    own.set({ mapiVersion: '1.5.0' });
    expect(await own.mapi('POST', '/tx', { rawTx })).toMatchObject({
      status: 500,
      body: {
        title: 'Internal system error occurred, please retry later',
        detail: 'Error while submitting transactions to the node - no response or error returned.',
      },
    });
    expect(await own.submit(transactionUid, tx)).toMatchObject(refused(503, 'unavailable'));
    await own.restart();
    expect((await own.submit(transactionUid, tx)).status).toBe(200);
  } finally {
    await own.remove();
  }
});
