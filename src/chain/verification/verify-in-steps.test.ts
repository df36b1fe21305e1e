import { describe, expect, it } from 'vitest';
import {
  type BoundedVerdict,
  interpretScripts,
  runSteps,
  type ScriptBounds,
  type ScriptVerdict,
  satoshis,
  type Tx,
  type Utxo,
  verifyInSteps,
  verifyScripts,
} from '../index.ts';
import { assemble, scriptCases } from '../test-support/script-vectors.ts';

const rules: ScriptBounds = { operations: 1_000_000, stackBytes: 32_000_000, numberBytes: 750_000 };
const tight: ScriptBounds = { operations: 2_000, stackBytes: 100_000, numberBytes: 1_000 };

function spendOf(lockings: readonly string[], unlocking = '1'): { tx: Tx; spent: Utxo[] } {
  const spent = lockings.map((text, vout) => ({
    txid: 'ab'.repeat(32),
    vout,
    satoshis: satoshis(1_000),
    lockingScript: assemble(text),
  }));
  const script = assemble(unlocking);
  const inputs = spent.map(({ txid, vout }) => ({ txid, vout, script, sequence: 0xffffffff }));
  return { tx: { version: 1, inputs, outputs: [], lockTime: 0 }, spent };
}

/** The verdict and the number of steps. */
function run(lockings: readonly string[], bounds: ScriptBounds): { verdict: BoundedVerdict; steps: number } {
  const { tx, spent } = spendOf(lockings);
  const run = verifyInSteps(tx, spent, bounds, undefined);
  for (let steps = 0; ; steps++) {
    const step = run.next();
    if (step.done === true) return { verdict: step.value, steps };
  }
}

const reasonOf = (text: string) => {
  const { verdict } = run([text], tight);
  return verdict.ok ? undefined : `${verdict.reason}${verdict.exceeded ? ` (${verdict.exceeded})` : ''}`;
};

describe('verifyInSteps', () => {
  it('agrees with verifyScripts on all script tests of the node', () => {
    const ok = (verdict: ScriptVerdict) => (verdict.ok ? true : verdict.input);
    const cases = scriptCases().filter(({ tx, spent }) => {
      const sizes = [...tx.inputs.map(({ script }) => script.length), ...spent.map((s) => s.lockingScript.length)];
      return Math.max(...sizes) < rules.operations;
    });
    expect(cases.length).toBeGreaterThan(1_450);
    const wrong = cases.filter(
      ({ tx, spent }) => ok(runSteps(verifyInSteps(tx, spent, rules))) !== ok(verifyScripts(tx, spent)),
    );
    expect(wrong.map(({ text }) => text)).toEqual([]);
  });

  it('takes a step for each operation', () => {
    const { verdict, steps } = run(['DUP DROP '.repeat(400)], tight);
    expect(verdict).toEqual({ ok: true });
    expect(steps).toBeGreaterThan(700);
    expect(steps).toBeLessThan(900);
  });

  it('checks every input, and reports the one that fails', () => {
    expect(run(['1', '1', '0'], tight).verdict).toMatchObject({ ok: false, input: 2 });
    expect(run(['1', '1', '1'], tight).verdict).toEqual({ ok: true });
    const { tx, spent } = spendOf(['1', '1']);
    for (const verdict of [
      runSteps(verifyInSteps(tx, spent.slice(0, 1), tight)),
      interpretScripts(tx, spent.slice(0, 1)),
    ])
      expect(verdict).toMatchObject({ ok: false, input: 1 });
  });

  it('refuses scripts that exceed a limit, and names the limit in the reason', () => {
    // As many operations as are allowed, in more bytes than that.
    expect(reasonOf(`'${'a'.repeat(5_000)}' DROP ${'NOP '.repeat(1_998)}`)).toBeUndefined();
    expect(reasonOf('NOP '.repeat(2_001))).toBe('a script has more than 2000 operations (operations)');
    expect(reasonOf(`0x4e a086 NOP`.replace('a086', '0xa0860100'))).toContain('Malformed push');
    expect(reasonOf(`'${'a'.repeat(100_001)}' DROP`)).toBe(
      'a script of 100007 bytes is longer than 100000 (stackBytes)',
    );
    expect(reasonOf('DUP CAT '.repeat(40))).toContain('Stack memory usage has exceeded 100000 bytes (stackBytes)');
    expect(reasonOf(`${'DUP CAT '.repeat(12)} TOALTSTACK ${'FROMALTSTACK DUP TOALTSTACK '.repeat(40)}`)).toContain(
      'exceeded 100000 bytes (stackBytes)',
    );
    expect(reasonOf('0x04 0xffffff3f NUM2BIN')).toContain('Stack memory usage has exceeded 100000 bytes (stackBytes)');
    expect(reasonOf(`2 ${'DUP MUL '.repeat(26)}`)).toBe('A number is longer than 1000 bytes (numberBytes)');
    // operands that only count are limited too
    for (const op of ['PICK', 'ROLL', 'SPLIT']) {
      expect(reasonOf(`0 ${'1 '.repeat(4)} DUP ${'DUP CAT '.repeat(12)} ${op}`), op).toBe(
        'A number is longer than 1000 bytes (numberBytes)',
      );
    }
    // the node limits the counts of keys to four bytes
    expect(reasonOf(`0 ${'1 '.repeat(4)} DUP ${'DUP CAT '.repeat(12)} CHECKMULTISIG`)).toMatch(/ longer than 4 bytes/);
    expect(reasonOf(`0 0 ${"'k' ".repeat(700)} 700 CHECKMULTISIG`)).toBe(
      'A check of signatures would hash more than 100000 bytes (stackBytes)',
    );
  });

  it('agrees with the interpreter within the limits', () => {
    for (const text of ['0 0 0 CHECKMULTISIG', '2 3 MUL 6 NUMEQUAL', "'ab' 1 SPLIT DROP", '1 0 PICK', '0 VERIFY']) {
      const { tx, spent } = spendOf([text]);
      const { ok } = interpretScripts(tx, spent);
      expect(runSteps(verifyInSteps(tx, spent, tight)).ok, text).toBe(ok);
    }
  });
});
