import { PrivateKey } from '@bsv/sdk';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type JsonEnvelope, signEnvelope, signerKeyOf } from '../../../../chain/index.ts';
import { readVectors } from '../../../../chain/test-support/fixtures.ts';
import {
  failureSchema,
  minerQuoteSchema,
  PlanchetError,
  type QuoteSource,
  transactionReasonSchema,
} from '../../../../contract/index.ts';
import { foreignBounds } from '../../../foreign-json.ts';
import type { MinerVerdict } from '../../../ports/merchant/miners.ts';
import type { Store } from '../../../ports/store.ts';
import { openStore } from '../../../store/store.ts';
import { MerchantKeys } from './merchant-keys.ts';
import { openAnswer } from './open-answer.ts';
import { batchSchema, outputsSchema, quoteSchema, statusSchema, submitSchema } from './payloads.ts';
import { type MerchantTables, merchantMigrations } from './tables.ts';
import { quoteOf, statusVerdict, submitVerdict } from './verdicts.ts';

const BOUNDS = foreignBounds.minerVerdicts;
/** Altered envelopes, and well signed ones with altered payloads. */
const RUNS = process.env.PLANCHET_LONG ? 500_000 : 1_000;
const TEST_MS = 3_600_000;
const NOW = Date.parse('2026-11-22T08:00:00Z');
const TXID = 'ab'.repeat(32);

const key = new PrivateKey(11);
const otherKey = new PrivateKey(12);
const keyHex = key.toPublicKey().toString();

const rate = { satoshis: 500, bytes: 1000 };
const head = { apiVersion: '1.5.0', timestamp: '2026-11-22T08:00:00.1234567Z', minerId: keyHex };
const quote = {
  ...head,
  expiryTime: '2026-11-22T08:10:00Z',
  currentHighestBlockHash: '12'.repeat(32),
  currentHighestBlockHeight: 151,
  fees: ['standard', 'data'].map((feeType) => ({ feeType, miningFee: rate, relayFee: rate })),
  policies: { maxtxsizepolicy: 99_999, acceptnonstdoutputs: true, skipscriptflags: ['DERSIG'] },
};
const result = { txid: TXID, returnResult: 'success', resultDescription: '' };
const failed = {
  ...result,
  returnResult: 'failure',
  resultDescription: '258 txn-mempool-conflict',
  failureRetryable: false,
  conflictedWith: [{ txid: 'cd'.repeat(32), size: 3, hex: '00ff11' }],
};
const payloads = [
  { schema: quoteSchema, value: quote },
  { schema: submitSchema, value: { ...head, ...result, txSecondMempoolExpiry: 0 } },
  { schema: submitSchema, value: { ...head, ...failed } },
  { schema: batchSchema, value: { ...head, txs: [result, failed], failureCount: 1 } },
  { schema: statusSchema, value: { ...head, ...result, blockHash: TXID, blockHeight: 7, confirmations: 2 } },
  {
    schema: outputsSchema,
    value: { ...head, ...result, txouts: [{ scriptPubKey: '76a9', value: 0.5 }, { error: 'spent' }] },
  },
].map(({ schema, value }) => ({ schema, text: JSON.stringify(value) }));

/** Values that a field can be given in place of its own. */
const oddValues = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    'success',
    'failure',
    0,
    -1,
    1e21,
    0.1,
    true,
    [],
    {},
    'ab'.repeat(32),
    '9999-12-31T23:59:59Z',
  ),
  fc.constantFrom<unknown>('2026-02-30T00:00:00Z', '2026-11-22T08:00:00', 2 ** 53, '\u0000', '__proto__', [[]], [null]),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Changes fields somewhere inside a value: another value, none, or one more. */
function altered(value: unknown, changes: readonly { path: readonly number[]; to: unknown; drop: boolean }[]): unknown {
  const copy = structuredClone(value);
  for (const { path, to, drop } of changes) {
    let at = copy as Record<string, unknown>;
    for (const step of path.slice(1)) {
      const names = Object.keys(at);
      const next = at[names[step % Math.max(1, names.length)] as string];
      if (typeof next === 'object' && next !== null) at = next as Record<string, unknown>;
    }
    const names = Object.keys(at);
    const name = names[(path[0] as number) % Math.max(1, names.length)];
    if (name === undefined) continue;
    if (drop) delete at[name];
    // A value is shared by all changes of a run, and a later change may go into it.
    else at[name] = structuredClone(to);
  }
  return copy;
}
const changes = fc.array(
  fc.record({ path: fc.array(fc.nat(30), { minLength: 1, maxLength: 4 }), to: oddValues, drop: fc.boolean() }),
  { minLength: 1, maxLength: 3 },
);

