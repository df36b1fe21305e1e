import type { Logger } from 'pino';
import type { Clock } from '../../ports/clock.ts';
import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';

/** A node that is only slower has a block within this time. */
const LATE_MS = 60_000;
const AGAIN_MS = 10_000;
/** Announced blocks that are asked for, the newest: one of them that is known shows that all come from the same chain. */
const MOST_ASKED = 4;
/** The node's code for a block it does not have. */
const NOT_FOUND = -5;

export interface AnnouncedBlocksOptions {
  node: NodeRpc;
  /** Where the blocks are announced. */
  address: string;
  clock: Clock;
  logger: Logger;
}

/**
 * Holds the blocks a ZMQ upstream announces against those the RPC upstreams know: the ZMQ address itself cannot be asked which chain it is
 * of. It only tells. A node that is ahead of the others announces blocks they do not have yet, so nothing is withheld for it.
 */
export class AnnouncedBlocks {
  readonly #options: AnnouncedBlocksOptions;
  /** Not known yet, the newest last. */
  #unknown: string[] = [];
  #last = '';
  /** Since when the RPC upstreams answer that they know none of them. */
  #unknownSince: number | undefined;
  #looking = false;
  #closed = false;
  #cancel: () => void = () => {};
  #doubt: string | undefined;

  constructor(options: AnnouncedBlocksOptions) {
    this.#options = options;
  }

  /** Why the ZMQ upstream seems to be of another chain; gone once a block it announces is known. */
  get doubt(): string | undefined {
    return this.#doubt;
  }

  /** A block was announced, perhaps by several topics. */
  heard(hash: string): void {
    if (hash === this.#last) return;
    this.#last = hash;
    this.#unknown = [...this.#unknown, hash].slice(-MOST_ASKED);
    if (!this.#looking) void this.#look();
  }

  close(): void {
    this.#closed = true;
    this.#cancel();
  }

  async #look(): Promise<void> {
    this.#looking = true;
    this.#cancel();
    let asked: readonly string[] = [];
    let known: boolean | undefined;
    // what was announced meanwhile is asked for too, until one is known
    while (!this.#closed && asked !== this.#unknown && known !== true) {
      asked = this.#unknown;
      known = await this.#knowsOne(asked);
    }
    this.#looking = false;
    if (this.#closed) return;
    if (known === true) this.#settle(asked);
    else if (known === false) this.#judge();
    if (this.#unknown.length > 0) this.#cancel = this.#options.clock.after(AGAIN_MS, () => void this.#look());
  }

  #settle(asked: readonly string[]): void {
    this.#unknown = this.#unknown.filter((hash) => !asked.includes(hash));
    this.#unknownSince = undefined;
    const { address, logger } = this.#options;
    if (this.#doubt !== undefined) logger.info({ address }, 'the ZMQ upstream announces blocks of the chain again');
    this.#doubt = undefined;
  }

  #judge(): void {
    const { clock, address, logger } = this.#options;
    this.#unknownSince ??= clock.now();
    if (this.#doubt !== undefined || clock.now() - this.#unknownSince < LATE_MS) return;
    this.#doubt =
      `The ZMQ upstream ${address} announces blocks that no RPC upstream knows, such as ${this.#unknown.at(-1)}: ` +
      'it is on another chain, or they are behind. Check that bitcoinZmqUrl and bitcoinRpcUrl are of the same network.';
    logger.warn({ address, blocks: this.#unknown }, this.#doubt);
  }

  /** @returns undefined where that cannot be said now */
  async #knowsOne(hashes: readonly string[]): Promise<boolean | undefined> {
    try {
      for (const hash of hashes.toReversed()) {
        if (await this.#knows(hash)) return true;
      }
      return false;
    } catch {
      // whoever asks the upstreams themselves is told why they do not answer
      return undefined;
    }
  }

  async #knows(hash: string): Promise<boolean> {
    try {
      await this.#options.node.call('getblockheader', [hash, false]);
      return true;
    } catch (error) {
      if (error instanceof NodeRpcError && error.code === NOT_FOUND) return false;
      throw error;
    }
  }
}
