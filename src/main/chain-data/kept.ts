import { NODE_BYTES, parseBump, parseHeader, pathInBump, txidOf } from '../../chain/index.ts';
import type { ChainData, FindKept, Inclusion } from '../ports/chain-data.ts';
import type { HeaderChain } from '../ports/headers.ts';
import { proven } from './answers.ts';

export interface Kept {
  /** Holders of mined transactions in this program. */
  readonly finders: readonly FindKept[];
  readonly headers: Pick<HeaderChain, 'at'>;
}

/**
 * What is held here of a transaction, as far as it holds now: its bytes have its id, and its path leads to a block of the chain. Who was asked
 * agreed on that block when it was kept, so it is shown while nobody answers.
 */
export async function findKept(
  { finders, headers }: Kept,
  txid: string,
): Promise<{ rawTx: Uint8Array | null; inclusion: Inclusion } | undefined> {
  for (const find of finders) {
    const { rawTx, bump } = (await find(txid)) ?? {};
    if (bump === undefined || rawTx === undefined) continue;
    if (rawTx !== null && (rawTx.length === NODE_BYTES || txidOf(rawTx) !== txid)) continue;
    const parsed = parseBump(bump);
    const block = headers.at(parsed.height);
    const path = pathInBump(parsed, txid);
    if (block === undefined || path === undefined || parseHeader(block.header).merkleRoot !== parsed.root) continue;
    return { rawTx, inclusion: { ...block, path } };
  }
  return undefined;
}

/** Chain data that answers from held transactions before it asks: a pruned node does not have them any more. */
export function withKept(chain: ChainData, kept: Kept): ChainData {
  return {
    ...chain,
    until: (signal) => withKept(chain.until(signal), kept),
    async transaction(txid) {
      const rawTx = (await findKept(kept, txid))?.rawTx;
      return rawTx == null ? chain.transaction(txid) : proven(rawTx);
    },
    async inclusion(txid, hash, known) {
      const inclusion = (await findKept(kept, txid))?.inclusion;
      const isWanted = inclusion !== undefined && (hash === undefined || hash === inclusion.hash);
      return isWanted ? proven(inclusion) : chain.inclusion(txid, hash, known);
    },
  };
}
