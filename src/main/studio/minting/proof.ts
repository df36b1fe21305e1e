import { z } from 'zod';
import {
  type BlockHeader,
  type BlockProofFault,
  ChainError,
  fromHex,
  headerHash,
  meetsTarget,
  parseHeader,
  toHex,
  tscNodes,
  workOf,
} from '../../../chain/index.ts';
import { type MintJob, PlanchetError } from '../../../contract/index.ts';
import type { TransactionTracker } from '../../ports/merchant/transactions.ts';
import type { NodeRpc } from '../../ports/node.ts';
import { blockProof } from '../../transaction-jobs/block-proof.ts';
import { ask } from '../review/chain-facts.ts';

type Proof = NonNullable<MintJob['proof']>;

/** Successors of a block whose headers are fetched and checked; a block deeper than this is held by all of them. */
const MAX_SUCCESSORS = 144;

const headerSchema = z.object({
  hash: z.string(),
  confirmations: z.number().int(),
  height: z.number().int().min(0),
  chainwork: z.string().regex(/^[0-9a-f]{64}$/),
  previousblockhash: z.string().optional(),
});
type HeaderInfo = z.infer<typeof headerSchema>;

/** Whoever may have the proof of a transaction. */
export interface ProofSources {
  readonly tracker: Pick<TransactionTracker, 'proofOf'>;
  readonly node: NodeRpc;
}

/**
 * The proof that a block holds a transaction: the one that the tracker verified, wherever it came from. For a transaction that it does not have it of, the
 * node's, verified whole: the branch against the header, the header's own work, and the header's place on the chain with the most work the node knows.
 * @returns undefined where the block has left that chain, so that the transaction must be looked for again
 * @throws PlanchetError `proof-invalid` where the proof or the chain around it does not hold, `upstream-*`; NodeRpcError
 */
export async function proofIn(
  { tracker, node }: ProofSources,
  txid: string,
  blockHash: string,
  now: number,
  signal?: AbortSignal,
): Promise<Proof | undefined> {
  const known = await tracker.proofOf(txid);
  if (known?.blockHash !== blockHash) return fetchProof(node, txid, blockHash, now, signal);
  const { height: blockHeight, header, path } = known;
  return { blockHash, blockHeight, header: toHex(header), index: path.index, nodes: tscNodes(path), verifiedAt: now };
}

/** See {@link proofIn}. */
export async function fetchProof(
  node: NodeRpc,
  txid: string,
  blockHash: string,
  now: number,
  signal?: AbortSignal,
): Promise<Proof | undefined> {
  const info = await headerInfo(node, blockHash, signal);
  if (info.confirmations < 1) return undefined;
  const proof = await blockProof(node, txid, blockHash, signal);
  if (typeof proof === 'string') throw invalid(faults[proof]);
  if (!(await isOnBestChain(node, proof.header, info, signal))) return undefined;
  const { path, headerBytes } = proof;
  const { index } = path;
  return {
    blockHash,
    blockHeight: info.height,
    header: toHex(headerBytes),
    index,
    nodes: tscNodes(path),
    verifiedAt: now,
  };
}

const faults: Readonly<Record<BlockProofFault, string>> = {
  malformed: 'it cannot be read',
  'other-transaction': 'it is about another transaction',
  'other-block': 'its header is not that of the block',
  'no-work': 'its header does not show the work it asks for',
  'other-root': 'its branch does not lead to the Merkle root of the block',
};

/**
 * Follows the headers from the block towards the tip: each must build on the one before and show its work, and the work the node counts
 * must be the sum of theirs.
 */
async function isOnBestChain(
  node: NodeRpc,
  header: BlockHeader,
  info: HeaderInfo,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (info.height > 0) {
    const before = await headerInfo(node, header.previousHash, signal);
    if (before.height !== info.height - 1 || BigInt(`0x${before.chainwork}`) + workOf(header.bits) !== work(info)) {
      throw invalid('the work the node counts for its block is not that of the header');
    }
  }
  const tipHash = await ask(node, z.string(), 'getbestblockhash', [], signal);
  const tip = await headerInfo(node, tipHash, signal);
  const last = Math.min(tip.height, info.height + MAX_SUCCESSORS);
  let expected = work(info);
  let previous = info.hash;
  for (let height = info.height + 1; height <= last; height++) {
    const hash = await ask(node, z.string(), 'getblockhash', [height], signal);
    const next = readHeader(await ask(node, z.string(), 'getblockheader', [hash, false], signal));
    // A block that arrived between two questions can have moved the chain; it is looked at again then.
    if (next.previousHash !== previous) return false;
    if (headerHash(next) !== hash || !meetsTarget(hash, next.bits)) {
      throw invalid(`the header at height ${height} does not show the work it asks for`);
    }
    expected += workOf(next.bits);
    previous = hash;
  }
  if (last < tip.height) return work(tip) > expected;
  if (previous !== tip.hash) return false;
  if (work(tip) !== expected) throw invalid('the work the node counts for its chain is not that of the headers');
  return true;
}

function headerInfo(node: NodeRpc, hash: string, signal: AbortSignal | undefined): Promise<HeaderInfo> {
  return ask(node, headerSchema, 'getblockheader', [hash, true], signal);
}

function work(info: HeaderInfo): bigint {
  return BigInt(`0x${info.chainwork}`);
}

function readHeader(hex: string): BlockHeader {
  try {
    return parseHeader(fromHex(hex));
  } catch (error) {
    if (error instanceof ChainError) throw invalid('a header in it cannot be read');
    throw error;
  }
}

function invalid(why: string): PlanchetError {
  return new PlanchetError('mint.proof-invalid', { why });
}
