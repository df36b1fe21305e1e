import type { Logger } from 'pino';
import {
  bumpOfCheckedPath,
  bumpOfPath,
  fromHex,
  headerHash,
  MerkleTree,
  meetsTarget,
  parseHeader,
} from '../../../chain/index.ts';
import { PlanchetError, phrase, phraseText, type TrackedTransaction } from '../../../contract/index.ts';
import { pause } from '../../pause.ts';
import type { HeaderChain } from '../../ports/headers.ts';
import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';
import { blockProof, LISTED_TRANSACTIONS } from '../../transaction-jobs/block-proof.ts';
import { chunks } from './storage/rows.ts';
import type { TransactionProof, TransactionStep } from './storage/steps.ts';
import type { BlockPlace, TrackedChain } from './storage/tracked-chain.ts';
import type { Tracker } from './tracker.ts';

/** Transactions of a block that are looked up and journalled at once. */
const AT_ONCE = 1_000;
/** A start looks no further back. */
const CATCH_UP_BLOCKS = 5_000;
/** Block times may be two hours off. */
const CLOCK_MARGIN_S = 7_200;
const OUT_OF_RANGE = -8;
/** Where the verified headers lack no more blocks than this, they are read before a block is judged. Their first reading takes minutes. */
const SOON_READ = 12;

export interface BlockFollowerOptions {
  chain: TrackedChain;
  tracker: Tracker;
  node: NodeRpc;
  /** The verified headers. They may be behind the node, or still empty. */
  headers: Pick<HeaderChain, 'at' | 'tip' | 'refresh'>;
  now: () => number;
  logger: Logger;
}

/**
 * Searches each new block for tracked transactions with one list of its txids, makes their Merkle proofs from it, and goes back where the
 * chain does. A block counts only if the list leads to the Merkle root of its header, and the header is the verified one of its height. Where the
 * verified headers do not reach that height, the header must show its work.
 */
export class BlockFollower {
  readonly #options: BlockFollowerOptions;

  constructor(options: BlockFollowerOptions) {
    this.#options = options;
  }

