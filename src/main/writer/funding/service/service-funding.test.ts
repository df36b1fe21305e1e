import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fromHex, parseTx, satoshis, serializeTx, toHex, txidOf } from '../../../../chain/index.ts';
import { PlanchetError } from '../../../../contract/index.ts';
import { SigningKey, unsignedTx } from '../../sending/data-transaction.ts';
import { openWriterStore } from '../../storage/store.ts';
import { TestFundingService } from '../../test-support/funding-service.ts';
import { TestHarness } from '../../test-support/harness.ts';
import {
  API_KEY,
  PATIENCE_MS,
  scriptOf,
  WriterBench,
  type WriterClient,
  written,
} from '../../test-support/writer-client.ts';
import type { Templates } from './funding-client.ts';

/** The seed's key on a machine that has another wallet. */
const otherPoolKey = Uint8Array.from(Buffer.from('7'.padStart(64, '0'), 'hex'));
const BODY = '{"precious":true}';

let bench: WriterBench;
let harness: TestHarness;
let service: TestFundingService;
beforeEach(async () => {
  bench = await WriterBench.open();
  harness = new TestHarness();
  service = await TestFundingService.open(harness, API_KEY);
});
afterEach(async () => {
  await bench.close();
  if (service.listening) await service.close();
});

/** A writer whose API key is registered with the service. */
async function start(settings: object = {}): Promise<WriterClient> {
  const client = await bench.start(harness, {
    settings: { writerFunding: 'service', fundingUrl: service.url, fundingTimeout: '2s', ...settings },
  });
  const known = (await client.service.view.keys()).length > 0;
  if (!known) await client.service.view.register(API_KEY);
  return client;
}

/** Changes one of the templates. */
function changed(
  templates: Templates,
  which: keyof Templates,
  change: (tx: ReturnType<typeof parseTx>) => object,
): Templates {
  const tx = parseTx(fromHex(templates[which]));
  return { ...templates, [which]: toHex(serializeTx({ ...tx, ...change(tx) })) };
}

/** Takes the journal back to where its transactions are paid for and not signed. */
async function undoSigning(): Promise<void> {
  const store = await openWriterStore(join(bench.folder, 'writer.db'), bench.databaseUrl);
  for (const { id, raw_tx } of await store.db.selectFrom('writer_transactions').selectAll().execute()) {
    const tx = parseTx(raw_tx);
    const unsigned = serializeTx({ ...tx, inputs: tx.inputs.map((input) => ({ ...input, script: new Uint8Array() })) });
    const state = { state: 'funded', next_attempt_at: 0, updated_at: 0 } as const;
    await store.db
      .updateTable('writer_transactions')
      .set({ ...state, raw_tx: unsigned, txid: txidOf(unsigned), signed_at: null, claim: null, attempts: 0 })
      .where('id', '=', id)
      .execute();
    await store.db.updateTable('writer_documents').set(state).where('transaction_id', '=', id).execute();
  }
  await store.close();
}

const otherKey = new SigningKey(Uint8Array.from(Buffer.from('4'.padStart(64, '0'), 'hex')));

