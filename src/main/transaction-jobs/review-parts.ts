import { createHash } from 'node:crypto';
import type { TxOutput } from '../../chain/index.ts';
import type { Review } from '../../contract/index.ts';

type ReviewedOutput = Review['outputs'][number];

/** What an approval is bound to: the SHA-256 of the unsigned transaction's bytes, hex. */
export function digestOf(unsigned: Uint8Array): string {
  return createHash('sha256').update(unsigned).digest('hex');
}

/** The outputs of a transaction that inscribes nothing, as a review shows them. @param addressOf null for other scripts */
export function plainOutputs<K extends ReviewedOutput['kind']>(
  outputs: readonly TxOutput[],
  addressOf: (script: Uint8Array) => string | null,
  kindOf: (script: Uint8Array, index: number) => K,
): (ReviewedOutput & { kind: K })[] {
  return outputs.map(({ satoshis, script }, index) => ({
    index,
    satoshis,
    kind: kindOf(script, index),
    address: addressOf(script),
    itemId: null,
    contentType: null,
    contentBytes: null,
    contentSha256: null,
  }));
}