/** Changes characters of a text. */
const cuts = fc.array(
  fc.record({
    at: fc.nat(),
    cut: fc.nat(4),
    insert: fc.oneof(fc.constant(''), fc.string({ maxLength: 3 }), fc.constantFrom('0', 'f', '"', '\\u0000')),
  }),
  { maxLength: 3 },
);
function cutUp(text: string, all: readonly { at: number; cut: number; insert: string }[]): string {
  let now = text;
  for (const { at, cut, insert } of all) {
    const place = now.length === 0 ? 0 : at % now.length;
    now = now.slice(0, place) + insert + now.slice(place + cut);
  }
  return now;
}

let store: Store<MerchantTables>;
let keys: MerchantKeys;
beforeAll(async () => {
  store = await openStore<MerchantTables>({ file: ':memory:', migrations: merchantMigrations });
  const clock = { now: () => NOW, after: () => () => undefined };
  keys = await MerchantKeys.open({
    network: 'sandbox',
    store,
    pinned: () => undefined,
    clock,
    logger: pino({ level: 'silent' }),
  });
});
afterAll(() => store.close());

/** @returns undefined where it is refused with an error of the project, anything else is a crash */
async function opened(text: string, schema: (typeof payloads)[number]['schema'], pinned: string | undefined) {
  try {
    const { payload, signer } = openAnswer<unknown>(text, schema, BOUNDS);
    await keys.withoutLearning(pinned).check('http://miner.example/mapi', signer);
    return { payload, signer };
  } catch (error) {
    if (error instanceof PlanchetError) return undefined;
    throw error;
  }
}

describe('envelopes of a miner', () => {
  const samples = readVectors<{ kind: string; envelope: JsonEnvelope }[]>('json-envelopes.json');
  const textOf = (envelope: JsonEnvelope): string => JSON.stringify(envelope);
  const answer = { raw: '', signature: 'valid' } as const;
  const txidIn = ({ payload }: JsonEnvelope): string => (JSON.parse(payload) as { txid: string }).txid;
  /** What each sample of the specification says, in their order; undefined for what is no answer of a merchant API. */
  const meanings: readonly (((envelope: JsonEnvelope, source: QuoteSource) => unknown) | undefined)[] = [
    (envelope, source) => quoteOf(openAnswer(textOf(envelope), quoteSchema, BOUNDS).payload, source, NOW),
    (envelope, source) => quoteOf(openAnswer(textOf(envelope), quoteSchema, BOUNDS).payload, source, NOW),
    (envelope) => submitVerdict(txidIn(envelope), openAnswer(textOf(envelope), submitSchema, BOUNDS).payload, answer),
    (envelope) => statusVerdict(txidIn(envelope), openAnswer(textOf(envelope), statusSchema, BOUNDS).payload, answer),
    (envelope) => openAnswer(textOf(envelope), batchSchema, BOUNDS).payload.txs,
    (envelope) => openAnswer(textOf(envelope), outputsSchema, BOUNDS).payload.txouts,
    undefined,
    undefined,
  ];
  const expected: readonly unknown[] = [
    { standard: rate, data: rate, relay: { data: { satoshis: 250 } }, policies: { maxtxsizepolicy: 99_999 } },
    { standard: rate, data: rate, policies: {}, apiVersion: '1.5.0', highestBlock: { height: 151 } },
    { status: 'accepted', failure: null },
    { status: 'mined', block: { height: 152 } },
    [{ resultDescription: 'Missing inputs' }, { conflictedWith: [{}] }, { returnResult: 'success' }],
    [{ error: '', confirmations: 1 }, { error: 'spent' }, { confirmations: 0 }, { error: 'missing' }],
  ];

  it.each(samples.map((sample, n) => ({ ...sample, n })))(
    'are read as sample $n of the specification ($kind) says',
    ({ envelope, n }) => {
      const meaning = meanings[n];
      if (meaning === undefined) {
        for (const { schema } of payloads)
          expect(() => openAnswer<unknown>(textOf(envelope), schema, BOUNDS)).toThrow(/does not have the fields/);
        return;
      }
      const publicKey = signerKeyOf(envelope.publicKey ?? '') as string;
      const source = { endpoint: 'http://miner.example/mapi', publicKey, since: NOW, pinned: false };
      expect(openAnswer<unknown>(textOf(envelope), z.unknown(), BOUNDS).signer).toBe(publicKey);
      expect(meaning(envelope, source)).toMatchObject(expected[n] as object);
    },
  );

  it('that are altered are refused, or say what was signed', { timeout: TEST_MS }, async () => {
    const signed = payloads.map(({ text, schema }) => ({ schema, envelope: signEnvelope(text, key) }));
    const foreign = signed.map(({ envelope }) => signEnvelope(envelope.payload, otherKey));
    const texts = new Set(payloads.map(({ text }) => text));
    let accepted = 0;
    const arbitrary = fc.record({
      n: fc.nat(payloads.length - 1),
      fields: fc.oneof(fc.constant([]), changes),
      cut: cuts,
      field: fc.constantFrom('payload', 'signature', 'publicKey', 'encoding', 'all'),
      swap: fc.constantFrom(undefined, 'payload', 'signature', 'publicKey'),
      from: fc.nat(payloads.length - 1),
    });
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ n, fields, cut, field, swap, from }) => {
        const { envelope, schema } = signed[n] as (typeof signed)[number];
        const made = altered(envelope, fields) as Record<string, unknown>;
        if (swap !== undefined) made[swap] = foreign[from]?.[swap];
        const value = made[field];
        if (typeof value === 'string') made[field] = cutUp(value, cut);
        const text = field === 'all' ? cutUp(JSON.stringify(made), cut) : JSON.stringify(made);
        const answer = await opened(text, schema, keyHex);
        if (answer === undefined) return;
        accepted++;
        expect(answer.signer).toBe(keyHex);
        expect(texts).toContain((JSON.parse(text) as JsonEnvelope).payload);
      }),
      { numRuns: RUNS },
    );
    // some changes touch nothing that is signed, such as the MIME type
    expect(accepted).toBeGreaterThan(0);
  });
});