describe('documents the service pays for', () => {
  it('are one output in a transaction that spends the service’s coin alone', async () => {
    const client = await start();
    const reply = await client.write(BODY, { 'x-tag': 'invoice', 'x-feesrequired': 'true' });
    expect(reply.status).toBe(201);
    const [sent] = service.submitted;
    const data = parseTx(fromHex(sent?.dataTransaction ?? ''));
    expect(reply.json).toEqual({ status: 201, txid: txidOf(fromHex(sent?.dataTransaction ?? '')) });
    expect((await client.service.view.list({ order: 'desc', limit: 10 })).documents).toMatchObject([
      { canRetry: false },
    ]);
    expect(data.inputs).toMatchObject([{ txid: txidOf(fromHex(sent?.feeTransaction ?? '')), vout: 0 }]);
    expect(data.outputs).toHaveLength(1);
    expect(written(harness)).toEqual([scriptOf(BODY, 'invoice')]);
    const [query] = service.queries;
    expect(query?.get('feesRequired')).toBe('true');
    expect(Number(query?.get('size'))).toBe(8 + 1 + (data.outputs[0]?.script.length ?? 0));
    harness.mine();
    await client.untilState(String(reply.json.txid), 'proven');
  });

  it('are refused while the key has no signing key here', async () => {
    const client = await bench.start(harness, { settings: { writerFunding: 'service', fundingUrl: service.url } });
    expect((await client.write(BODY)).json).toMatchObject({
      status: 503,
      code: 13,
      error: expect.stringContaining('no signing key'),
    });
    expect((await client.send('GET', '/api/v1/writes')).json.documents).toEqual([]);
  });

  const lies: [string, RegExp, (templates: Templates) => Templates][] = [
    [
      'an input that is not of the fee transaction',
      /not output 0/,
      (t) => changed(t, 'dataTransaction', (tx) => ({ inputs: [{ ...tx.inputs[0], txid: 'ab'.repeat(32) }] })),
    ],
    [
      'another output of the fee transaction',
      /not output 0/,
      (t) => changed(t, 'dataTransaction', (tx) => ({ inputs: [{ ...tx.inputs[0], vout: 1 }] })),
    ],
    [
      'a second input',
      /has 2 inputs/,
      (t) => changed(t, 'dataTransaction', (tx) => ({ inputs: [tx.inputs[0], { ...tx.inputs[0], vout: 1 }] })),
    ],
    ['no input', /0 inputs|cannot be read/, (t) => changed(t, 'dataTransaction', () => ({ inputs: [] }))],
    [
      'an output of somebody else',
      /not ours/,
      (t) =>
        changed(t, 'dataTransaction', () => ({
          outputs: [{ satoshis: satoshis(900), script: otherKey.lockingScript }],
        })),
    ],
    ['a lock time', /not final/, (t) => changed(t, 'dataTransaction', () => ({ lockTime: 700_000 }))],
    [
      'an input that can be replaced',
      /not final/,
      (t) => changed(t, 'dataTransaction', (tx) => ({ inputs: [{ ...tx.inputs[0], sequence: 0 }] })),
    ],
    [
      'an input that is signed already',
      /signed already/,
      (t) => changed(t, 'dataTransaction', (tx) => ({ inputs: [{ ...tx.inputs[0], script: new Uint8Array([1, 2]) }] })),
    ],
    [
      'a coin for another key',
      /does not pay the registered key/,
      (t) => {
        const feeTransaction = changed(t, 'feeTransaction', (tx) => ({
          outputs: tx.outputs.map((output) => ({ ...output, script: otherKey.lockingScript })),
        })).feeTransaction;
        const fee = { txid: txidOf(fromHex(feeTransaction)), vout: 0 };
        return { feeTransaction, dataTransaction: toHex(serializeTx(unsignedTx([fee], []))) };
      },
    ],
    [
      'a fee transaction without signatures',
      /not signed/,
      (t) => {
        const feeTransaction = changed(t, 'feeTransaction', (tx) => ({
          inputs: tx.inputs.map((input) => ({ ...input, script: new Uint8Array() })),
        })).feeTransaction;
        const fee = { txid: txidOf(fromHex(feeTransaction)), vout: 0 };
        return { feeTransaction, dataTransaction: toHex(serializeTx(unsignedTx([fee], []))) };
      },
    ],
    ['no transaction', /cannot be read/, (t) => ({ ...t, feeTransaction: 'deadbeef' })],
  ];
  it.each(lies)(
    'are not signed for %s; the dead letter is written once the service is honest',
    async (_what, reason, lie) => {
      const client = await start();
      service.tamper = lie;
      const reply = await client.write(BODY);
      expect(reply.json).toMatchObject({ status: 400, code: 13, error: expect.stringMatching(reason) });
      expect(service.submitted).toEqual([]);
      const { documents } = (await client.send('GET', '/api/v1/writes?state=dead')).json as {
        documents: { id: string }[];
      };
      service.tamper = (templates) => templates;
      expect(await client.service.view.retryDead(documents.map(({ id }) => id))).toMatchObject({ retried: 1 });
      await client.untilState(String(documents[0]?.id), 'submitted', 'seen');
      expect(written(harness)).toEqual([scriptOf(BODY)]);
    },
  );

  it('where the service gives one coin for two of them: one is written, the other once the service is honest', async () => {
    const client = await start();
    let first: Templates | undefined;
    service.tamper = (templates) => {
      first ??= templates;
      return first;
    };
    expect((await client.write('1')).status).toBe(201);
    const refused = await client.write('2');
    expect(refused.json).toMatchObject({ status: 400, code: 16, error: expect.stringContaining('failed to submit') });
    expect(written(harness)).toEqual([scriptOf('1')]);
    service.tamper = (templates) => templates;
    harness.mine();
    const id = String(refused.headers.location).split('/').pop() as string;
    const again = async () => (await client.service.view.retryDead([id])).retried;
    await expect.poll(again, { timeout: PATIENCE_MS }).toBe(1);
    await client.untilState(id, 'submitted', 'seen');
    expect(written(harness)).toEqual([scriptOf('1'), scriptOf('2')]);
  });

  it('are not signed where the fee is over the cap', async () => {
    const client = await start({ maxFeeSatoshis: 1_000 });
    expect((await client.write(BODY)).json).toMatchObject({ code: 13, error: expect.stringContaining('over the cap') });
    expect(service.submitted).toEqual([]);
  });

  it('wait when the day’s fees have reached their cap, and go on with a higher one', async () => {
    const client = await start({ writerDailySpend: 3_000 });
    expect((await client.write('1')).status).toBe(201);
    const { json } = await client.send('POST', '/api/v1/write?wait=accepted', '2');
    await expect
      .poll(async () => (await client.service.view.status()).degraded?.message, { timeout: PATIENCE_MS })
      .toContain('writerDailySpend');
    client.set({ writerDailySpend: 100_000 });
    await client.untilState(String(json.id), 'submitted', 'seen');
    expect(written(harness)).toEqual([scriptOf('1'), scriptOf('2')]);
  });

  it('wait while the service is down, say so, and are written when it is back', async () => {
    const client = await start({ writerWait: '1s' });
    const port = await service.close();
    const reply = await client.write(BODY);
    expect(reply.json).toMatchObject({ status: 202, state: 'accepted' });
    await expect
      .poll(async () => (await client.service.view.status()).degraded?.code, { timeout: PATIENCE_MS })
      .toBe('upstream-unreachable');
    expect((await client.service.view.get(String(reply.json.id))).reason).toContain('cannot be reached');
    await service.listen(port);
    await client.untilState(String(reply.json.id), 'submitted', 'seen');
    expect(written(harness)).toEqual([scriptOf(BODY)]);
    await expect.poll(async () => (await client.service.view.status()).degraded, { timeout: PATIENCE_MS }).toBeNull();
  });

  it.each([
    [500, '/txTemplates', 'before'],
    [503, '/txTemplates', 'after'],
    [502, '/submitTransactions', 'before'],
    [500, '/submitTransactions', 'after'],
    [400, '/submitTransactions', 'after'],
    [504, '/submitTransactions', 'after'],
  ] as const)('survive %i from %s, %s the service did its work: written once', async (status, path, when) => {
    const client = await start({ writerWait: '1s' });
    let times = 2;
    service.fail = (asked) => {
      if (asked !== path || times === 0) return undefined;
      times -= 1;
      return { status, when };
    };
    const reply = await client.write(BODY, { 'idempotency-key': 'once' });
    expect([201, 202]).toContain(reply.status);
    const { documents } = (await client.send('GET', '/api/v1/writes')).json as { documents: { id: string }[] };
    expect(documents).toHaveLength(1);
    await client.untilState(String(documents[0]?.id), 'submitted', 'seen');
    harness.mine();
    await client.untilState(String(documents[0]?.id), 'proven');
    expect(written(harness)).toEqual([scriptOf(BODY)]);
  });

  it.each(['wallet', 'sandbox'] as const)(
    'that were paid for but not signed when the process ended are signed and sent, also after a switch to writerFunding=%s',
    async (writerFunding) => {
      const client = await start({ writerWait: '1s' });
      service.fail = (path) => (path === '/submitTransactions' ? { status: 503, when: 'before' } : undefined);
      const { id } = (await client.send('POST', '/api/v1/write?wait=accepted', BODY)).json;
      await client.untilState(String(id), 'signed');
      await client.service.stop();
      await undoSigning();
      service.fail = () => undefined;
      const switched = await bench.start(harness, { settings: { writerFunding, fundingUrl: service.url } });
      expect(await switched.untilState(String(id), 'submitted', 'seen')).toMatchObject({ reason: null });
      expect(written(harness)).toEqual([scriptOf(BODY)]);
      expect(service.queries).toHaveLength(1);
    },
  );

  it('are given up where the service refuses them for good, with its words', async () => {
    const client = await start();
    service.fail = (path) => (path === '/txTemplates' ? { status: 413, when: 'before' } : undefined);
    expect((await client.write(BODY)).json).toMatchObject({
      status: 400,
      code: 13,
      error: expect.stringContaining('out of order'),
    });
    expect((await client.service.view.list({ order: 'desc', limit: 10 })).documents).toMatchObject([
      { state: 'dead', canRetry: true },
    ]);
  });

  it('once refused by the miner, are paid for again together with the first coin: one of the two is mined at most', async () => {
    const client = await start();
    service.amount = 1;
    harness.quote = { ...harness.quote, data: { satoshis: 500, bytes: 1_000 } };
    const reply = await client.write(BODY);
    expect(reply.json).toMatchObject({ status: 400, code: 16 });
    const [first] = service.submitted;
    const id = String(reply.headers.location).split('/').pop() as string;
    service.amount = 2_000;
    const end = performance.now() + PATIENCE_MS;
    let result = await client.service.view.retryDead([id]);
    while (result.retried === 0 && performance.now() < end) result = await client.service.view.retryDead([id]);
    expect(result).toMatchObject({ retried: 1, reason: null });
    await client.untilState(id, 'submitted', 'seen');
    const second = parseTx(fromHex(service.submitted.at(-1)?.dataTransaction ?? ''));
    expect(second.inputs.map(({ txid }) => txid)).toContain(txidOf(fromHex(first?.feeTransaction ?? '')));
    expect(written(harness)).toEqual([scriptOf(BODY)]);
    expect(harness.take(fromHex(first?.dataTransaction ?? ''))).toBeDefined();
  });
});

