import { z } from 'zod';
import {
  type BlockProof,
  type BlockProofFault,
  ChainError,
  checkBlockProof,
  fromHex,
  HEADER_BYTES,
  headerHash,
  type MerklePath,
  MerkleTree,
  meetsTarget,
  parseHeader,
  txidOf,
} from '../../../chain/index.ts';
import { hashSchema, PlanchetError } from '../../../contract/index.ts';
import { chunks } from '../../chunks.ts';
import { pause } from '../../pause.ts';
import type { Answer, BlockFindings, BlockHead, BlockListing, BlockTotals, Sought } from '../../ports/chain-data.ts';
import { isNotKnown, NodeRpcError } from '../../ports/node.ts';
import { idsSchema, told, unknown } from '../answers.ts';
import { BlockScanner } from '../blocks/block-scanner.ts';
import { Listing } from '../blocks/listing.ts';
import { isInMempool } from './mempool.ts';
import { isRefusal, type NodeCalls } from './node-calls.ts';
import { hexBytes, SATOSHIS_A_COIN } from './outputs.ts';

/** Blocks with more transactions are not listed whole; what they hold is asked for one by one. */
export const LISTED_TRANSACTIONS = 200_000;

const count = z.number().int().min(0);
const placeSchema = z.object({ height: count, num_tx: count.optional(), size: count.optional() });
const listSchema = z.object({ tx: idsSchema });
const targetSchema = z.object({ target: z.hex().length(2 * HEADER_BYTES) });
const statsSchema = z.object({ totalfee: z.number().min(0), total_out: z.number().min(0), total_size: count });
const placedSchema = z.object({ hex: hexBytes.optional(), blockhash: z.string().optional() });
const extendedHeaderSchema = z.object({
  tx: z.tuple([z.object({ txid: hashSchema, hex: z.hex().optional() })]).rest(z.unknown()),
  merkleproof: z.array(z.string()),
});

/** The hash of the main chain's block at a height. @throws NodeRpcError above the tip */
export function hashAt(node: NodeCalls, height: number): Promise<string> {
  return node.ask(hashSchema, 'getblockhash', [height]);
}

/** A block wherever it is. @throws NodeRpcError where the node does not have it; PlanchetError `upstream-*`, `proof-invalid` */
export async function headOf(node: NodeCalls, blockHash: string): Promise<BlockHead> {
  const [header, { height, num_tx: transactions, size }] = await Promise.all([
    node.bytes('getblockheader', [blockHash, false]),
    node.ask(placeSchema, 'getblockheader', [blockHash, true]),
  ]);
  const differs = new PlanchetError('chain.block-differs', { hash: blockHash });
  if (header.length !== HEADER_BYTES || headerHash(header) !== blockHash) throw differs;
  const { previousHash, merkleRoot, bits, time } = parseHeader(header);
  if (!meetsTarget(blockHash, bits)) throw differs;
  return { hash: blockHash, height, header, previousHash, merkleRoot, time, transactions, size };
}

/** @returns unknown from nodes that lack the command, or the block's undo data. @throws PlanchetError `upstream-*` */
export async function totalsOf(node: NodeCalls, blockHash: string): Promise<Answer<BlockTotals>> {
  try {
    const stats = await node.ask(z.unknown(), 'getblockstats', [blockHash, ['totalfee', 'total_out', 'total_size']]);
    const { data } = statsSchema.safeParse(stats);
    if (data === undefined) return unknown;
    const [fees, value] = [data.totalfee, data.total_out].map((coins) => Math.round(coins * SATOSHIS_A_COIN));
    return told({ fees: fees as number, value: value as number, payingBytes: data.total_size });
  } catch (error) {
    if (isRefusal(error) || isNotKnown(error)) return unknown;
    throw error;
  }
}

/** @returns undefined where the block has more transactions than are listed */
export async function listingOf(
  node: NodeCalls,
  block: Pick<BlockHead, 'hash' | 'merkleRoot' | 'transactions'>,
): Promise<BlockListing | undefined> {
  if ((block.transactions ?? 0) > LISTED_TRANSACTIONS) return undefined;
  const { tx: txids } = await node.ask(listSchema, 'getblock', [block.hash, 1]);
  return new Listing(block, txids);
}

/**
 * Finds in a block what is sought. Which chain the block is on is not checked.
 * @throws NodeRpcError where the node does not have it; PlanchetError `upstream-*`, `chain.block-differs`, `chain.block-invalid`
 */
