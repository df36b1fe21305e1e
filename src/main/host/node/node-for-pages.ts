import { z } from 'zod';
import { type BlockPart, type Contract, MAX_BLOCK_ROWS, PlanchetError, type Serves } from '../../../contract/index.ts';

/** So many ids of transactions are kept, and those of the last block in any case: about 100 bytes each. */
const MOST_IDS = 50_000;

const blockSchema = z.looseObject({ tx: z.array(z.string()) });

/** One call under the gateway's rules; a refusal of the node itself is returned in `error`. */
export type NodeCall = (
  method: string,
  params: unknown[],
  signal: AbortSignal | undefined,
) => Promise<{ readonly result: unknown; readonly error: { code: number; message: string } | null }>;

interface KnownBlock {
  /** The answer without the transactions. */
  readonly block: Record<string, unknown>;
  readonly txids: readonly string[];
}

/**
 * The node for the page. A block may have so many transactions that their list holds up both sides: the node is asked once, and the page gets
 * the part that it shows.
 */
export function nodeForPages(call: NodeCall): Serves<Contract['node']> {
  const known = new Map<string, KnownBlock>();
  const keep = (hash: string, found: KnownBlock): void => {
    known.set(hash, found);
    let ids = [...known.values()].reduce((sum, { txids }) => sum + txids.length, 0);
    for (const [oldest, { txids }] of known) {
      if (ids <= MOST_IDS || oldest === hash) break;
      known.delete(oldest);
      ids -= txids.length;
    }
  };
  return {
    call: ({ method, params }, signal) => call(method, params, signal),
    block: async ({ hash, search, from }, signal) => {
      let found = known.get(hash);
      if (found === undefined) {
        const { result, error } = await call('getblock', [hash, 1], signal);
        if (error !== null) return { result: null, error };
        const answer = blockSchema.safeParse(result);
        if (!answer.success) throw new PlanchetError('chain.answer-malformed', { method: 'getblock' });
        const { tx, ...block } = answer.data;
        found = { block, txids: tx };
      } else {
        // What stands in a block stays, what it is confirmed by does not.
        const { result, error } = await call('getblockheader', [hash, true], signal);
        if (error !== null) return { result: null, error };
        found = { ...found, block: { ...found.block, nextblockhash: undefined, ...(result as object) } };
      }
      known.delete(hash);
      keep(hash, found);
      return { result: partOf(found, search.toLowerCase(), from), error: null };
    },
  };
}

function partOf({ block, txids }: KnownBlock, search: string, from: number): BlockPart {
  const rows: BlockPart['rows'] = [];
  let found = 0;
  for (const [position, txid] of txids.entries()) {
    if (search !== '' && !txid.includes(search)) continue;
    if (found >= from && rows.length < MAX_BLOCK_ROWS) rows.push({ position, txid });
    found++;
  }
  return { block, transactions: txids.length, found, rows };
}
