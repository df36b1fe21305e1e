import type { Logger } from 'pino';
import { bumpOfPath } from '../../../chain/index.ts';
import { PlanchetError, phrase, type TrackedTransaction } from '../../../contract/index.ts';
import { type ChainPlace, walkBlocks } from '../../chain-data/following/walk-blocks.ts';
import { chunks } from '../../chunks.ts';
import { pause } from '../../pause.ts';
import type { BlockHead, BlockListing, BlockPlace, ChainData, Inclusion } from '../../ports/chain-data.ts';
import type { VerifiedProof } from '../../ports/headers.ts';
import type { TransactionStep } from './storage/steps.ts';
import type { TrackedChain } from './storage/tracked-chain.ts';
import type { Tracker } from './tracker.ts';

/** Transactions of a block that are looked up and journalled at once. */
const AT_ONCE = 1_000;

export interface BlockFollowerOptions {
  chain: TrackedChain;
  tracker: Tracker;
  chainData: ChainData;
  now: () => number;
  logger: Logger;
}

/** Searches each new block for tracked transactions, makes their Merkle proofs from its list, and takes them back where the chain does. */
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
    const { chain, chainData } = this.#options;
    const place: ChainPlace = {
      blocks: (limit) => chain.blocks(limit),
      remember: (block) => chain.remember(block),
      since: () => this.#since(),
      leave: (fork) => this.#goBack(fork),
      search: (block, listing) => this.#search(block, listing),
    };
    const walk = await walkBlocks(chainData, place, signal);
    if (walk.end === 'unverified') throw new PlanchetError('merchant.block-not-verified', { hash: walk.hash });
    return walk.end !== 'same';
  }

  async #goBack(fork: number): Promise<void> {
    const { chain, logger } = this.#options;
    const touched = await chain.placedAbove(fork);
    logger.info({ fork, transactions: touched.length }, 'blocks left the main chain');
    await this.#takeBack(touched);
    await chain.forgetAbove(fork);
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
        events: [{ kind: 'reorganisation', state: 'stale', sentence: left }],
        proof: null,
      };
    });
  }

  async #since(): Promise<number | undefined> {
    const { chain, now } = this.#options;
    return (await chain.isAnyOpen()) ? ((await chain.oldestWaiting()) ?? now()) : undefined;
  }

  async #search({ hash, height, header }: BlockHead, listing: BlockListing): Promise<void> {
    const { chain, tracker } = this.#options;
    for (const some of chunks(listing.txids, AT_ONCE)) {
      await pause();
      const ours = await chain.unproven(some, hash);
      if (ours.length === 0) continue;
      await tracker.change(ours, ({ txid }) =>
        minedStep({ hash, height }, proofOf({ hash, height, header, path: listing.path(txid) })),
      );
    }
  }
}

/** A verified inclusion as it is stored. */
export function proofOf({ hash, height, header, path }: Inclusion): VerifiedProof {
  return { blockHash: hash, height, header, bump: bumpOfPath(height, path), index: path.index };
}

/** A block of the main chain holds the transaction; with a verified proof that is all there is to know. */
export function minedStep(
  block: BlockPlace,
  proof: VerifiedProof | undefined,
  dueAt: number | null = null,
): TransactionStep {
  const mined = { kind: 'state', state: 'mined', sentence: phrase('event.mined', { height: block.height }) } as const;
  const settled = { block, reason: null, doubleSpentBy: null, attempts: 0, dueAt };
  if (proof === undefined) return { change: { ...settled, state: 'mined' }, events: [mined] };
  const proven = { kind: 'state', state: 'proven' } as const;
  return { change: { ...settled, state: 'proven' }, events: [mined, proven], proof };
}
