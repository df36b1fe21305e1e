import { z } from 'zod';
import { fromHex, headerHash } from '../../../chain/index.ts';
import { hashSchema, PlanchetError } from '../../../contract/index.ts';
import type { Answer, BlockHead, BlockPlace, ChainData } from '../../ports/chain-data.ts';
import type { HeaderChain } from '../../ports/headers.ts';
import { isNotKnown, isPruned, type NodeRpc } from '../../ports/node.ts';
import { told, unknown } from '../answers.ts';
import {
  blockProof,
  blockTold,
  coinbaseOf,
  hashAt,
  headOf,
  listingOf,
  placeTold,
  proofAnywhere,
  rawTransaction,
  rawTransactions,
  requireId,
  searchBlock,
  totalsOf,
} from './blocks.ts';
import type { FollowedMempool } from './followed-mempool.ts';
import { describeMempool, isInMempool, listMempool, unminedAncestors } from './mempool.ts';
import { answerOf, NodeCalls, nodeError } from './node-calls.ts';
import { outputOf, outputsOf } from './outputs.ts';

/** Where the verified headers lack no more blocks than this, they are read before a block is judged. Their first reading takes minutes. */
const SOON_READ = 12;

const heightSchema = z.object({ height: z.number().int().min(0) });

export type VerifiedHeaders = Pick<HeaderChain, 'at' | 'tip' | 'refresh'>;

/** Answers from a node. Left without verified headers, which blocks are on the main chain is its word; without a followed mempool, it lists it. */
export function createNodeChainData(rpc: NodeRpc, headers?: VerifiedHeaders, mempool?: FollowedMempool): ChainData {
  return chainDataOf(new NodeCalls(rpc), headers, { tip: undefined, mempool });
}

function chainDataOf(
  node: NodeCalls,
  headers: VerifiedHeaders | undefined,
  last: { tip: BlockPlace | undefined; readonly mempool: FollowedMempool | undefined },
): ChainData {
  const basisOf = (place: BlockPlace): ReturnType<typeof standing> => standing(headers, place, node.signal);

  async function mainBlock(hash: string): Promise<BlockPlace | undefined> {
    try {
      const { height } = await node.ask(heightSchema, 'getblockheader', [hash, true]);
      // Some nodes count confirmations for the blocks of dead branches too: only the hash at its height shows where a block is.
      return (await hashAt(node, height)) === hash ? { hash, height } : undefined;
    } catch (error) {
      if (isNotKnown(error)) return undefined;
      throw error;
    }
  }

  async function mainPlace(hash: string | undefined): Promise<BlockPlace | null> {
    return (hash && (await mainBlock(hash))) || null;
  }

  async function head(hash: string): Promise<Answer<BlockHead>> {
    const value = await headOf(node, hash);
    const basis = await basisOf(value);
    return basis === 'unknown' ? unknown : { basis, value };
  }

  return {
    name: node.name,
    until: (signal) => chainDataOf(node.until(signal), headers, last),
    async tip() {
      try {
        const hash = await node.ask(hashSchema, 'getbestblockhash');
        if (last.tip?.hash !== hash)
          last.tip = { hash, height: (await node.ask(heightSchema, 'getblockheader', [hash, true])).height };
        return told(last.tip);
      } catch (error) {
        throw nodeError(error);
      }
    },
    hashAt: (height) => answerOf(async () => told(await hashAt(node, height))),
    headerAt: (height) => answerOf(async () => head(await hashAt(node, height))),
    header: (hash) => answerOf(async () => ((await mainBlock(hash)) ? head(hash) : unknown)),
    headerAnywhere: (hash) => answerOf(async () => told(await headOf(node, hash))),
    totals: (hash) => totalsOf(node, hash),
    listing: (block) =>
      answerOf(async () => {
        const listing = await listingOf(node, block);
        return listing === undefined ? unknown : told(listing);
      }),
    coinbase: (hash) => answerOf(async () => told(await coinbaseOf(node, hash))),
    search: (place, sought) =>
      answerOf(async () => {
        const value = await searchBlock(node, place.hash, sought).catch((error: unknown) => {
          if (!isPruned(error)) throw error;
          throw new PlanchetError('chain.block-pruned', { height: place.height, node: node.name });
        });
        const basis = await basisOf(place);
        return basis === 'unknown' ? unknown : { basis, value };
      }),
    async holds({ hash }) {
      try {
        for await (const _ of node.block(hash)) return true;
        return false;
      } catch (error) {
        if (isPruned(error) || isNotKnown(error)) return false;
        throw nodeError(error);
      }
    },
    transaction: (txid) => answerOf(async () => ({ basis: 'proven', value: await rawTransaction(node, txid) })),
    transactions: (txids) => rawTransactions(node, txids),
    placed: (txid) =>
      answerOf(async () => {
        const { hex, blockhash } = await placeTold(node, txid);
        const raw = hex === undefined ? await rawTransaction(node, txid) : requireId(fromHex(hex), txid);
        return told({ raw, block: await mainPlace(blockhash) });
      }),
    placeOf: (txid) => answerOf(async () => told(await mainPlace(await blockTold(node, txid)))),
    inclusion: (txid, hash) =>
      answerOf(async () => {
        const proof = hash === undefined ? await proofAnywhere(node, txid) : await blockProof(node, txid, hash);
        if (typeof proof === 'string') throw new PlanchetError('chain.proof-invalid', { txid });
        const place = proof && (await mainBlock(headerHash(proof.headerBytes)));
        const basis = place ? await basisOf(place) : 'unknown';
        if (!proof || !place || basis === 'unknown') return unknown;
        return { basis, value: { ...place, header: proof.headerBytes, path: proof.path } };
      }),
    output: (outpoint) => answerOf(() => outputOf(node, outpoint)),
    async outputs(outpoints, what) {
      try {
        return await outputsOf(node, outpoints, what);
      } catch (error) {
        throw nodeError(error);
      }
    },
    // a node has no index of scripts
    history: async () => unknown,
    claimedSpent: async () => [],
    spends: async () => ({ spender: undefined, claimedBy: [], deniedBy: [], silent: [] }),
    mempool: (most) =>
      answerOf(() => {
        const ask = () => listMempool(node, most);
        return last.mempool?.list(ask, most) ?? ask();
      }),
    waiting: (most) => answerOf(() => describeMempool(node, most)),
    onTransaction: (listener) => last.mempool?.onTransaction(listener) ?? (() => undefined),
    isInMempool: (txid) => answerOf(() => isInMempool(node, txid)),
    unminedAncestors: (txid) => answerOf(() => unminedAncestors(node, txid)),
  };
}

/**
 * What it rests on that a block is part of the main chain: the verified headers, the word of the node where they do not reach so far, nothing where
 * they have another block at its height. They may be on a branch that the node has just left.
 */
async function standing(
  headers: VerifiedHeaders | undefined,
  { hash, height }: BlockPlace,
  signal: AbortSignal | undefined,
): Promise<'proven' | 'told' | 'unknown'> {
  if (headers === undefined) return 'told';
  if (headers.at(height)?.hash !== hash && height - (headers.tip?.height ?? -1) <= SOON_READ) {
    const aborted = Promise.withResolvers<void>();
    signal?.addEventListener('abort', () => aborted.resolve(), { once: true });
    await Promise.race([headers.refresh(), aborted.promise]);
    signal?.throwIfAborted();
  }
  const verified = headers.at(height)?.hash;
  if (verified === undefined) return 'told';
  return verified === hash ? 'proven' : 'unknown';
}
