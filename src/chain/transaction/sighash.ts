import type PrivateKey from '@bsv/sdk/primitives/PrivateKey';
import { concatBytes, equalBytes, hash160, sha256d, sha256dOfParts } from '../encoding/bytes.ts';
import { ByteWriter, LONG_PART, PartsWriter } from '../encoding/writer.ts';
import { ChainError } from '../errors.ts';
import { leadingP2pkh } from '../keys/address.ts';
import { compressedKeyOf, digestSigner, keyBytes } from '../keys/digest-signer.ts';
import { pushData } from '../script/script.ts';
import type { Satoshis } from './amount.ts';
import { hasNoOriginalPreimage, originalPreimage } from './sighash-original.ts';
import { type Tx, writeOutput } from './transaction.ts';
import type { Utxo } from './utxo.ts';

/** Signs all inputs and outputs, with the fork id: the only hash type this project signs with. */
const SIGHASH_ALL_FORKID = 0x41;

const NONE = 2;
const SINGLE = 3;
const CHRONICLE = 0x20;
const FORKID = 0x40;
const ANYONECANPAY = 0x80;
const ZERO_HASH = new Uint8Array(32);

/** {@link sighashPreimage} for the inputs of one transaction. */
export type Sighash = (inputIndex: number, lockingScript: Uint8Array, amount: Satoshis, type: number) => Uint8Array;

/** {@link sighashPreimage} for many inputs of one transaction: shared parts are hashed once. */
export function sharedSighash(tx: Tx): Sighash {
  const shared: SharedHashes = {};
  return (inputIndex, lockingScript, amount, type) => preimage(tx, inputIndex, lockingScript, amount, type, shared);
}

/** Hashes shared by all inputs of a transaction, computed once, so that signing n inputs takes linear time. */
interface SharedHashes {
  prevouts?: Uint8Array;
  sequences?: Uint8Array;
  outputs?: Uint8Array;
}

/**
 * The preimage of a signature (hash it twice with SHA-256). Types with FORKID (0x40) use BIP143; types with CHRONICLE (0x20) as well use
 * the original algorithm. Blocks before Chronicle refuse the latter.
 * @param lockingScript of the spent output, or the part of it after the last executed OP_CODESEPARATOR.
 * @param type hash type with the FORKID bit set. All 32 bits are written; the lowest eight determine the algorithm.
 * @throws ChainError `signing-failed` for a missing input, a type without FORKID, and SINGLE with CHRONICLE at an input without a
 *   matching output: it would sign the number 1, and the signature would be valid for other transactions too.
 */
export function sighashPreimage(
  tx: Tx,
  inputIndex: number,
  lockingScript: Uint8Array,
  amount: Satoshis,
  type: number,
): Uint8Array {
  return preimage(tx, inputIndex, lockingScript, amount, type, {});
}

function preimage(
  tx: Tx,
  inputIndex: number,
  lockingScript: Uint8Array,
  amount: Satoshis,
  type: number,
  shared: SharedHashes,
): Uint8Array {
  const input = tx.inputs[inputIndex];
  if (input === undefined) throw new ChainError('signing-failed', 'There is no input {inputIndex}.', { inputIndex });
  if ((type & FORKID) === 0)
    throw new ChainError('signing-failed', 'Only signatures with the fork id are made.', { type });
  if ((type & CHRONICLE) !== 0) {
    if (!hasNoOriginalPreimage(tx, inputIndex, type)) return originalPreimage(tx, inputIndex, lockingScript, type);
    const reason = 'A signature of type SINGLE that has no output at the index of its input signs no transaction.';
    throw new ChainError('signing-failed', reason, { inputIndex, type });
  }
  const everyInput = (type & ANYONECANPAY) === 0;
  const base = type & 0x1f;
  const everyOutput = base !== SINGLE && base !== NONE;
  const writer = new ByteWriter(156 + 9 + lockingScript.length);
  writer.i32le(tx.version);
  writer.bytes(everyInput ? prevoutsHash(tx, shared) : ZERO_HASH);
  writer.bytes(everyInput && everyOutput ? sequencesHash(tx, shared) : ZERO_HASH);
  writer.hash(input.txid);
  writer.u32le(input.vout);
  writer.varBytes(lockingScript);
  writer.u64le(amount);
  writer.u32le(input.sequence);
  writer.bytes(everyOutput ? outputsHash(tx, shared) : base === SINGLE ? oneOutputHash(tx, inputIndex) : ZERO_HASH);
  writer.u32le(tx.lockTime);
  writer.u32le(type >>> 0);
  return writer.done();
}

