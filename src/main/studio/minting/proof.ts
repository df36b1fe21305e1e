import { toHex, tscNodes } from '../../../chain/index.ts';
import type { MintJob } from '../../../contract/index.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import type { TransactionTracker } from '../../ports/merchant/transactions.ts';

type Proof = NonNullable<MintJob['proof']>;

/** Where the proof of a transaction may come from. */
export interface ProofSources {
  readonly tracker: Pick<TransactionTracker, 'proofOf'>;
  readonly chainData: ChainData;
}

/**
 * The proof that a block holds a transaction: the one that the tracker verified, wherever it came from, else what the chain data shows.
 * @returns undefined where the block has left the chain, so that the transaction must be looked for again
 * @throws PlanchetError `proof-invalid` where a proof does not hold, `upstream-*`
 */
export async function proofIn(
  { tracker, chainData }: ProofSources,
  txid: string,
  blockHash: string,
  now: number,
): Promise<Proof | undefined> {
  const known = await tracker.proofOf(txid);
  const found = known?.hash === blockHash ? known : (await chainData.inclusion(txid, blockHash)).value;
  if (found === undefined) return undefined;
  const { height: blockHeight, header, path } = found;
  return { blockHash, blockHeight, header: toHex(header), index: path.index, nodes: tscNodes(path), verifiedAt: now };
}