export async function searchBlock(node: NodeCalls, hash: string, sought: Sought): Promise<BlockFindings> {
  const scanner = new BlockScanner(hash, sought);
  try {
    for await (const piece of node.block(hash)) {
      scanner.push(piece);
      await pause();
      node.signal?.throwIfAborted();
    }
    return scanner.end();
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    if (error.code === 'header-malformed') throw new PlanchetError('chain.block-differs', { hash });
    throw new PlanchetError('chain.block-invalid', { hash, reason: error.sentence });
  }
}

/**
 * What shows that a block holds a transaction, held against both: the node's own proof or, from a node that has no such command, one that is made from
 * its list of the block. Whether the block is part of a chain is not looked at.
 * @returns undefined where the node has no proof and no list; why a proof does not hold
 * @throws NodeRpcError where it does not know one of both; PlanchetError `upstream-*`
 */
export async function blockProof(
  node: NodeCalls,
  txid: string,
  blockHash: string,
): Promise<BlockProof | BlockProofFault | undefined> {
  try {
    const proof = await node.ask(z.unknown(), 'getmerkleproof2', [blockHash, txid, false, 'header']);
    return checkBlockProof(proof, txid, blockHash);
  } catch (error) {
    if (!isRefusal(error) && !isNotKnown(error)) throw error;
    const block = await headOf(node, blockHash);
    // The node makes no proof for the one transaction of a block: its id is the Merkle root.
    if (block.merkleRoot === txid) return proofOf(block, { txid, index: 0, siblings: [] });
    if (isNotKnown(error)) throw error;
    const listing = await listingOf(node, block);
    return listing?.txids.includes(txid) ? proofOf(block, listing.path(txid)) : undefined;
  }
}

/**
 * The bytes of a transaction where the node gives them, and the hash of its block as the node says it. Of a large one the node says all scripts
 * twice, which is more than is read at once: its block is asked for alone then.
 * @throws NodeRpcError where the node does not know it; PlanchetError `upstream-*`
 */
export async function placeTold(node: NodeCalls, txid: string): Promise<z.infer<typeof placedSchema>> {
  try {
    return await node.ask(placedSchema, 'getrawtransaction', [txid, true]);
  } catch (error) {
    if (!(error instanceof PlanchetError) || error.id !== 'upstream.answer-too-large') throw error;
  }
  return { blockhash: await blockInProof(node, txid) };
}

/**
 * The hash of a transaction's block as the node says it, undefined where no block holds it. Short answers are asked for first, because
 * `getrawtransaction` sends five times the bytes of the transaction.
 * @throws NodeRpcError where the node does not know it; PlanchetError `upstream-*`
 */
export async function blockTold(node: NodeCalls, txid: string): Promise<string | undefined> {
  // whatever keeps a node from making the proof, its other answers count
  const proven = await blockInProof(node, txid).catch(() => undefined);
  return proven ?? blockWithoutProof(node, txid);
}

/** {@link blockTold} where the node had no proof: the transaction waits, or the node lacks the command. */
async function blockWithoutProof(node: NodeCalls, txid: string): Promise<string | undefined> {
  const { value: waits } = await isInMempool(node, txid);
  if (waits === true) return undefined;
  // a block may have taken it between the two questions
  const proven = waits === false ? await blockInProof(node, txid).catch(() => undefined) : undefined;
  return proven ?? (await placeTold(node, txid)).blockhash;
}

/** The hash of the block that the node's own proof names. @returns undefined where the node has no such proof */
async function blockInProof(node: NodeCalls, txid: string): Promise<string | undefined> {
  try {
    const { data } = targetSchema.safeParse(await proofAsked(node, txid));
    return data && headerHash(fromHex(data.target));
  } catch (error) {
    if (isRefusal(error) || isNotKnown(error)) return undefined;
    throw error;
  }
}

/** The node's own proof of whatever block holds a transaction. */
function proofAsked(node: NodeCalls, txid: string): Promise<unknown> {
  return node.ask(z.unknown(), 'getmerkleproof2', ['', txid, false, 'header']);
}

