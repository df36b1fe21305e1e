import { equalBytes, hash160, sha256d } from '../encoding/bytes.ts';
import { isHarmless } from '../inscription/key-lock.ts';
import { leadingP2pkh } from '../keys/address.ts';
import type { VerifySignature } from '../keys/native-verifier.ts';
import { hasLowS, isPublicKeyForm, isStrictSignature } from '../keys/signature-encoding.ts';
import { OP } from '../script/opcodes.ts';
import type { Sighash } from '../transaction/sighash.ts';
import type { Tx } from '../transaction/transaction.ts';
import type { Utxo } from '../transaction/utxo.ts';

const P2PKH_BYTES = 25;
/** ALL, NONE and SINGLE with the fork id, each with and without ANYONECANPAY. */
const HASH_TYPES = new Set([0x41, 0x42, 0x43, 0xc1, 0xc2, 0xc3]);

/**
 * Whether an input is a standard form with one valid signature: P2PKH, P2PKH followed by an inscription or by data after OP_RETURN, or
 * P2PK. It confirms only what every interpreter must accept: minimal direct pushes, strict DER, low S, a known hash type and a
 * compressed or uncompressed key.
 * @returns true, or false for "not decided here": the input may still be valid
 */
export function hasValidStandardSignature(
  tx: Tx,
  index: number,
  spent: Utxo,
  sighash: Sighash,
  verify: VerifySignature,
): boolean {
  const unlocking = tx.inputs[index]?.script;
  if (unlocking === undefined) return false;
  const { lockingScript } = spent;
  const form = plainForm(lockingScript, unlocking);
  if (form === undefined) return false;
  const { signature, publicKey } = form;
  const type = signature[signature.length - 1] as number;
  const compact = compactSignature(signature);
  if (!HASH_TYPES.has(type) || compact === undefined || !isPublicKeyForm(publicKey)) return false;
  return verify(compact, sha256d(sighash(index, lockingScript, spent.satoshis, type)), publicKey);
}

function plainForm(
  locking: Uint8Array,
  unlocking: Uint8Array,
): { signature: Uint8Array; publicKey: Uint8Array } | undefined {
  const signature = directPush(unlocking, 0);
  if (signature === undefined) return undefined;
  const after = 1 + signature.length;
  const ownKey = directPush(locking, 0);
  if (ownKey !== undefined && after === unlocking.length) {
    const isP2pk = locking.length === ownKey.length + 2 && locking[ownKey.length + 1] === OP.CHECKSIG;
    return isP2pk ? { signature, publicKey: ownKey } : undefined;
  }
  const publicKey = directPush(unlocking, after);
  if (publicKey === undefined || after + 1 + publicKey.length !== unlocking.length) return undefined;
  const owner = leadingP2pkh(locking);
  if (owner === undefined || !equalBytes(owner, hash160(publicKey)) || !isHarmless(locking, P2PKH_BYTES))
    return undefined;
  return { signature, publicKey };
}

/** Data of a direct push, whose opcode is its length; undefined for any other opcode and for a truncated push. */
function directPush(script: Uint8Array, at: number): Uint8Array | undefined {
  const length = script[at];
  if (length === undefined || length < 9 || length > 75 || at + 1 + length > script.length) return undefined;
  return script.subarray(at + 1, at + 1 + length);
}

/** Converts a strict low-S signature with hash type to r and s, 64 bytes. */
function compactSignature(signature: Uint8Array): Uint8Array | undefined {
  if (!isStrictSignature(signature) || !hasLowS(signature)) return undefined;
  const sAt = 4 + (signature[3] as number);
  const r = withoutSignByte(signature.subarray(4, sAt));
  const s = withoutSignByte(signature.subarray(sAt + 2, -1));
  if (r.length > 32) return undefined;
  const compact = new Uint8Array(64);
  compact.set(r, 32 - r.length);
  compact.set(s, 64 - s.length);
  return compact;
}

function withoutSignByte(integer: Uint8Array): Uint8Array {
  return integer[0] === 0 ? integer.subarray(1) : integer;
}
