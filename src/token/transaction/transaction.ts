import {
  FINAL_SEQUENCE,
  p2pkhScript,
  type Rate,
  type Satoshis,
  satoshis,
  sighashPreimage,
  type Tx,
  type TxOutput,
  txSize,
  type Utxo,
  varintSize,
} from '../../chain/index.ts';
import { AmountError } from '../errors.ts';
import { requireDistinct } from '../parameters/checks.ts';
import { SIGNATURE_BYTES, tokenFee } from '../parameters/fees.ts';
import type { PublicKeyBytes } from '../parameters/params.ts';

/** ALL|FORKID, the only hash type the library signs with. */
export const SIGHASH = 0x41;

/** Where change goes and how much of it there is. */
interface Change {
  readonly satoshis: Satoshis;
  readonly keyHash: Uint8Array;
}

/** One input of a transaction to be built. */
export interface PlannedInput {
  readonly utxo: Utxo;
  readonly key: PublicKeyBytes;
  /** The parameter the output came from, for errors. */
  readonly field: string;
  /** What stands before the signature; absent for P2PKH, where nothing does. */
  readonly unlock?: (preimage: Uint8Array, change: Change | undefined) => Uint8Array;
}

/** A transaction to be built: all but the amount of change and the scripts. */
export interface Plan {
  readonly inputs: readonly PlannedInput[];
  readonly outputs: readonly TxOutput[];
  /** Key hash that gets what is left after the outputs and the fee, as a last output; absent where nothing is left. */
  readonly changeTo?: Uint8Array;
  /** Absent in zero-fee mode. */
  readonly rate?: Rate;
}

/** What the signer of one input must know. Plain data, so that it can be sent to where the key is. */
export interface SigningInfo {
  readonly inputIndex: number;
  /** Hex of the compressed public key that the signature must verify with. */
  readonly publicKey: string;
  /** The hash type, 0x41: ALL with the fork id. */
  readonly sighash: number;
  /** Hex of the locking script that is spent. */
  readonly script: string;
  readonly satoshis: number;
  readonly type: 'token' | 'p2pkh';
  /** Hex of the 32 bytes to be signed as they are, without hashing them again. */
  readonly digest: string;
}

/** A transaction that lacks its signatures. Plain data: it survives JSON. */
export interface UnsignedTransaction {
  /** The transaction; token inputs already hold everything but the signature and the key. */
  readonly hex: string;
  /** One entry for each input, in order. */
  readonly signingInfo: readonly SigningInfo[];
  /** Satoshis. */
  readonly fee: number;
  /** Bytes that the signed transaction will not exceed. */
  readonly estimatedSize: number;
}

/** An unsigned transaction together with what is signed, before it becomes plain data. */
export interface PreparedTransaction {
  readonly tx: Tx;
  readonly inputs: readonly { readonly planned: PlannedInput; readonly preimage: Uint8Array }[];
  readonly fee: Satoshis;
  readonly estimatedSize: number;
}

/**
 * Settles fee and change, and writes all that can be written without a key.
 * @throws TokenError `funds-insufficient` where the inputs do not reach, `utxo-invalid` where two are the same.
 */
export function prepare(plan: Plan): PreparedTransaction {
  const { inputs } = plan;
  requireDistinct(
    inputs.map(({ utxo }) => utxo),
    inputs.map(({ field }) => field),
  );
  const { change, fee, estimatedSize } = settle(plan);
  const unsigned: Tx = {
    version: 1,
    inputs: inputs.map(({ utxo: { txid, vout } }) => ({
      txid,
      vout,
      script: new Uint8Array(0),
      sequence: FINAL_SEQUENCE,
    })),
    outputs: change ? [...plan.outputs, changeOutput(change)] : plan.outputs,
    lockTime: 0,
  };
  const prepared = inputs.map((planned, index) => ({
    planned,
    preimage: sighashPreimage(unsigned, index, planned.utxo.lockingScript, planned.utxo.satoshis, SIGHASH),
  }));
  const tx: Tx = {
    ...unsigned,
    inputs: unsigned.inputs.map((input, index) => {
      const { planned, preimage } = prepared[index] as (typeof prepared)[number];
      return planned.unlock ? { ...input, script: planned.unlock(preimage, change) } : input;
    }),
  };
  return { tx, inputs: prepared, fee, estimatedSize };
}

function settle(plan: Plan): { change: Change | undefined; fee: Satoshis; estimatedSize: number } {
  const supplied = plan.inputs.reduce((sum, { utxo }) => sum + utxo.satoshis, 0);
  const spent = plan.outputs.reduce((sum, { satoshis }) => sum + satoshis, 0);
  const over = supplied - spent;
  const { changeTo: keyHash, rate } = plan;
  if (rate === undefined || keyHash === undefined) {
    const change = keyHash && over > 0 ? { satoshis: satoshis(over), keyHash } : undefined;
    return { change, fee: satoshis(0), estimatedSize: signedSize(plan, change) };
  }
  // the amount of change stands in the unlocking scripts too: what it takes there depends on it
  const sizeWith = (amount: number) => signedSize(plan, { satoshis: satoshis(Math.max(amount, 1)), keyHash });
  let size = sizeWith(over);
  const tighter = sizeWith(over - tokenFee(size, rate));
  if (sizeWith(over - tokenFee(tighter, rate)) <= tighter) size = tighter;
  const fee = tokenFee(size, rate);
  if (over - fee < 1) {
    throw new AmountError(
      'funds-insufficient',
      // the payment stands last
      plan.inputs.at(-1)?.field.replace(/\[.*$/, '') ?? 'paymentUtxo',
      `The fee of ${fee} satoshis is more than the ${over} satoshis there are to pay it leave, one satoshi of change included.`,
      { fee, supplied: over, size },
    );
  }
  return { change: { satoshis: satoshis(over - fee), keyHash }, fee, estimatedSize: size };
}

/** Bytes of the signed transaction at most; only signatures can be shorter than is counted here. */
function signedSize(plan: Plan, change: Change | undefined): number {
  const script = new Uint8Array(0);
  const inputs = plan.inputs.map(({ utxo: { txid, vout } }) => ({ txid, vout, script, sequence: FINAL_SEQUENCE }));
  const outputs = change ? [...plan.outputs, changeOutput(change)] : plan.outputs;
  let size = txSize({ version: 1, inputs, outputs, lockTime: 0 });
  for (const { utxo, unlock } of plan.inputs) {
    const length = utxo.lockingScript.length;
    const before = unlock ? unlock(new Uint8Array(156 + varintSize(length) + length), change).length : 0;
    const signed = before + SIGNATURE_BYTES;
    size += varintSize(signed) - 1 + signed;
  }
  return size;
}

function changeOutput(change: Change): TxOutput {
  return { satoshis: change.satoshis, script: p2pkhScript(change.keyHash) };
}