/** See {@link blockProof}, of whatever block holds the transaction. */
export async function proofAnywhere(node: NodeCalls, txid: string): Promise<BlockProof | BlockProofFault | undefined> {
  try {
    const proof = await proofAsked(node, txid);
    const { data } = targetSchema.safeParse(proof);
    return data === undefined ? 'malformed' : checkBlockProof(proof, txid, headerHash(fromHex(data.target)));
  } catch (error) {
    if (!isRefusal(error) && !isNotKnown(error)) throw error;
    const block = await blockWithoutProof(node, txid);
    return block ? blockProof(node, txid, block) : undefined;
  }
}

function proofOf({ header: headerBytes, merkleRoot: root }: BlockHead, path: MerklePath): BlockProof {
  return { path: { ...path, root }, header: parseHeader(headerBytes), headerBytes };
}

/** A block's first transaction with its branch: from the extended header or, where the node has none, from its list of the block. */
export async function coinbaseOf(
  node: NodeCalls,
  blockHash: string,
): Promise<{ raw: Uint8Array; nodes: readonly string[] }> {
  const extended = await node.ask(z.unknown(), 'getblockheader', [blockHash, 2]).catch((error: unknown) => {
    if (error instanceof NodeRpcError) return undefined;
    throw error;
  });
  const read = extendedHeaderSchema.safeParse(extended);
  if (read.success) {
    const { txid, hex } = read.data.tx[0];
    const raw = hex === undefined || hex.length % 2 === 1 ? await rawTransaction(node, txid) : fromHex(hex);
    return { raw: requireId(raw, txid), nodes: read.data.merkleproof };
  }
  const listing = await listingOf(node, await headOf(node, blockHash));
  const txid = listing?.txids[0];
  if (listing === undefined || txid === undefined)
    throw new PlanchetError('chain.answer-malformed', { method: 'getblockheader' });
  return { raw: await rawTransaction(node, txid), nodes: new MerkleTree(listing.txids).branch(0) };
}

/** @throws NodeRpcError where the node does not know it; PlanchetError `upstream-*` */
export async function rawTransaction(node: NodeCalls, txid: string): Promise<Uint8Array> {
  return requireId(await node.bytes('getrawtransaction', [txid, false]), txid);
}

/** The bytes themselves. @throws PlanchetError `upstream-error` where they have another id */
export function requireId(raw: Uint8Array, txid: string): Uint8Array {
  if (txidOf(raw) !== txid) throw new PlanchetError('chain.transaction-differs', { txid });
  return raw;
}

/** Transactions that are asked for in one call, and how many calls are made at once where each needs one of its own. */
const BATCH = 100;
const CALLS_AT_ONCE = 8;

/** See {@link ChainData.transactions}. */
export async function rawTransactions(
  node: NodeCalls,
  txids: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>();
  for (const some of chunks(txids, BATCH)) await readSome(node, some, found);
  return found;
}

async function readSome(node: NodeCalls, txids: readonly string[], found: Map<string, Uint8Array>): Promise<void> {
  try {
    const results = await node.each(
      'getrawtransaction',
      txids.map((txid) => [txid, false]),
    );
    if (results === undefined) return await readSingly(node, txids, found);
    for (const [at, txid] of txids.entries()) {
      const hex = results[at];
      const raw = typeof hex === 'string' ? bytesOrNone(hex) : undefined;
      if (raw !== undefined && txidOf(raw) === txid) found.set(txid, raw);
    }
  } catch (error) {
    if (!(error instanceof PlanchetError) || error.code !== 'upstream-error') throw error;
    if (error.id !== 'upstream.answer-too-large') return readSingly(node, txids, found);
    const half = txids.length >> 1;
    await readSome(node, txids.slice(0, half), found);
    await readSome(node, txids.slice(half), found);
  }
}

async function readSingly(node: NodeCalls, txids: readonly string[], found: Map<string, Uint8Array>): Promise<void> {
  for (const some of chunks(txids, CALLS_AT_ONCE)) {
    const read = await Promise.all(some.map((txid) => rawTransaction(node, txid).catch(noneIfRefused)));
    for (const [n, raw] of read.entries()) if (raw !== undefined) found.set(some[n] as string, raw);
  }
}

function bytesOrNone(hex: string): Uint8Array | undefined {
  try {
    return fromHex(hex);
  } catch {
    return undefined;
  }
}

/** Leaves out a transaction that the node does not have, or whose bytes are not its own. */
function noneIfRefused(error: unknown): undefined {
  const isOfChain = error instanceof PlanchetError && error.id?.startsWith('chain.');
  if (!isOfChain && !(error instanceof NodeRpcError)) throw error;
}