describe('registration with the service', () => {
  it('that is revoked ends a batch under way', async () => {
    const client = await start();
    const [key] = await client.service.view.keys();
    const request = httpRequest({
      host: '127.0.0.1',
      port: client.port,
      method: 'POST',
      path: '/api/v1/write/batch',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/x-ndjson' },
      agent: false,
    });
    const answering = once(request, 'response') as Promise<[IncomingMessage]>;
    request.write('1\n');
    const [response] = await answering;
    const lines = createInterface({ input: response })[Symbol.asyncIterator]();
    expect(JSON.parse((await lines.next()).value ?? '')).toMatchObject({ line: 1, status: 202 });
    await client.service.view.revoke(String(key?.keyId));
    request.end('2\n');
    expect(JSON.parse((await lines.next()).value ?? '')).toMatchObject({ line: 2, status: 401, code: 1 });
    expect((await lines.next()).done).toBe(true);
    expect((await client.service.view.status()).documents).toBe(1);
  });

  it('signs the API key with the new key, refuses a second time, and an unknown key', async () => {
    const client = await start();
    await expect(client.service.view.register(API_KEY)).rejects.toMatchObject({ code: 'conflict' });
    await expect(client.service.view.register('nobody-knows-this')).rejects.toMatchObject({ code: 'unauthorized' });
    expect(await client.service.view.keys()).toHaveLength(1);
    service.apiKeys.add('second-key');
    const second = await client.service.view.register('second-key');
    expect((await client.write('1', { authorization: 'Bearer second-key' })).status).toBe(201);
    await client.service.view.revoke(second.keyId);
    await expect
      .poll(async () => (await client.write('2', { authorization: 'Bearer second-key' })).status, {
        timeout: PATIENCE_MS,
      })
      .toBe(401);
    expect((await client.write('3')).status).toBe(201);
  });

  it('on a machine with another wallet is refused with what to do, and leaves no signing key behind', async () => {
    const client = await start();
    await client.service.stop();
    const elsewhere = await WriterBench.open();
    try {
      const settings = { writerFunding: 'service', fundingUrl: service.url } as const;
      const other = await elsewhere.start(harness, { settings, options: { poolKey: () => otherPoolKey } });
      await expect(other.service.view.register(API_KEY)).rejects.toMatchObject({
        code: 'conflict',
        hint: expect.stringContaining('restore that wallet here'),
      });
      expect([...elsewhere.secrets.keys()].filter((name) => name.startsWith('signer:'))).toEqual([]);
    } finally {
      await elsewhere.close();
    }
  });

  it('on a machine with the same wallet succeeds, since it makes the same signing key', async () => {
    const client = await start();
    const [first] = await client.service.view.keys();
    await client.service.stop();
    const elsewhere = await WriterBench.open();
    try {
      const other = await elsewhere.start(harness, { settings: { writerFunding: 'service', fundingUrl: service.url } });
      expect((await other.service.view.register(API_KEY)).publicKey).toBe(first?.publicKey);
      expect((await other.write(BODY)).status).toBe(201);
    } finally {
      await elsewhere.close();
    }
  });

  it('of a machine without a wallet makes a signing key of its own', async () => {
    const poolKey = (): never => {
      throw new PlanchetError({ code: 'wallet-missing', message: 'There is no wallet.' });
    };
    const settings = { writerFunding: 'service', fundingUrl: service.url } as const;
    const client = await bench.start(harness, { settings, options: { poolKey } });
    await client.service.view.register(API_KEY);
    expect((await client.write(BODY)).status).toBe(201);
    await client.service.stop();
    const again = await bench.start(harness, { settings });
    expect((await again.write('2')).status).toBe(201);
  });

  it('whose signing key is gone: documents wait and say so instead of dying, and are written once the wallet is back', async () => {
    const client = await start();
    service.fail = (path) => (path === '/txTemplates' ? { status: 503, when: 'before' } : undefined);
    const { id } = (await client.send('POST', '/api/v1/write?wait=accepted', BODY)).json;
    await client.service.stop();
    service.fail = () => undefined;
    for (const name of bench.secrets.keys()) if (name.startsWith('signer:')) bench.secrets.delete(name);
    const settings = { writerFunding: 'service', fundingUrl: service.url } as const;
    const lost = await bench.start(harness, { settings, options: { poolKey: () => otherPoolKey } });
    await expect
      .poll(async () => (await lost.service.view.status()).degraded, { timeout: PATIENCE_MS })
      .toMatchObject({ code: 'api-key-missing', hint: expect.stringContaining('restore its wallet') });
    expect(await lost.service.view.get(String(id))).toMatchObject({ state: 'accepted' });
    await lost.service.stop();
    const back = await bench.start(harness, { settings });
    await back.untilState(String(id), 'submitted', 'seen');
    expect(written(harness)).toEqual([scriptOf(BODY)]);
    await expect.poll(async () => (await back.service.view.status()).degraded, { timeout: PATIENCE_MS }).toBeNull();
  });

  it('that broke off is taken up with the same signing key', async () => {
    const client = await bench.start(harness, { settings: { writerFunding: 'service', fundingUrl: service.url } });
    service.fail = () => ({ status: 500, when: 'after' });
    await expect(client.service.view.register(API_KEY)).rejects.toMatchObject({ code: 'upstream-error' });
    // A service may call that a second registration: the signing key it has is not thrown away for it.
    service.fail = () => ({ status: 409, when: 'before' });
    await expect(client.service.view.register(API_KEY)).rejects.toMatchObject({ code: 'conflict' });
    service.fail = () => undefined;
    await client.service.view.register(API_KEY);
    expect((await client.write(BODY)).status).toBe(201);
  });

  it('that is revoked writes no more by hand either: the next key that can be paid for does', async () => {
    const client = await start();
    service.apiKeys.add('second-key');
    const [first] = await client.service.view.keys();
    const second = await client.service.view.register('second-key');
    const byHand = (keyId?: string) => {
      const of = keyId === undefined ? {} : { keyId };
      const document = { body: BODY, contentType: 'application/json', mode: 'raw', wait: 'accepted' } as const;
      return client.service.view.write({ ...document, ...of, waitMs: 0 });
    };
    expect((await byHand()).keyId).toBe(first?.keyId);
    await client.service.view.revoke(String(first?.keyId));
    expect((await byHand()).keyId).toBe(second.keyId);
    await expect(byHand(first?.keyId)).rejects.toMatchObject({ code: 'api-key-missing' });
    await client.service.view.revoke(second.keyId);
    await expect(byHand()).rejects.toMatchObject({ code: 'api-key-missing' });
  });

  it('that is not made for a key: it is not written with, and nothing is left behind', async () => {
    const client = await bench.start(harness, { settings: { writerFunding: 'service', fundingUrl: service.url } });
    const document = { body: BODY, contentType: 'application/json', mode: 'raw', wait: 'accepted', waitMs: 0 } as const;
    await expect(client.service.view.write(document)).rejects.toMatchObject({
      code: 'api-key-missing',
      message: expect.stringContaining('no signing key'),
    });
    expect((await client.service.view.status()).documents).toBe(0);
  });

  it('that is revoked: what was signed is still handed in, and the signing key goes when nothing waits for it', async () => {
    const client = await start({ writerWait: '1s' });
    const signers = () => [...bench.secrets.keys()].filter((name) => name.startsWith('signer:'));
    service.fail = (path) => (path === '/submitTransactions' ? { status: 503, when: 'before' } : undefined);
    const { id } = (await client.send('POST', '/api/v1/write?wait=accepted', BODY)).json;
    await client.untilState(String(id), 'signed');
    const [key] = await client.service.view.keys();
    await client.service.view.revoke(String(key?.keyId));
    expect(signers()).toHaveLength(1);
    service.fail = () => undefined;
    const state = async () => (await client.service.view.get(String(id))).state;
    await expect.poll(state, { timeout: PATIENCE_MS }).toBe('seen');
    expect(written(harness)).toEqual([scriptOf(BODY)]);
    harness.mine();
    await expect.poll(state, { timeout: PATIENCE_MS }).toBe('proven');
    await client.service.stop();
    await bench.start(harness, { settings: { writerFunding: 'service', fundingUrl: service.url } });
    expect(signers()).toEqual([]);
  });
});
