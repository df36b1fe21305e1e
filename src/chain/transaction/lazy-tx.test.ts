import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChainError, concatBytes, parseTx, parseTxInSteps, runSteps, satoshis, scanTx, serializeTx } from '../index.ts';
import { anyTx } from '../test-support/fixtures.ts';

function outcome<T>(read: () => T): T | { readonly code: string; readonly data: unknown } {
  try {
    return read();
  } catch (error) {
    if (error instanceof ChainError) return { code: error.code, data: error.data };
    throw error;
  }
}

const changed = fc.tuple(anyTx, fc.nat(), fc.nat(255), fc.nat(9)).map(([tx, at, byte, kind]) => {
  const bytes = serializeTx(tx);
  const place = at % bytes.length;
  if (kind === 0) return bytes.subarray(0, place);
  if (kind === 1) return concatBytes(bytes, Uint8Array.of(byte));
  return kind < 7 ? bytes.with(place, byte) : bytes;
});

describe('a transaction parsed in steps', () => {
  it('equals one parsed at once, and is refused with the same reason', () => {
    fc.assert(
      fc.property(changed, (bytes) => {
        expect(outcome(() => runSteps(parseTxInSteps(bytes)))).toEqual(outcome(() => parseTx(bytes, true)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('leaves the bytes after it, and needs many steps if it has many inputs or outputs', () => {
    fc.assert(
      fc.property(anyTx, fc.uint8Array({ maxLength: 9 }), (tx, rest) => {
        const raw = serializeTx(tx);
        const walked = runSteps(scanTx(concatBytes(raw, rest)));
        expect(walked.raw).toEqual(raw);
        expect([walked.inputCount, walked.outputCount]).toEqual([tx.inputs.length, tx.outputs.length]);
        expect({ ...tx, inputs: [...walked.inputs()], outputs: [...walked.outputs()] }).toEqual(tx);
      }),
    );
    const output = { satoshis: satoshis(1), script: Uint8Array.of(0x51) };
    const many = serializeTx({ version: 1, inputs: [], outputs: Array(5_000).fill(output), lockTime: 0 });
    expect([...scanTx(many)].length).toBeGreaterThan(5);
  });
});