/** The number 1 as the node stores it. */
const ONE = Uint8Array.of(1, ...new Uint8Array(31));

/**
 * The digest that a signature of this type must match: {@link sighashPreimage} hashed twice, or the number 1 if there is no preimage.
 * @param sighash of the same transaction
 */
export function signatureDigest(
  sighash: Sighash,
  tx: Tx,
  inputIndex: number,
  scriptCode: Uint8Array,
  amount: Satoshis,
  type: number,
): Uint8Array {
  if ((type & CHRONICLE) !== 0 && hasNoOriginalPreimage(tx, inputIndex, type)) return ONE;
  return sha256d(sighash(inputIndex, scriptCode, amount, type));
}

function prevoutsHash(tx: Tx, shared: SharedHashes): Uint8Array {
  if (shared.prevouts) return shared.prevouts;
  const writer = new ByteWriter(tx.inputs.length * 36);
  for (const { txid, vout } of tx.inputs) {
    writer.hash(txid);
    writer.u32le(vout);
  }
  shared.prevouts = sha256d(writer.done());
  return shared.prevouts;
}

function sequencesHash(tx: Tx, shared: SharedHashes): Uint8Array {
  if (shared.sequences) return shared.sequences;
  const writer = new ByteWriter(tx.inputs.length * 4);
  for (const { sequence } of tx.inputs) writer.u32le(sequence);
  shared.sequences = sha256d(writer.done());
  return shared.sequences;
}

function outputsHash(tx: Tx, shared: SharedHashes): Uint8Array {
  if (shared.outputs) return shared.outputs;
  const short = tx.outputs.reduce((size, { script: { length } }) => size + 17 + (length < LONG_PART ? length : 0), 0);
  const writer = new PartsWriter(short);
  for (const output of tx.outputs) writeOutput(writer, output);
  shared.outputs = sha256dOfParts(writer.parts());
  return shared.outputs;
}

function oneOutputHash(tx: Tx, index: number): Uint8Array {
  const output = tx.outputs[index];
  if (output === undefined) return ZERO_HASH;
  const writer = new ByteWriter(17 + output.script.length);
  writeOutput(writer, output);
  return sha256d(writer.done());
}

/**
 * Signs with SIGHASH ALL|FORKID every input whose locking script starts with P2PKH of this key (plain coins and the key's own tokens).
 * Inputs of other keys are not changed, so several keys can sign in turn. Signatures are deterministic (RFC 6979) and have a low S.
 * @param spent the spent outputs, one for each input in order.
 * @returns a new transaction.
 * @throws ChainError `signing-failed` if `spent` does not match the inputs, or no input pays this key.
 */
export function signP2pkhInputs(tx: Tx, spent: readonly Utxo[], privateKey: PrivateKey): Tx {
  requireSpentOutputs(tx, spent);
  const publicKey = compressedKeyOf(privateKey);
  const pubKeyHash = hash160(publicKey);
  const shared: SharedHashes = {};
  let signed = 0;
  const inputs = tx.inputs.map((input, index) => {
    const { lockingScript, satoshis } = spent[index] as Utxo;
    const owner = leadingP2pkh(lockingScript);
    if (owner === undefined || !equalBytes(owner, pubKeyHash)) return input;
    signed += 1;
    const digest = sha256d(preimage(tx, index, lockingScript, satoshis, SIGHASH_ALL_FORKID, shared));
    const der = digestSigner.sign(digest, keyBytes(privateKey));
    const signature = Uint8Array.of(...der, SIGHASH_ALL_FORKID);
    return { ...input, script: concatBytes(pushData(signature), pushData(publicKey)) };
  });
  if (signed === 0)
    throw new ChainError('signing-failed', 'No input of the transaction pays this key.', { inputs: inputs.length });
  return { ...tx, inputs };
}

/** @throws ChainError `signing-failed` unless `spent[i]` is the output that input i spends, for all inputs. */
export function requireSpentOutputs(tx: Tx, spent: readonly Utxo[]): void {
  const wrong = mismatchedInput(tx, spent);
  if (wrong !== undefined) {
    throw new ChainError('signing-failed', 'The spent output given for input {input} is not the one it spends.', {
      input: wrong,
    });
  }
}

/** Index of the first input whose spent output is missing or does not match. */
export function mismatchedInput(tx: Tx, spent: readonly Utxo[]): number | undefined {
  if (spent.length !== tx.inputs.length) return Math.min(spent.length, tx.inputs.length);
  const at = tx.inputs.findIndex(({ txid, vout }, i) => spent[i]?.txid !== txid || spent[i]?.vout !== vout);
  return at < 0 ? undefined : at;
}
