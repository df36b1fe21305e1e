import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTx, serializeExtended, serializeTx, toHex, txidOf } from '../../../chain/index.ts';
import { spend } from '../test-support/merchant.ts';
import { readMany, readOne } from './forms.ts';
import { ArcProblem } from './problems.ts';

const raw = spend({ txid: 'ab'.repeat(32), vout: 0, satoshis: 5_000 });
const extended = serializeExtended({ tx: parseTx(raw), spent: parseTx(raw).outputs });
const BEEF = Buffer.from('0100beef', 'hex');
const NUM_RUNS = process.env.PLANCHET_LONG ? 300_000 : 1_000;

/** A transaction in one of its forms with some bytes changed, cut off or added; or anything. */
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.uint8Array({ maxLength: 200 }).map((rest) => Buffer.concat([BEEF, rest])),
  fc
    .record({
      from: fc.constantFrom(raw, extended),
      changes: fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }),
      cut: fc.nat(20),
      more: fc.uint8Array({ maxLength: 5 }),
    })
    .map(({ from, changes, cut, more }) => {
      const copy = Buffer.from(from);
      for (const [at, byte] of changes) copy[at % copy.length] = byte;
      return Buffer.concat([copy.subarray(0, copy.length - (cut > 10 ? cut : 0)), more]);
    }),
);

describe('a body sent to ARC', () => {
  it('is read or refused with an error of ARC, whatever it holds', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, fc.constantFrom('bytes', 'text', 'json', 'list'), async (given, form) => {
        const body = Buffer.from(given);
        const read = {
          bytes: () => readMany(body, false),
          text: () => readMany(Buffer.from(toHex(given)), true),
          json: async () => [await readOne({ rawTx: toHex(given) }, false)],
          list: () => readMany([{ rawTx: toHex(given) }], false),
        };
        const outcome = await read[form]().catch((error: unknown) => error);
        if (outcome instanceof Error) {
          expect(outcome).toBeInstanceOf(ArcProblem);
          return;
        }
        for (const { txid, raw: ownRaw, tx } of outcome as Awaited<ReturnType<typeof readMany>>) {
          expect(txidOf(ownRaw)).toBe(txid);
          expect(toHex(serializeTx(tx))).toBe(toHex(ownRaw));
        }
      }),
      { numRuns: NUM_RUNS },
    );
  });

  it.each([null, 7, 'text', [], {}, [7], [{}], [{ rawTx: 7 }], { rawTx: [] }])(
    'is refused if it is %j',
    async (body) => {
      await expect(readMany(body, false)).rejects.toBeInstanceOf(ArcProblem);
      await expect(readOne(body, false)).rejects.toBeInstanceOf(ArcProblem);
    },
  );
});