  /**
   * Brings the tracked transactions up to the node's chain.
   * @returns whether the chain has changed
   * @throws PlanchetError `upstream-*`, NodeRpcError; the next call goes on from where it failed
   */
  async follow(signal: AbortSignal): Promise<boolean> {
    const { chain } = this.#options;
    const best = await this.#call<string>('getbestblockhash', [], signal);
    const [last] = await chain.blocks(1);
    if (last?.hash === best) return false;
    const { height: tip } = await this.#call<{ height: number }>('getblockheader', [best, true], signal);
    let common = await this.#returnToChain(tip, signal);
    if (!(await chain.isAnyOpen())) {
      await chain.remember({ hash: best, height: tip });
      return true;
    }
    let height = common === undefined ? await this.#firstHeight(tip, signal) : common.height + 1;
    for (; height <= tip; height++) {
      signal.throwIfAborted();
      const hash = await this.#hashAt(height, signal);
      // The chain changed while it was searched: its new tip is followed next.
      if (hash === undefined || !(await this.#take({ height, hash }, common, signal))) return true;
      common = { height, hash };
    }
    return true;
  }

  /**
   * The transaction is in a block: fetches and verifies its proof.
   * @returns undefined where the block is not part of the main chain
   * @throws PlanchetError `upstream-*`; NodeRpcError where the node has no proof of it
   */
  async proofOf(
    txid: string,
    { hash, height }: BlockPlace,
    signal: AbortSignal,
  ): Promise<TransactionProof | undefined> {
    const checked = await blockProof(this.#options.node, txid, hash, signal);
    if ((await this.#hashAt(height, signal)) !== hash) return undefined;
    if (typeof checked === 'string') throw new PlanchetError('merchant.proof-wrong', { txid });
    if (await this.#contradictsHeaders({ hash, height }, signal)) return undefined;
    return { bump: bumpOfCheckedPath(height, checked.path), header: checked.headerBytes, blockHash: hash, height };
  }

  /** Takes back what stood on blocks that left the chain. @returns the last searched block that is still in it */
  async #returnToChain(tip: number, signal: AbortSignal): Promise<BlockPlace | undefined> {
    const { chain, logger } = this.#options;
    const known = await chain.blocks();
    let common: BlockPlace | undefined;
    for (const block of known) {
      signal.throwIfAborted();
      if (block.height > tip || (await this.#hashAt(block.height, signal)) !== block.hash) continue;
      common = block;
      break;
    }
    if (common === known[0]) return common;
    const fork = common?.height ?? -1;
    const touched = await chain.placedAbove(fork);
    logger.info({ fork, transactions: touched.length }, 'blocks left the main chain');
    await this.#takeBack(touched);
    await chain.forgetAbove(fork);
    return common;
  }

  /**
   * Takes back what stands on blocks that the verified headers left. A proof that a miner sent may name a block that was never searched here.
   * @param top the last height at which they have, or had, a block @param isActive whether a block is among them
   */
  async leave(fork: number, top: number, isActive: (hash: string) => boolean): Promise<void> {
    const places = await this.#options.chain.placesAbove(fork, top);
    const isLeft = (hash: string | null): boolean => hash !== null && !isActive(hash);
    const left = places.filter(({ hash }) => isLeft(hash)).map(({ txid }) => txid);
    if (left.length > 0) await this.#takeBack(left, ({ block }) => isLeft(block?.hash ?? null));
  }

  async #takeBack(
    txids: readonly string[],
    isLeft: (before: TrackedTransaction) => boolean = () => true,
  ): Promise<void> {
    const { tracker, now } = this.#options;
    await tracker.change(txids, (before) => {
      if (!isLeft(before)) return undefined;
      const { block } = before;
      const left = block === null ? phrase('event.rival-left') : phrase('event.block-left', { height: block.height });
      return {
        change: { state: 'stale', block: null, reason: null, dueAt: now(), attempts: 0 },
        events: [{ kind: 'reorganisation', state: 'stale', text: phraseText(left) }],
        proof: null,
      };
    });
  }

  /** Where a search that never saw a block begins: before its oldest transaction. */
  async #firstHeight(tip: number, signal: AbortSignal): Promise<number> {
    const { chain, now } = this.#options;
    const since = ((await chain.oldestWaiting()) ?? now()) / 1_000 - CLOCK_MARGIN_S;
    const floor = Math.max(1, tip - CATCH_UP_BLOCKS);
    let height = tip;
    while (height > floor) {
      const hash = await this.#hashAt(height, signal);
      if (hash === undefined) break;
      const { time } = await this.#call<{ time: number }>('getblockheader', [hash, true], signal);
      if (time < since) break;
      height -= Math.min(10, height - floor);
    }
    return height;
  }

  /** @returns false where the block does not build on the one before */
  async #take(block: BlockPlace, previous: BlockPlace | undefined, signal: AbortSignal): Promise<boolean> {
    const { chain } = this.#options;
    const { hash } = block;
    const header = fromHex(await this.#call<string>('getblockheader', [hash, false], signal));
    const { previousHash, merkleRoot, bits } = parseHeader(header);
    if (headerHash(header) !== hash || !meetsTarget(hash, bits))
      throw new PlanchetError('merchant.block-wrong', { hash });
    if (previous?.height === block.height - 1 && previousHash !== previous.hash) return false;
    if (await this.#contradictsHeaders(block, signal)) throw new PlanchetError('merchant.block-not-verified', { hash });
    const { num_tx: count = 0 } = await this.#call<{ num_tx?: number }>('getblockheader', [hash, true], signal);
    if (count <= LISTED_TRANSACTIONS) {
      const { tx: txids } = await this.#call<{ tx: string[] }>('getblock', [hash, 1], signal);
      await pause();
      await this.#search(block, header, merkleRoot, txids);
    }
    await chain.remember(block);
    return true;
  }

  /** Whether the verified headers have another block at this height. They may be on a branch that the node has just left. */
  async #contradictsHeaders({ hash, height }: BlockPlace, signal: AbortSignal): Promise<boolean> {
    const { headers } = this.#options;
    if (headers.at(height)?.hash !== hash && height - (headers.tip?.height ?? -1) <= SOON_READ) {
      const aborted = Promise.withResolvers<void>();
      const stop = (): void => aborted.resolve();
      signal.addEventListener('abort', stop);
      await Promise.race([headers.refresh(), aborted.promise]);
      signal.removeEventListener('abort', stop);
      signal.throwIfAborted();
    }
    const verified = headers.at(height);
    return verified !== undefined && verified.hash !== hash;
  }

  async #search(block: BlockPlace, header: Uint8Array, root: string, txids: readonly string[]): Promise<void> {
    const { chain, tracker } = this.#options;
    const { hash, height } = block;
    let tree: MerkleTree | undefined;
    let places: Map<string, number> | undefined;
    for (const some of chunks(txids, AT_ONCE)) {
      await pause();
      const ours = await chain.unproven(some, hash);
      if (ours.length === 0) continue;
      tree ??= new MerkleTree(txids);
      if (tree.root !== root) throw new PlanchetError('merchant.block-wrong', { hash });
      places ??= new Map(txids.map((txid, index) => [txid, index]));
      await tracker.change(ours, ({ txid }) => {
        const bump = bumpOfPath(height, (tree as MerkleTree).path(places?.get(txid) as number));
        return minedStep(block, { bump, header, blockHash: hash, height });
      });
    }
  }

  async #hashAt(height: number, signal: AbortSignal): Promise<string | undefined> {
    try {
      return await this.#call<string>('getblockhash', [height], signal);
    } catch (error) {
      if (error instanceof NodeRpcError && error.code === OUT_OF_RANGE) return undefined;
      throw error;
    }
  }

  #call<T>(method: string, params: readonly unknown[], signal: AbortSignal): Promise<T> {
    return this.#options.node.call<T>(method, params, { signal });
  }
}

/** A block of the main chain holds the transaction; with a verified proof that is all there is to know. */
export function minedStep(
  block: BlockPlace,
  proof: TransactionProof | undefined,
  dueAt: number | null = null,
): TransactionStep {
  const mined = {
    kind: 'state',
    state: 'mined',
    text: phraseText(phrase('event.mined', { height: block.height })),
  } as const;
  const settled = { block, reason: null, doubleSpentBy: null, attempts: 0, dueAt };
  if (proof === undefined) return { change: { ...settled, state: 'mined' }, events: [mined] };
  const proven = { kind: 'state', state: 'proven', text: '' } as const;
  return { change: { ...settled, state: 'proven' }, events: [mined, proven], proof };
}
