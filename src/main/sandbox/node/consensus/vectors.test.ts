import { describe, expect, it } from 'vitest';
import { interpretScripts, isCoinbase, type Tx } from '../../../../chain/index.ts';
import { transactionCases } from '../../../../chain/test-support/script-vectors.ts';
import { checkTransaction } from './validate.ts';

type Case = ReturnType<typeof transactionCases>[number];

/** The rules for a transaction by itself, as the node's own test applies them before it runs scripts. */
function isWellFormed(tx: Tx): boolean {
  if (!isCoinbase(tx)) return checkTransaction(tx) === undefined;
  const size = tx.inputs[0]?.script.length ?? 0;
  return size >= 2 && size <= 100;
}

function passes({ tx, spent, flags }: Case): boolean {
  return tx !== undefined && isWellFormed(tx) && interpretScripts(tx, spent, { flags }).ok;
}

/** Why a case is not run. Nothing else is left out. */
const skipped: { reason: string; applies: (one: Case) => boolean; count: number }[] = [
  {
    reason:
      'CHECKLOCKTIMEVERIFY and CHECKSEQUENCEVERIFY limit spending only before Genesis; the sandbox begins after it',
    applies: ({ flags, passes: valid }) =>
      !valid &&
      !flags.includes('UTXO_AFTER_GENESIS') &&
      flags.some((flag) => /^CHECK(LOCKTIME|SEQUENCE)VERIFY$/.test(flag)),
    count: 38,
  },
];

describe('the node’s transaction vectors', () => {
  it('that are valid pass', () => {
    const cases = transactionCases('tx_valid.json', true);
    expect(cases.length).toBe(178);
    expect(cases.filter((one) => !passes(one)).map(({ text }) => text)).toEqual([]);
  });

  it('that are invalid are refused, except for rules that ended with Genesis', () => {
    const cases = transactionCases('tx_invalid.json', false);
    expect(cases.length).toBe(88);
    for (const { applies, count, reason } of skipped) expect(cases.filter(applies).length, reason).toBe(count);
    const run = cases.filter((one) => !skipped.some(({ applies }) => applies(one)));
    expect(run.length).toBe(50);
    expect(run.filter(passes).map(({ text, flags }) => `${flags.join()} ${text}`)).toEqual([]);
  });
});
