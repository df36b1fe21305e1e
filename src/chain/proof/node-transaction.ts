/** Length of an inner node of a Merkle tree, which is two hashes, and of the shortest transactions: one of them could be mistaken for the other. */
export const NODE_BYTES = 64;
const INPUT_SCRIPT_AT = 41;
/** Bytes of both scripts together in a transaction of 64 bytes with one input and one output. */
const SCRIPT_BYTES = 4;

/**
 * Whether two hashes together are a transaction. Somebody who mines such a transaction can use it as a node of the Merkle tree and then
 * prove a non-existent transaction below it. Two real hashes look like this once in 2^40.
 * @param bytes the 64 bytes that are hashed
 */
export function isTransactionOfNodeLength(bytes: Uint8Array): boolean {
  if (bytes.length !== NODE_BYTES || bytes[4] !== 1) return false;
  const inputScript = bytes[INPUT_SCRIPT_AT] as number;
  if (inputScript > SCRIPT_BYTES) return false;
  const outputsAt = INPUT_SCRIPT_AT + 1 + inputScript + 4;
  if (bytes[outputsAt] !== 1 || bytes[outputsAt + 9] !== SCRIPT_BYTES - inputScript) return false;
  // 21 million coins are less than 2^51 satoshis
  return bytes[outputsAt + 8] === 0 && (bytes[outputsAt + 7] as number) < 8;
}
