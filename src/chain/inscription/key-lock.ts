import { hash160, plainBytes } from '../encoding/bytes.ts';
import { leadingP2pkh } from '../keys/address.ts';
import { OP } from '../script/opcodes.ts';
import { classifyScript, ScriptCursor } from '../script/script.ts';

/** A locking script that belongs to one key, and the data to spend it. */
interface KeyLock {
  /** 20 bytes. */
  readonly pubKeyHash: Uint8Array;
  /** P2PK: the script holds the public key, so the signature alone unlocks it. P2PKH takes the public key as well. */
  readonly holdsKey: boolean;
  /** The part of the script that a signature covers: what follows the code separator, or all of it. A view of the script. */
  readonly signed: Uint8Array;
  /** Nothing after the lock can change its result. Otherwise it asks for more than the key, as a redeemable token does. */
  readonly complete: boolean;
}

/** Operations of all envelopes before or after a lock. Those of tokens have some dozens; a script of megabytes may have millions. */
export const MAX_OPERATIONS = 20_000;
const P2PKH_BYTES = 25;
/** Sizes of P2PK with a compressed and an uncompressed key, in bytes. */
const P2PK_BYTES = [35, 67];

/**
 * The one rule for whose a script is: it starts with P2PKH, or it is P2PKH or P2PK after leading envelopes, which never run. A plain P2PK
 * script has no owner here, because nothing pays this application's keys that way.
 * @returns undefined for a script that does not belong to a single key
 */
export function keyLockOf(script: Uint8Array): KeyLock | undefined {
  const bytes = plainBytes(script);
  const lockAt = afterEnvelopes(bytes, 0);
  if (lockAt === undefined) return undefined;
  // some writers exclude the envelope from the signed script code
  const separated = lockAt > 0 && bytes[lockAt] === OP.CODESEPARATOR;
  const lock = bytes.subarray(separated ? lockAt + 1 : lockAt);
  const signed = separated ? lock : bytes;
  const pubKeyHash = leadingP2pkh(lock);
  if (pubKeyHash) {
    return {
      pubKeyHash,
      holdsKey: false,
      signed,
      // Read on demand: for foreign outputs only the key is needed.
      get complete() {
        return isHarmless(lock, P2PKH_BYTES);
      },
    };
  }
  const publicKey = lockAt > 0 ? leadingP2pk(lock) : undefined;
  return publicKey && { pubKeyHash: hash160(publicKey), holdsKey: true, signed, complete: true };
}

/** The hash of the single key that a script belongs to: see {@link keyLockOf}. */
export function ownerKeyHash(script: Uint8Array): Uint8Array | undefined {
  return keyLockOf(script)?.pubKeyHash;
}

/** Whether a script from this index on cannot change the result of a lock before it: envelopes, which never run, and data after OP_RETURN. */
export function isHarmless(script: Uint8Array, from: number): boolean {
  const end = afterEnvelopes(script, from);
  return end !== undefined && (end === script.length || script[end] === OP.RETURN);
}

/**
 * End index of the envelopes that start at this index; undefined if one contains anything but pushes, or does not end, or all have too many
 * operations.
 */
function afterEnvelopes(script: Uint8Array, from: number): number | undefined {
  let at = from;
  const budget = { operations: MAX_OPERATIONS };
  while (script[at] === OP.FALSE && script[at + 1] === OP.IF) {
    const length = envelopeLength(script.subarray(at), budget);
    if (length === undefined) return undefined;
    at += length;
  }
  return at;
}

function envelopeLength(script: Uint8Array, budget: { operations: number }): number | undefined {
  const cursor = new ScriptCursor(script);
  cursor.next();
  cursor.next();
  for (let chunk = cursor.next(); chunk && budget.operations-- > 0; chunk = cursor.next()) {
    if (chunk.op === OP.ENDIF) return cursor.offset;
    if (chunk.op > OP.SIXTEEN) return undefined;
  }
  return undefined;
}

function leadingP2pk(lock: Uint8Array): Uint8Array | undefined {
  for (const length of P2PK_BYTES) {
    const head = lock.subarray(0, length);
    if (classifyScript(head).type === 'pubkey' && isHarmless(lock, length)) return head.subarray(1, -1);
  }
  return undefined;
}
