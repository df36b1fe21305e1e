import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fromHex, parseTx, satoshis, serializeTx, toHex, txidOf } from '../../../../chain/index.ts';
import { SigningKey, unsignedTx } from '../../sending/data-transaction.ts';
import { openWriterStore } from '../../storage/store.ts';
import { FundedWriters } from '../../test-support/funded-writers.ts';
import type { TestFundingService } from '../../test-support/funding-service.ts';
import type { TestHarness } from '../../test-support/harness.ts';
import {
  PATIENCE_MS,
  scriptOf,
  type WriterClient,
  type WriterProcesses,
  written,
} from '../../test-support/writer-client.ts';
import type { Templates } from './funding-client.ts';

const BODY = '{"precious":true}';

let funded: FundedWriters;
let writers: WriterProcesses;
let harness: TestHarness;
let service: TestFundingService;
beforeEach(async () => {
  funded = await FundedWriters.open();
  ({ writers, harness, service } = funded);
});
afterEach(() => funded.close());

const start = (settings?: object): Promise<WriterClient> => funded.start(settings);

/** Of a writer that ended after a document was paid for, and before it signed. @returns the document's id */
async function paidUnsigned(): Promise<string> {
  const client = await start({ writerWait: '1s' });
  service.fail = (path) => (path === '/submitTransactions' ? { status: 503, when: 'before' } : undefined);
  const { id } = (await client.send('POST', '/api/v1/write?wait=accepted', BODY)).json;
  await client.untilState(String(id), 'signed');
  await client.service.stop();
  await undoSigning();
  service.fail = () => undefined;
  return String(id);
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
  const store = await openWriterStore(join(writers.folder, 'writer.db'), writers.databaseUrl);
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

it('the writer asks the service to pay for nothing that no miner takes since it was accepted', async () => {
  const client = await start();
  const port = await service.close();
  await client.send('POST', '/api/v1/write?wait=accepted', JSON.stringify('x'.repeat(2_000)));
  harness.policy = { maxScriptBytes: 1_000 };
  const asked = service.queries.length;
  await service.listen(port);
  const dead = async () =>
    (await client.service.view.documents.list({ order: 'desc', limit: 1 })).documents[0]?.failure?.id;
  await expect.poll(dead, { timeout: PATIENCE_MS }).toBe('write-api.document-over-policy');
  expect(service.queries).toHaveLength(asked);
  expect(harness.everything()).toEqual([]);
});

const otherKey = new SigningKey(Uint8Array.from(Buffer.from('4'.padStart(64, '0'), 'hex')));

describe('documents the service pays for', () => {
  it('are one output in a transaction that spends the service’s coin alone', async () => {
    const client = await start();
    const reply = await client.write(BODY, { 'x-tag': 'invoice', 'x-feesrequired': 'true' });
    expect(reply.status).toBe(201);
    const [sent] = service.submitted;
    const data = parseTx(fromHex(sent?.dataTransaction ?? ''));
    expect(reply.json).toEqual({ status: 201, txid: txidOf(fromHex(sent?.dataTransaction ?? '')) });
    expect((await client.service.view.documents.list({ order: 'desc', limit: 10 })).documents).toMatchObject([
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
    const client = await writers.start(harness, { settings: { writerFunding: 'service', fundingUrl: service.url } });
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
      expect(await client.service.view.dead.retry({ ids: documents.map(({ id }) => id) })).toMatchObject({
        retried: 1,
      });
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
    const again = async () => (await client.service.view.dead.retry({ ids: [id] })).retried;
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
    expect((await client.service.view.documents.get({ id: String(reply.json.id) })).reason).toContain(
      'cannot be reached',
    );
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
  ] as const)('are written once despite %i from %s, %s the service did its work', async (status, path, when) => {
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
      const id = await paidUnsigned();
      const switched = await writers.start(harness, { settings: { writerFunding, fundingUrl: service.url } });
      expect(await switched.untilState(String(id), 'submitted', 'seen')).toMatchObject({ reason: null });
      expect(written(harness)).toEqual([scriptOf(BODY)]);
      expect(service.queries).toHaveLength(1);
    },
  );

  it.each(['service', 'wallet'] as const)(
    'that no miner takes since they were paid for are not signed until one does (writerFunding=%s)',
    async (writerFunding) => {
      const id = await paidUnsigned();
      harness.policy = { maxScriptBytes: 10 };
      const again = await writers.start(harness, { settings: { writerFunding, fundingUrl: service.url } });
      const first = async () => (await again.service.view.documents.list({ order: 'desc', limit: 1 })).documents[0];
      await expect
        .poll(async () => (await first())?.failure?.id, { timeout: PATIENCE_MS })
        .toBe('write-api.document-over-policy');
      expect((await first())?.state).toBe('funded');
      expect(written(harness)).toEqual([]);
      harness.policy = {};
      again.set({});
      await again.untilState(String(id), 'submitted', 'seen');
      expect(written(harness)).toEqual([scriptOf(BODY)]);
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
    expect((await client.service.view.documents.list({ order: 'desc', limit: 10 })).documents).toMatchObject([
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
    let result = await client.service.view.dead.retry({ ids: [id] });
    while (result.retried === 0 && performance.now() < end)
      result = await client.service.view.dead.retry({ ids: [id] });
    expect(result).toMatchObject({ retried: 1, reason: null });
    await client.untilState(id, 'submitted', 'seen');
    const second = parseTx(fromHex(service.submitted.at(-1)?.dataTransaction ?? ''));
    expect(second.inputs.map(({ txid }) => txid)).toContain(txidOf(fromHex(first?.feeTransaction ?? '')));
    expect(written(harness)).toEqual([scriptOf(BODY)]);
    expect(harness.take(fromHex(first?.dataTransaction ?? ''))).toBeDefined();
  });
});
