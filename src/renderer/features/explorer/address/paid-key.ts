const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const ENVELOPE = '0063';
const ENDIF = 0x68;
const CODE_SEPARATOR = 'ab';
const LAST_PUSH = 0x60;

/** The P2PKH script of an address in hex; undefined for what is no address. Its checksum was judged where the address was given. */
export function lockOf(address: string): string | undefined {
  let value = 0n;
  for (const letter of address) {
    const digit = BASE58.indexOf(letter);
    if (digit < 0) return undefined;
    value = value * 58n + BigInt(digit);
  }
  // a version byte, the hash of 20 bytes, a checksum of 4
  const hex = value.toString(16).padStart(50, '0');
  return address.length < 26 || hex.length > 50 ? undefined : `76a914${hex.slice(2, 42)}88ac`;
}

/**
 * Whether a script can be spent with the key of a P2PKH script: it begins with that script, or has it behind envelopes of inscriptions.
 * A node names no address for either.
 */
export function paysLock(script: string, lock: string): boolean {
  let at = 0;
  while (script.startsWith(ENVELOPE, at)) {
    const end = envelopeEnd(script, at + ENVELOPE.length);
    if (end === undefined) return false;
    at = end;
  }
  if (at > 0 && script.startsWith(CODE_SEPARATOR, at)) at += CODE_SEPARATOR.length;
  return script.startsWith(lock, at);
}

/** Where an envelope ends, in characters of hex; undefined where it holds anything but pushes, or has no end. */
function envelopeEnd(script: string, start: number): number | undefined {
  const byte = (at: number): number => Number.parseInt(script.slice(at, at + 2), 16);
  for (let at = start; at < script.length; ) {
    const op = byte(at);
    at += 2;
    if (op === ENDIF) return at;
    if (!(op <= LAST_PUSH)) return undefined;
    if (op <= 0x4b) at += 2 * op;
    else if (op <= 0x4e) {
      const lengthBytes = 1 << (op - 0x4c);
      let length = 0;
      for (let i = lengthBytes - 1; i >= 0; i--) length = length * 256 + byte(at + 2 * i);
      at += 2 * (lengthBytes + length);
    }
    if (Number.isNaN(at)) return undefined;
  }
  return undefined;
}
