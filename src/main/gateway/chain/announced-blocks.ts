import type { Logger } from 'pino';
import { PlanchetError, withHint } from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import { isNotKnown, type NodeRpc } from '../../ports/node.ts';

/** A node that is merely slower has received a block after this time. */
const LATE_MS = 60_000;
const AGAIN_MS = 10_000;
/** Only the newest announced blocks are looked up. One known block shows that all of them are on the same chain. */
const MOST_ASKED = 4;

export interface AnnouncedBlocksOptions {
  node: NodeRpc;
  /** ZMQ address that announces the blocks. */
  address: string;
  clock: Clock;
  logger: Logger;
}

/**
 * Looks up the blocks that a ZMQ upstream announces at the RPC upstreams, because a ZMQ address cannot be asked which chain it is on. It
 * only reports a problem: a node that is ahead announces blocks that the others do not have yet, so no message is withheld.
 */
export class AnnouncedBlocks {
  readonly #options: AnnouncedBlocksOptions;
  /** Announced blocks that no RPC upstream has yet, the newest last. */
  #unknown: string[] = [];
  #last = '';
  /** When the RPC upstreams first answered that they have none of them. */
  #unknownSince: number | undefined;
  #isLookingUp = false;
  #closed = false;
  #cancel: () => void = () => {};
  /** Why the ZMQ upstream seems to be on another chain. Undefined again as soon as one of its blocks is known. */
  doubt: PlanchetError | undefined;

  constructor(options: AnnouncedBlocksOptions) {
    this.#options = options;
  }

  /** Call this for each announced block. Several topics may announce the same one. */
  add(hash: string): void {
    if (hash === this.#last) return;
    this.#last = hash;
    this.#unknown = [...this.#unknown, hash].slice(-MOST_ASKED);
    if (!this.#isLookingUp) void this.#lookUp();
  }

  close(): void {
    this.#closed = true;
    this.#cancel();
  }

  async #lookUp(): Promise<void> {
    this.#isLookingUp = true;
    this.#cancel();
    let asked: readonly string[] = [];
    let known: boolean | undefined;
    // blocks that were announced meanwhile are looked up too, until one is known
    while (!this.#closed && asked !== this.#unknown && known !== true) {
      asked = this.#unknown;
      known = await this.#knowsOne(asked);
    }
    this.#isLookingUp = false;
    if (this.#closed) return;
    if (known === true) this.#settle(asked);
    else if (known === false) this.#judge();
    if (this.#unknown.length > 0) this.#cancel = this.#options.clock.after(AGAIN_MS, () => void this.#lookUp());
  }

  #settle(asked: readonly string[]): void {
    this.#unknown = this.#unknown.filter((hash) => !asked.includes(hash));
    this.#unknownSince = undefined;
    const { address, logger } = this.#options;
    if (this.doubt !== undefined)
      logger.info({ address }, 'the ZMQ upstream announces blocks of the right chain again');
    this.doubt = undefined;
  }

  #judge(): void {
    const { clock, address, logger } = this.#options;
    const now = clock.now();
    // a clock that was put back starts the wait again
    this.#unknownSince = Math.min(this.#unknownSince ?? now, now);
    if (this.doubt !== undefined || now - this.#unknownSince < LATE_MS) return;
    this.doubt = new PlanchetError('gateway.zmq-doubt', { address, hash: this.#unknown.at(-1) ?? '' });
    logger.warn({ address, blocks: this.#unknown }, withHint(this.doubt));
  }

  /** @returns undefined if the upstreams cannot be asked now */
  async #knowsOne(hashes: readonly string[]): Promise<boolean | undefined> {
    for (const hash of hashes.toReversed()) {
      try {
        await this.#options.node.call('getblockheader', [hash, false]);
        return true;
      } catch (error) {
        // the gateway's own status shows why the upstreams do not answer
        if (!isNotKnown(error)) return undefined;
      }
    }
    return false;
  }
}
