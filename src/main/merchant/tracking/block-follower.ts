import type { Logger } from 'pino';
import { bumpOfPath } from '../../../chain/index.ts';
import { PlanchetError, phrase, phraseText, type TrackedTransaction } from '../../../contract/index.ts';
import { pause } from '../../pause.ts';
import type { BlockHead, BlockListing, BlockPlace, ChainData } from '../../ports/chain-data.ts';
import { chunks } from './storage/rows.ts';
import type { TransactionProof, TransactionStep } from './storage/steps.ts';
import type { TrackedChain } from './storage/tracked-chain.ts';
import type { Tracker } from './tracker.ts';

/** Transactions of a block that are looked up and journalled at once. */
const AT_ONCE = 1_000;
/** A start looks no further back. */
const CATCH_UP_BLOCKS = 5_000;
/** Block times may be two hours off. */
const CLOCK_MARGIN_S = 7_200;

export interface BlockFollowerOptions {
  chain: TrackedChain;
  tracker: Tracker;
  chainData: ChainData;
  now: () => number;
  logger: Logger;
}

/**
 * Searches each new block for tracked transactions with one list of its txids, makes their Merkle proofs from it, and goes back where the
 * chain does.
 */
export class BlockFollower {
  readonly #options: BlockFollowerOptions;

  constructor(options: BlockFollowerOptions) {
    this.#options = options;
  }

  /**
   * Brings the tracked transactions up to the chain.
   * @returns whether the chain has changed
   * @throws PlanchetError `upstream-*`, `proof-invalid`; the next call goes on from where it failed
   */
  async follow(signal: AbortSignal): Promise<boolean> {
    const { chain } = this.#options;
    const chainData = this.#options.chainData.until(signal);
    const { value: best } = await chainData.tip();
    const [last] = await chain.blocks(1);
    if (last?.hash === best.hash) return false;
    const { height: tip } = best;
    let common = await this.#returnToChain(tip, signal);
    if (!(await chain.isAnyOpen())) {
      await chain.remember(best);
      return true;
    }
    let height = common === undefined ? await this.#firstHeight(tip, chainData) : common.height + 1;
    for (; height <= tip; height++) {
      signal.throwIfAborted();
      const { value: head } = await chainData.headerAt(height);
      const { value: hash } = head ? { value: head.hash } : await chainData.hashAt(height);
      if (head === undefined && hash !== undefined) throw new PlanchetError('merchant.block-not-verified', { hash });
      // The chain changed while it was searched: its new tip is followed next.
      if (head === undefined || !(await this.#take(head, common, chainData))) return true;
      common = head;
    }
    return true;
  }

  /**
   * The transaction is in a block: fetches and verifies its proof.
   * @returns undefined where there is none, or the block is not part of the main chain
   * @throws PlanchetError `upstream-*`, `proof-invalid`
   */
  async proofOf(txid: string, { hash }: BlockPlace, signal: AbortSignal): Promise<TransactionProof | undefined> {
    const { value: found } = await this.#options.chainData.until(signal).inclusion(txid, hash);
    if (found === undefined) return undefined;
    const { header, height, path } = found;
    return { bump: bumpOfPath(height, path), header, blockHash: hash, height };
  }

  /** Takes back what stood on blocks that left the chain. @returns the last searched block that is still in it */
  async #returnToChain(tip: number, signal: AbortSignal): Promise<BlockPlace | undefined> {
    const { chain, logger } = this.#options;
    const chainData = this.#options.chainData.until(signal);
    const known = await chain.blocks();
    let common: BlockPlace | undefined;
    for (const block of known) {
      signal.throwIfAborted();
      if (block.height > tip || (await chainData.hashAt(block.height)).value !== block.hash) continue;
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
  async #firstHeight(tip: number, chainData: ChainData): Promise<number> {
    const { chain, now } = this.#options;
    const since = ((await chain.oldestWaiting()) ?? now()) / 1_000 - CLOCK_MARGIN_S;
    const floor = Math.max(1, tip - CATCH_UP_BLOCKS);
    let height = tip;
    while (height > floor) {
      const { value: head } = await chainData.headerAt(height);
      if (head === undefined || head.time < since) break;
      height -= Math.min(10, height - floor);
    }
    return height;
  }

  /** @returns false where the block does not build on the one before */
  async #take(head: BlockHead, previous: BlockPlace | undefined, chainData: ChainData): Promise<boolean> {
    const { hash, height } = head;
    if (previous?.height === height - 1 && head.previousHash !== previous.hash) return false;
    const { value: listing } = await chainData.listing(head);
    if (listing !== undefined) {
      await pause();
      await this.#search(head, listing);
    }
    await this.#options.chain.remember({ hash, height });
    return true;
  }

  async #search({ hash, height, header }: BlockHead, listing: BlockListing): Promise<void> {
    const { chain, tracker } = this.#options;
    for (const some of chunks(listing.txids, AT_ONCE)) {
      await pause();
      const ours = await chain.unproven(some, hash);
      if (ours.length === 0) continue;
      await tracker.change(ours, ({ txid }) => {
        const bump = bumpOfPath(height, listing.path(txid));
        return minedStep({ hash, height }, { bump, header, blockHash: hash, height });
      });
    }
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
