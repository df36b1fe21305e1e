import type { VerifySignature } from '../keys/native-verifier.ts';
import { flagsOfInput, type ScriptRules, scriptFlag } from '../script/rules.ts';
import { sharedSighash } from '../transaction/sighash.ts';
import type { Tx } from '../transaction/transaction.ts';
import type { Utxo } from '../transaction/utxo.ts';
import { hasValidStandardSignature } from './templates.ts';

/** Flags without which a standard form means something else or is signed differently. */
const NEEDED = scriptFlag.UTXO_AFTER_GENESIS | scriptFlag.SIGHASH_FORKID | scriptFlag.P2SH;

/** Flags that do not affect the standard forms: those obey these rules under every rule set. */
const KNOWN =
  NEEDED |
  scriptFlag.STRICTENC |
  scriptFlag.DERSIG |
  scriptFlag.LOW_S |
  scriptFlag.NULLDUMMY |
  scriptFlag.SIGPUSHONLY |
  scriptFlag.MINIMALDATA |
  scriptFlag.DISCOURAGE_UPGRADABLE_NOPS |
  scriptFlag.CLEANSTACK |
  scriptFlag.NULLFAIL |
  scriptFlag.GENESIS |
  scriptFlag.CHRONICLE |
  scriptFlag.UTXO_AFTER_CHRONICLE;

/** Whether standard forms may be confirmed under these flags without the interpreter. */
export function isConfirmable(flags: number): boolean {
  return (flags & NEEDED) === NEEDED && (flags & ~KNOWN) === 0;
}

/**
 * Inputs that are not a standard form with one valid signature, so their scripts must be run. This module does not import the
 * interpreter, so a thread that sees only standard forms never loads it.
 * @param spent the spent outputs, one for each input in order.
 * @param rules inputs with flags that are unknown here are never confirmed
 */
export function unconfirmedInputs(
  tx: Tx,
  spent: readonly Utxo[],
  verify: VerifySignature,
  rules: ScriptRules,
): Set<number> {
  const sighash = sharedSighash(tx);
  const unconfirmed = new Set<number>();
  for (const [index, output] of spent.entries()) {
    if (!isConfirmable(flagsOfInput(rules, index)) || !hasValidStandardSignature(tx, index, output, sighash, verify))
      unconfirmed.add(index);
  }
  return unconfirmed;
}
