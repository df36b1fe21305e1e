import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  asFundingUtxo,
  type FundingUtxo,
  p2pkhScript,
  parseScript,
  requiredFee,
  satoshis,
  serializeTx,
  type Tx,
  toHex,
} from '../../../chain/index.ts';
import { buildDataTransaction, dataFee, documentScript, isSignedFormOf } from './data-transaction.ts';

const own = p2pkhScript(new Uint8Array(20));
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const rate = (perKilobyte: number) => ({ satoshis: perKilobyte, bytes: 1_000 });
const quoteOf = (standard: number, data: number) => ({ standard: rate(standard), data: rate(data), expiresAt: 0 });

function coins(values: readonly number[]): FundingUtxo[] {
  return values.map((value, vout) => {
    const coin = asFundingUtxo({ txid: 'ab'.repeat(32), vout, satoshis: satoshis(value), lockingScript: own });
    if (coin === undefined) throw new Error('not funding');
    return coin;
  });
}

/** With unlocking scripts of the longest kind. */
function signed(tx: Tx): Tx {
  return { ...tx, inputs: tx.inputs.map((input) => ({ ...input, script: new Uint8Array(107).fill(1) })) };
}

describe('documentScript', () => {
  it('holds OP_FALSE OP_RETURN, the tag, the content type and the body', () => {
    const script = documentScript({ tag: utf8('t1'), contentType: 'application/json', body: utf8('{"a":1}') });
    expect(toHex(script)).toBe(`006a027431${'10'}${toHex(utf8('application/json'))}07${toHex(utf8('{"a":1}'))}`);
  });

  it('keeps any body as it is, and leaves out a missing tag', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 70_000 }), (body) => {
        const { chunks, ok } = parseScript(documentScript({ tag: undefined, contentType: 'application/json', body }));
        expect(ok).toBe(true);
        expect(chunks).toHaveLength(4);
        expect(toHex(chunks[3]?.data ?? utf8('nothing'))).toBe(toHex(body));
      }),
      { numRuns: 30 },
    );
  });
});

describe('buildDataTransaction', () => {
  it('pays what the miner asks and little more, and never makes change of one satoshi', () => {
    const cases = fc.record({
      inputs: fc.integer({ min: 1, max: 300 }),
      body: fc.integer({ min: 1, max: 80_000 }),
      standard: fc.integer({ min: 0, max: 2_000 }),
      data: fc.integer({ min: 0, max: 2_000 }),
      extra: fc.integer({ min: 0, max: 2_000 }),
    });
    fc.assert(
      fc.property(cases, ({ inputs, body, standard, data, extra }) => {
        const quote = quoteOf(standard, data);
        const script = documentScript({ tag: undefined, contentType: 'text/x', body: new Uint8Array(body) });
        const least = dataFee([script], quote, inputs);
        const first = Math.max(2, least + extra - 2 * (inputs - 1));
        const funding = coins([first, ...Array.from({ length: inputs - 1 }, () => 2)]);
        const total = first + 2 * (inputs - 1);
        const { tx, fee } = buildDataTransaction([script], funding, own, quote);
        const outputs = tx.outputs.reduce((sum, output) => sum + output.satoshis, 0);
        expect(total - outputs).toBe(fee);
        expect(fee).toBeGreaterThanOrEqual(requiredFee(signed(tx), quote));
        expect(tx.outputs[0]).toEqual({ satoshis: 0, script });
        for (const change of tx.outputs.slice(1)) expect(change.satoshis).toBeGreaterThan(1);
        if (tx.outputs.length === 2) expect(fee - requiredFee(signed(tx), quote)).toBeLessThanOrEqual(4);
      }),
      { numRuns: process.env.PLANCHET_LONG ? 2_000 : 60 },
    );
  });
});

describe('isSignedFormOf', () => {
  const unsigned = buildDataTransaction(
    [documentScript({ tag: undefined, contentType: 'application/json', body: utf8('1') })],
    coins([10_000]),
    own,
    quoteOf(500, 500),
  ).tx;
  const bytes = serializeTx(unsigned);

  it('accepts unlocking scripts and nothing else', () => {
    const good = signed(unsigned);
    const [data, change] = good.outputs;
    if (data === undefined || change === undefined) throw new Error('no change');
    expect(isSignedFormOf(serializeTx(good), bytes)).toBe(true);
    expect(isSignedFormOf(bytes, bytes)).toBe(false);
    const others: Tx[] = [
      { ...good, outputs: [data] },
      { ...good, outputs: [data, { ...change, satoshis: satoshis(change.satoshis - 1) }] },
      { ...good, lockTime: 1 },
      { ...good, inputs: good.inputs.map((input) => ({ ...input, vout: 9 })) },
    ];
    for (const other of others) expect(isSignedFormOf(serializeTx(other), bytes)).toBe(false);
  });
});
