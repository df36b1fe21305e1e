import { routes } from '../../lib/routes.ts';

const HASH = /^[0-9a-f]{64}$/i;
/** Fields of a node's replies that contain the hash of a block, or the id of a transaction. */
const blockFields =
  /^(?:blockhash|bestblock|bestblockhash|hashblock|previousblockhash|nextblockhash|getblockhash|getbestblockhash|target)$/i;
const transactionFields =
  /^(?:txids?|tx|parents?|depends|spentby|ancestors|descendants|txorid|getrawmempool|getmempool(?:ancestors|descendants))$/i;
/** Placeholder hashes that have no page. */
const otherFields = /^(?:merkleroot|chainwork|nodes|hex)$/i;

/**
 * The link of a hash in a reply.
 * @param field the nearest name above it: of the field, or of the command if the hash is the complete reply
 * @returns undefined if it is not a hash, or if there is no page for it
 */
export function hashRoute(text: string, field: string): string | undefined {
  if (!HASH.test(text) || otherFields.test(field)) return undefined;
  const hash = text.toLowerCase();
  if (/^0+$/.test(hash)) return undefined;
  if (blockFields.test(field)) return routes.block(hash);
  if (transactionFields.test(field)) return routes.transaction(hash);
  return routes.find(hash);
}
