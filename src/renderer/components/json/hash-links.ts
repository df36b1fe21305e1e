import { routes } from '../../lib/routes.ts';

const HASH = /^[0-9a-f]{64}$/i;
/** Names of fields of a node's answers that hold the hash of a block, or the id of a transaction. */
const blockFields =
  /^(?:blockhash|bestblock|bestblockhash|hashblock|previousblockhash|nextblockhash|getblockhash|getbestblockhash|target)$/i;
const transactionFields =
  /^(?:txids?|tx|parents?|depends|spentby|ancestors|descendants|txorid|getrawmempool|getmempool(?:ancestors|descendants))$/i;
/** Hashes that nothing can be looked up by. */
const otherFields = /^(?:merkleroot|chainwork|nodes|hex)$/i;

/**
 * Where a hash in an answer leads.
 * @param field the nearest name above it: of the field, or of the command whose whole answer it is
 * @returns undefined for what is no hash, or a hash of something that has no page
 */
export function hashRoute(text: string, field: string): string | undefined {
  if (!HASH.test(text) || otherFields.test(field)) return undefined;
  const hash = text.toLowerCase();
  if (/^0+$/.test(hash)) return undefined;
  if (blockFields.test(field)) return routes.block(hash);
  if (transactionFields.test(field)) return routes.transaction(hash);
  return routes.find(hash);
}
