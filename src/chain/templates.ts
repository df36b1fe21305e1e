import { leadingP2pkh } from './address.ts';
import { equalBytes, hash160, sha256d } from './bytes.ts';
import type { VerifySignature } from './native-verifier.ts';
import { OP } from './opcodes.ts';
import type { Sighash } from './sighash.ts';
import type { Tx } from './transaction.ts';
import type { Utxo } from './utxo.ts';

const P2PKH_BYTES = 25;
/** ALL, NONE and SINGLE with the fork id, each with and without ANYONECANPAY. */
const HASH_TYPES = new Set([0x41, 0x42, 0x43, 0xc1, 0xc2, 0xc3]);
const HALF_ORDER = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0';

/**
 * Whether an input is one of the common forms with one signature, and the signature is good: P2PKH, P2PKH followed by an inscription
 * or by data behind OP_RETURN, and P2PK. Only what any interpreter of the rules must accept is confirmed: minimal direct pushes, strict
 * DER, low S, a known hash type and a compressed or plain key.
 * @returns true, or false for "not decided here": the input may still be valid
 */
export function isPlainlySigned(
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
  const compact = compactSignature(signature.subarray(0, -1));
  if (!HASH_TYPES.has(type) || compact === undefined || !isPlainKey(publicKey)) return false;
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
  if (owner === undefined || !equalBytes(owner, hash160(publicKey)) || !hasHarmlessTail(locking)) return undefined;
  return { signature, publicKey };
}

/** Data pushed by the opcode that is its own length; undefined for any other opcode and where bytes are missing. */
function directPush(script: Uint8Array, at: number): Uint8Array | undefined {
  const length = script[at];
  if (length === undefined || length < 9 || length > 75 || at + 1 + length > script.length) return undefined;
  return script.subarray(at + 1, at + 1 + length);
}

/** True where what follows the P2PKH leaves its result as it is: nothing, an envelope that is never run, data behind OP_RETURN. */
function hasHarmlessTail(script: Uint8Array): boolean {
  let at = P2PKH_BYTES;
  if (script[at] === OP.FALSE && script[at + 1] === OP.IF) {
    at += 2;
    while (script[at] !== OP.ENDIF) {
      const next = afterPush(script, at);
      if (next === undefined) return false;
      at = next;
    }
    at += 1;
  }
  return at === script.length || script[at] === OP.RETURN;
}

/** Where a push ends; undefined for another opcode and where bytes are missing. */
function afterPush(script: Uint8Array, at: number): number | undefined {
  const op = script[at];
  if (op === undefined || op > OP.SIXTEEN || op === OP.RESERVED) return undefined;
  if (op > OP.PUSHDATA4) return at + 1;
  const lengthBytes = op < OP.PUSHDATA1 ? 0 : 1 << (op - OP.PUSHDATA1);
  let length = op < OP.PUSHDATA1 ? op : 0;
  for (let byte = 0; byte < lengthBytes; byte++) length += (script[at + 1 + byte] ?? 0) * 256 ** byte;
  const end = at + 1 + lengthBytes + length;
  return end <= script.length ? end : undefined;
}

function isPlainKey(key: Uint8Array): boolean {
  return (key.length === 33 && (key[0] === 2 || key[0] === 3)) || (key.length === 65 && key[0] === 4);
}

/** r and s of a strict DER signature with a low S as 64 bytes. */
function compactSignature(der: Uint8Array): Uint8Array | undefined {
  const rLength = der[3] ?? 0;
  const sLength = der[5 + rLength] ?? 0;
  if (der[0] !== 0x30 || der[1] !== der.length - 2 || der.length !== 6 + rLength + sLength) return undefined;
  const compact = new Uint8Array(64);
  const isStrict = putInteger(der, 2, rLength, compact, 0) && putInteger(der, 4 + rLength, sLength, compact, 32);
  return isStrict && Buffer.from(compact.buffer, 32, 32).toString('hex') <= HALF_ORDER ? compact : undefined;
}

function putInteger(der: Uint8Array, at: number, length: number, into: Uint8Array, offset: number): boolean {
  const first = der[at + 2] as number;
  if (der[at] !== 0x02 || length === 0 || length > 33 || first >= 0x80) return false;
  const padded = first === 0 && length > 1;
  if (padded && (der[at + 3] as number) < 0x80) return false;
  const digits = der.subarray(at + 2 + (padded ? 1 : 0), at + 2 + length);
  if (digits.length > 32) return false;
  into.set(digits, offset + 32 - digits.length);
  return true;
}