describe('payloads of a miner', () => {
  const verdictHolds = (verdict: MinerVerdict, said: { returnResult: string; resultDescription: string }): void => {
    const { status, reason, failure, block, txid } = verdict;
    expect(txid).toBe(TXID);
    if (reason !== null) transactionReasonSchema.parse(reason);
    if (failure !== null) failureSchema.parse(failure);
    if (status === 'accepted' || status === 'seen' || status === 'mined')
      expect(said.returnResult === 'success' || /already/i.test(said.resultDescription), JSON.stringify(said)).toBe(
        true,
      );
    if (status === 'mined') expect(block?.hash).toMatch(/^[0-9a-f]{64}$/);
    if (status === 'rejected' || status === 'unclear') expect(failure ?? reason).not.toBeNull();
  };

  it('of any shape give a sound quote or verdict, or are refused', { timeout: TEST_MS }, async () => {
    const source = { endpoint: 'http://miner.example/mapi', publicKey: keyHex, since: NOW, pinned: false };
    const answer = { raw: '', signature: 'valid' } as const;
    const arbitrary = fc.record({ n: fc.nat(payloads.length - 1), fields: changes });
    let sound = 0;
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ n, fields }) => {
        const { schema, text } = payloads[n] as (typeof payloads)[number];
        const made = JSON.stringify(altered(JSON.parse(text), fields));
        const read = await opened(JSON.stringify(signEnvelope(made, key)), schema, undefined);
        if (read === undefined) return;
        sound++;
        if (schema === quoteSchema) {
          try {
            minerQuoteSchema.parse(quoteOf(quoteSchema.parse(JSON.parse(made)), source, NOW));
          } catch (error) {
            if (!(error instanceof PlanchetError)) throw error;
          }
        } else if (schema === submitSchema) {
          const payload = submitSchema.parse(JSON.parse(made));
          verdictHolds(submitVerdict(TXID, payload, answer), payload);
        } else if (schema === batchSchema) {
          for (const payload of batchSchema.parse(JSON.parse(made)).txs)
            verdictHolds(submitVerdict(TXID, payload, answer), payload);
        } else if (schema === statusSchema) {
          const payload = statusSchema.parse(JSON.parse(made));
          verdictHolds(statusVerdict(TXID, payload, answer), payload);
        }
      }),
      { numRuns: RUNS },
    );
    expect(sound).toBeGreaterThan(RUNS / 20);
  });
});
