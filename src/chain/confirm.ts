import type { VerifySignature } from './native-verifier.ts';
import { sharedSighash } from './sighash.ts';
import { isPlainlySigned } from './templates.ts';
import type { Tx } from './transaction.ts';
import type { Utxo } from './utxo.ts';

/**
 * Inputs that are not of the common forms with one good signature: their scripts are still to be run. Nothing here needs the
 * interpreter, so a thread that meets only common forms never loads it.
 * @param spent the spent outputs, one for each input in order.
 */
export function unconfirmedInputs(tx: Tx, spent: readonly Utxo[], verify: VerifySignature): Set<number> {
  const sighash = sharedSighash(tx);
  const unconfirmed = new Set<number>();
  for (const [index, output] of spent.entries()) {
    if (!isPlainlySigned(tx, index, output, sighash, verify)) unconfirmed.add(index);
  }
  return unconfirmed;
}
