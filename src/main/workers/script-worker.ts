import { ChainError, parseTx, type ScriptVerdict, satoshis, verifyScripts } from '../../chain/index.ts';
import { unpackBatch } from './script-batch.ts';

/** What crosses to a worker thread: plain bytes and numbers, as brands and classes do not survive the copy. */
export interface VerifyTask {
  readonly tx: Uint8Array;
  readonly spent: readonly { txid: string; vout: number; satoshis: number; lockingScript: Uint8Array }[];
}

/** What comes back; `malformed` says why the bytes are no transaction (an exception would lose its class on the way). */
export type VerifyOutcome = ScriptVerdict | { readonly malformed: string };

/** Runs in a worker thread: checks every input's scripts of one transaction. */
export function verify({ tx, spent }: VerifyTask): VerifyOutcome {
  try {
    return verifyScripts(
      parseTx(tx),
      spent.map((utxo) => ({ ...utxo, satoshis: satoshis(utxo.satoshis) })),
    );
  } catch (error) {
    if (error instanceof ChainError) return { malformed: error.message };
    throw error;
  }
}

/** Runs in a worker thread: checks the scripts of many transactions. @param batch as `packBatch` writes it */
export function verifyBatch(batch: Uint8Array): ScriptVerdict[] {
  return unpackBatch(batch).map(({ tx, spent }) => verifyScripts(tx, spent));
}
