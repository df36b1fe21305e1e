import { createHash } from 'node:crypto';
import { ChainError } from '../../chain/errors.ts';
import { nativeSigner, verifyNatively } from '../../chain/keys/native-verifier.ts';
import { chronicleRules, type ScriptRules } from '../../chain/script/rules.ts';
import type { Sentence } from '../../chain/sentence.ts';
import { satoshis } from '../../chain/transaction/amount.ts';
import { mismatchedInput } from '../../chain/transaction/sighash.ts';
import { parseTx, type Tx } from '../../chain/transaction/transaction.ts';
import type { Utxo } from '../../chain/transaction/utxo.ts';
import { unconfirmedInputs } from '../../chain/verification/confirm.ts';
import type { ScriptVerdict } from '../../chain/verification/verify.ts';
import { unpackBatch } from './script-batch.ts';
import { unpackSignatures } from './signature-batch.ts';
import { loadWasmSigner, loadWasmVerifier } from './wasm-curve.ts';

/** The input of {@link verify} as it is copied to a thread: plain bytes and numbers, since classes do not survive the copy. */
export interface VerifyTask {
  readonly tx: Uint8Array;
  readonly spent: readonly { txid: string; vout: number; satoshis: number; lockingScript: Uint8Array }[];
  readonly rules: ScriptRules;
}

/** A message whose SHA-256 is signed, and the private key: 32 bytes each. */
export interface SignTask {
  readonly message: Uint8Array;
  readonly privateKey: Uint8Array;
}

/** The result; `malformed` says why the bytes are no transaction (an exception would lose its class in the copy). */
export type VerifyOutcome = ScriptVerdict | { readonly malformed: Sentence };

/** The verdict of a batch's transaction that failed, by its place in the batch; all others are good. */
export type BatchFailure = readonly [index: number, verdict: ScriptVerdict];

const confirm = verifyNatively ?? (await loadWasmVerifier());

/** Runs in a worker thread: checks every input's scripts of one transaction. */
export async function verify({ tx, spent, rules }: VerifyTask): Promise<VerifyOutcome> {
  try {
    const parsed = parseTx(tx, true);
    const utxos = spent.map((utxo) => ({ ...utxo, satoshis: satoshis(utxo.satoshis) }));
    return await judge(parsed, utxos, rules);
  } catch (error) {
    if (error instanceof ChainError) return { malformed: error.sentence };
    throw error;
  }
}

/** The input of {@link verifyInputs}: undefined stands for an input that is not checked. */
export interface VerifyInputsTask {
  readonly tx: Uint8Array;
  readonly spent: readonly (VerifyTask['spent'][number] | undefined)[];
}

/** Runs in a worker thread: checks the scripts of some inputs of one transaction. */
export async function verifyInputs({ tx: raw, spent }: VerifyInputsTask): Promise<VerifyOutcome> {
  try {
    const tx = parseTx(raw, true);
    const whole = tx.inputs.map(({ txid, vout }, index): Utxo => {
      const utxo = spent[index] ?? { txid, vout, satoshis: 0, lockingScript: new Uint8Array() };
      return { ...utxo, satoshis: satoshis(utxo.satoshis) };
    });
    const wanted = new Set([...spent.keys()].filter((index) => spent[index] !== undefined));
    return await judge(tx, whole, chronicleRules, wanted);
  } catch (error) {
    if (error instanceof ChainError) return { malformed: error.sentence };
    throw error;
  }
}

/**
 * Runs in a worker thread: checks the scripts of many transactions.
 * @param batch as `packBatch` writes it; its memory is given back, because the thread would collect it only with many more
 */
export async function verifyBatch(batch: Uint8Array<ArrayBuffer>): Promise<BatchFailure[]> {
  const failures: BatchFailure[] = [];
  for (const [index, { tx, spent, rules }] of unpackBatch(batch).entries()) {
    const verdict = await judge(tx, spent, rules);
    if (!verdict.ok) failures.push([index, verdict]);
  }
  batch.buffer.transfer(0);
  return failures;
}

/** Runs in a worker thread: makes signatures in DER with a low S and deterministic nonces (RFC 6979). */
export async function signBatch(jobs: readonly SignTask[]): Promise<Uint8Array[]> {
  const signer = nativeSigner ?? (await loadWasmSigner());
  return jobs.map(({ message, privateKey }) => {
    const signature = signer.sign(createHash('sha256').update(message).digest(), privateKey);
    privateKey.fill(0);
    return signature;
  });
}

/** Runs in a worker thread: checks signatures. @param batch as `packSignatures` writes it */
export function verifySignatures(batch: Uint8Array): boolean[] {
  return unpackSignatures(batch).map(({ signature, digest, publicKey }) => confirm(signature, digest, publicKey));
}

/** The interpreter is loaded with the first transaction that needs it: it doubles the memory of a thread. */
async function judge(
  tx: Tx,
  spent: readonly Utxo[],
  rules: ScriptRules,
  wanted?: ReadonlySet<number>,
): Promise<ScriptVerdict> {
  if (mismatchedInput(tx, spent) === undefined) {
    const unconfirmed = unconfirmedInputs(tx, spent, confirm, rules);
    const only = new Set([...unconfirmed].filter((index) => wanted?.has(index) !== false));
    if (only.size === 0) return { ok: true };
    if (wanted !== undefined) {
      const { interpretScripts } = await import('../../chain/verification/verify.ts');
      return interpretScripts(tx, spent, { rules, only, confirm });
    }
  }
  const { verifyScripts } = await import('../../chain/verification/verify.ts');
  return verifyScripts(tx, spent, confirm, rules);
}
