import { isDataOutput, type Outpoint, type Steps, type Tx, type Utxo } from '../../../../chain/index.ts';
import { STEP_INPUTS } from '../consensus/validate.ts';
import type { NodeUtxo } from '../types.ts';

/**
 * The outputs that a transaction spends, in input order, in steps.
 * @param transaction with its outpoints as `<txid>_<vout>`
 * @returns undefined if an output is missing
 */
export function* spentBy(
  transaction: { readonly tx: Tx; readonly outpoints: readonly string[] },
  find: (outpoint: Outpoint, key: string) => NodeUtxo | undefined,
): Steps<(Utxo & NodeUtxo)[] | undefined> {
  const spent: (Utxo & NodeUtxo)[] = [];
  for (const [index, input] of transaction.tx.inputs.entries()) {
    if (index % STEP_INPUTS === STEP_INPUTS - 1) yield '';
    const utxo = find(input, transaction.outpoints[index] as string);
    if (utxo === undefined) return undefined;
    const { satoshis, lockingScript, height, coinbase } = utxo;
    spent.push({ txid: input.txid, vout: input.vout, satoshis, lockingScript, height, coinbase });
  }
  return spent;
}

/** An output of an unconfirmed transaction; undefined if there is none or it is unspendable. */
export function outputOf(tx: Tx | undefined, { vout }: Outpoint): NodeUtxo | undefined {
  const output = tx?.outputs[vout];
  if (output === undefined || isDataOutput(output.script)) return undefined;
  return { satoshis: output.satoshis, lockingScript: output.script, height: null, coinbase: false };
}
