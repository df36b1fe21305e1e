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

interface Change {
  readonly satoshis: Satoshis;
  readonly keyHash: Uint8Array;
}

export interface PlannedInput {
  readonly utxo: Utxo;
  readonly key: PublicKeyBytes;
  /** The parameter that provided the output, for errors. */
  readonly field: string;
  /** Builds the part of the unlocking script before the signature; undefined for P2PKH, which has none. */
  readonly unlock?: (preimage: Uint8Array, change: Change | undefined) => Uint8Array;
}

/** A planned transaction: everything except the change amount and the scripts. */
export interface Plan {
  readonly inputs: readonly PlannedInput[];
  readonly outputs: readonly TxOutput[];
  /** Key hash that receives the change as the last output; undefined if there is none. */
  readonly changeTo?: Uint8Array;
  /** Undefined in zero-fee mode. */
  readonly rate?: Rate;
}

/** What the signer of one input needs. Plain data, so that it can be sent to another device. */
export interface SigningInfo {
  readonly inputIndex: number;
  /** Hex of the compressed public key that the signature must verify with. */
  readonly publicKey: string;
  /** The hash type, 0x41: ALL with the fork id. */
  readonly sighash: number;
  /** Hex of the spent locking script. */
  readonly script: string;
  readonly satoshis: number;
  readonly type: 'token' | 'p2pkh';
  /** Hex of the 32-byte digest, which is signed without further hashing. */
  readonly digest: string;
}

/** An unsigned transaction. Plain data that survives JSON. */
export interface UnsignedTransaction {
  /** The transaction. Token inputs contain everything except signature and key. */
  readonly hex: string;
  /** One entry for each input, in order. */
  readonly signingInfo: readonly SigningInfo[];
  /** Satoshis. */
  readonly fee: number;
  /** Maximum size of the signed transaction in bytes. */
  readonly estimatedSize: number;
}

/** An unsigned transaction and its preimages, before conversion to plain data. */
export interface PreparedTransaction {
  readonly tx: Tx;
  readonly inputs: readonly { readonly planned: PlannedInput; readonly preimage: Uint8Array }[];
  readonly fee: Satoshis;
  readonly estimatedSize: number;
}

/**
 * Determines fee and change, and builds everything that needs no private key.
 * @throws TokenError `funds-insufficient` if the inputs do not cover the outputs and the fee, `utxo-invalid` for duplicate inputs.
 */
export function prepare(plan: Plan): PreparedTransaction {
  const { inputs } = plan;
  requireDistinct(
    inputs.map(({ utxo }) => utxo),
    inputs.map(({ field }) => field),
  );
  const { change, fee, estimatedSize } = settle(plan);
  const unsigned = unsignedTx(plan, change);
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
  // the change amount is part of the unlocking scripts too, so their size depends on it
  const sizeWith = (amount: number) => signedSize(plan, { satoshis: satoshis(Math.max(amount, 1)), keyHash });
  let size = sizeWith(over);
  const tighter = sizeWith(over - tokenFee(size, rate));
  if (sizeWith(over - tokenFee(tighter, rate)) <= tighter) size = tighter;
  const fee = tokenFee(size, rate);
  if (over - fee < 1) {
    throw new AmountError(
      'funds-insufficient',
      // the payment is the last input
      plan.inputs.at(-1)?.field.replace(/\[.*$/, '') ?? 'paymentUtxo',
      'The fee of {fee} satoshis and at least one satoshi of change exceed the {supplied} satoshis that are left to pay them.',
      { fee, supplied: over, size },
    );
  }
  return { change: { satoshis: satoshis(over - fee), keyHash }, fee, estimatedSize: size };
}

/** Maximum size of the signed transaction; only signatures can be shorter. */
function signedSize(plan: Plan, change: Change | undefined): number {
  let size = txSize(unsignedTx(plan, change));
  for (const { utxo, unlock } of plan.inputs) {
    const length = utxo.lockingScript.length;
    const before = unlock ? unlock(new Uint8Array(156 + varintSize(length) + length), change).length : 0;
    const signed = before + SIGNATURE_BYTES;
    size += varintSize(signed) - 1 + signed;
  }
  return size;
}

/** The transaction with empty unlocking scripts. */
function unsignedTx({ inputs, outputs }: Plan, change: Change | undefined): Tx {
  const script = new Uint8Array(0);
  return {
    version: 1,
    inputs: inputs.map(({ utxo: { txid, vout } }) => ({ txid, vout, script, sequence: FINAL_SEQUENCE })),
    outputs: change ? [...outputs, { satoshis: change.satoshis, script: p2pkhScript(change.keyHash) }] : outputs,
    lockTime: 0,
  };
}
