import type { VerifySignature } from '../keys/native-verifier.ts';
import { flagsOfInput, type ScriptRules, scriptFlag } from '../script/rules.ts';
import { sharedSighash } from '../transaction/sighash.ts';
import type { Tx } from '../transaction/transaction.ts';
import type { Utxo } from '../transaction/utxo.ts';
import { isPlainlySigned } from './templates.ts';

/** Without these a common form means something else, or is signed in another way. */
const NEEDED = scriptFlag.UTXO_AFTER_GENESIS | scriptFlag.SIGHASH_FORKID | scriptFlag.P2SH;

/** Flags that leave the common forms as they are: what the forms allow keeps these rules in every era. */
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

/** Whether the common forms may be confirmed under these flags without the interpreter. */
export function isConfirmable(flags: number): boolean {
  return (flags & NEEDED) === NEEDED && (flags & ~KNOWN) === 0;
}

/**
 * Inputs that are not of the common forms with one good signature: their scripts are still to be run. Nothing here needs the
 * interpreter, so a thread that meets only common forms never loads it.
 * @param spent the spent outputs, one for each input in order.
 * @param rules an input under flags that are not known here is never confirmed
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
    if (!isConfirmable(flagsOfInput(rules, index)) || !isPlainlySigned(tx, index, output, sighash, verify))
      unconfirmed.add(index);
  }
  return unconfirmed;
}
