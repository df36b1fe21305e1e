import type { UncheckedSignature } from '../../chain/keys/json-envelope.ts';

const SIGNATURE_BYTES = 64;
const DIGEST_BYTES = 32;
const KEY_BYTES = 33;
const ITEM_BYTES = SIGNATURE_BYTES + DIGEST_BYTES + KEY_BYTES;

/** Writes signatures with compressed keys into one array: it crosses to a thread faster than three for each. */
export function packSignatures(signatures: readonly UncheckedSignature[]): Uint8Array {
  const bytes = new Uint8Array(signatures.length * ITEM_BYTES);
  for (const [n, { signature, digest, publicKey }] of signatures.entries()) {
    bytes.set(signature, n * ITEM_BYTES);
    bytes.set(digest, n * ITEM_BYTES + SIGNATURE_BYTES);
    bytes.set(publicKey, n * ITEM_BYTES + SIGNATURE_BYTES + DIGEST_BYTES);
  }
  return bytes;
}

/** Reads what {@link packSignatures} wrote. */
export function unpackSignatures(bytes: Uint8Array): UncheckedSignature[] {
  return Array.from({ length: bytes.length / ITEM_BYTES }, (_, n) => {
    const item = bytes.subarray(n * ITEM_BYTES, (n + 1) * ITEM_BYTES);
    return {
      signature: item.subarray(0, SIGNATURE_BYTES),
      digest: item.subarray(SIGNATURE_BYTES, SIGNATURE_BYTES + DIGEST_BYTES),
      publicKey: item.subarray(SIGNATURE_BYTES + DIGEST_BYTES),
    };
  });
}
