import type { Logger } from 'pino';
import { hashToDisplay, parseBlock, serializeTx, sha256d } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { Rerun } from '../../async/rerun.ts';
import type { Clock } from '../../ports/clock.ts';
import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';
import { rawBlock, rawTransaction } from '../upstream/answers/raw-bytes.ts';
import { blocksUpTo } from './block-walk.ts';

const POLL_MS = 1_000;
/** Most transactions to fetch in one round. The rest follow in the next rounds. */
const MOST_PER_ROUND = 1_000;
/** Most tips to remember as passed. */
const PASSED_TIPS = 1_000;
/** How often a block is asked for at most. One that never comes must not keep back the blocks after it. */
const MOST_TRIES = 5;

type PolledTopic = 'hashblock' | 'rawblock' | 'hashtx' | 'rawtx';

export interface ChainPollerOptions {
  node: NodeRpc;
  clock: Clock;
  logger: Logger;
  publish: (topic: PolledTopic, body: Buffer) => void;
  /** Ids to publish in place of the mempool where no node lists it; undefined where the node does. */
  followed?: () => Promise<readonly string[]> | undefined;
  /** Whether the topic has a subscriber. For other topics nothing is read. */
  isWanted: (topic: PolledTopic) => boolean;
}

/** A block of the main chain that is not published yet, or by its hash alone. */
interface FoundBlock {
  readonly hash: string;
  hashPublished: boolean;
  failures: number;
}

/**
 * Finds new blocks and transactions by polling, and publishes them in the order in which a node would. A block that takes longer to fetch
 * than the next poll is published by its hash first, and by its transactions and bytes when they are there. Polling goes on meanwhile. Only
 * what the wanted topics need is read, and nothing while there are none: what comes then is not published later.
 */
export class ChainPoller {
  readonly #options: ChainPollerOptions;
  #tip: string | undefined;
  /** Tips of earlier rounds. A node that is behind, or another one behind the same address, may name one of them again. */
  readonly #passed = new Set<string>();
  #mempool: Set<string> | undefined;
  #running = false;
  #reachable = true;
  #cancel: () => void = () => {};
  /** The oldest first. */
  readonly #found: FoundBlock[] = [];
  readonly #polls: Rerun;
  readonly #publishing: Rerun;
  readonly #stopping = new AbortController();

  constructor(options: ChainPollerOptions) {
    this.#options = options;
    this.#polls = new Rerun({
      work: async () => {
        await this.#poll();
        this.#reachable = true;
      },
      onError: (error) => {
        if (this.#reachable) options.logger.warn({ err: error }, 'the chain cannot be polled');
        this.#reachable = false;
      },
    });
    this.#publishing = new Rerun({
      work: () => this.#publishBlocks(),
      onError: (error) => options.logger.error({ err: error }, 'blocks could not be published'),
    });
  }

  start(): void {
    this.#running = true;
    this.#next();
  }

  async stop(): Promise<void> {
    this.#running = false;
    this.#cancel();
    this.#stopping.abort();
    await this.#polls.stop();
    await this.#publishing.stop();
  }

  #next(): void {
    void this.#polls.wake().then(() => {
      if (this.#running) this.#cancel = this.#options.clock.after(POLL_MS, () => this.#next());
    });
  }

  /** Polls at once if a topic has its first subscriber now: what comes from then on is new. */
  wake(): void {
    const isNew =
      (this.#mempool === undefined && this.#wants('hashtx', 'rawtx')) ||
      (this.#tip === undefined && this.#wants('hashblock', 'rawblock'));
    if (!this.#running || !this.#polls.isIdle || !isNew) return;
    this.#cancel();
    this.#next();
  }

  async #poll(): Promise<void> {
    const { node } = this.#options;
    const wantsTransactions = this.#wants('hashtx', 'rawtx');
    if (!wantsTransactions) this.#mempool = undefined;
    if (!wantsTransactions && !this.#wants('hashblock', 'rawblock')) {
      this.#tip = undefined;
      this.#found.length = 0;
      return;
    }
    for (const block of this.#found) this.#publishHash(block);
    const hash = await node.call<string>('getbestblockhash');
    const before = this.#tip;
    if (before !== undefined && before !== hash) {
      const unlinked = this.#passed.has(hash) ? [] : [hash];
      for (const block of (await blocksUpTo(node, before, hash)) ?? unlinked) {
        this.#found.push({ hash: block, hashPublished: false, failures: 0 });
        this.#pass(block);
      }
    }
    void this.#publishing.wake();
    if (this.#tip === undefined) this.#pass(hash);
    if (!wantsTransactions) return;
    const followed = this.#options.followed?.();
    const txids = await (followed ?? node.call<string[]>('getrawmempool'));
    const known = this.#mempool;
    // Transactions found by the first poll are not new.
    const published = new Set(known === undefined ? txids : txids.filter((txid) => known.has(txid)));
    this.#mempool = published;
    const fresh = txids.filter((txid) => !published.has(txid));
    for (const txid of fresh.slice(0, MOST_PER_ROUND)) {
      await this.#publishTransaction(txid);
      published.add(txid);
    }
  }

  #wants(...topics: readonly PolledTopic[]): boolean {
    return topics.some((topic) => this.#options.isWanted(topic));
  }

  #pass(tip: string): void {
    this.#tip = tip;
    this.#passed.add(tip);
    const [oldest] = this.#passed;
    if (this.#passed.size > PASSED_TIPS && oldest !== undefined) this.#passed.delete(oldest);
  }

  /** Publishes the found blocks, until one cannot be fetched. The next poll tries that one again. */
  async #publishBlocks(): Promise<void> {
    for (;;) {
      const block = this.#found[0];
      if (block === undefined || !this.#running) return;
      try {
        await this.#publishBlock(block);
      } catch (error) {
        if (!this.#running) return;
        block.failures += 1;
        const { logger } = this.#options;
        const isTooLarge = error instanceof PlanchetError && error.detail?.longest !== undefined;
        if (!isTooLarge && block.failures < MOST_TRIES) {
          logger.warn({ err: error, hash: block.hash }, 'a block cannot be fetched and is asked for again');
          return;
        }
        logger.warn({ err: error, hash: block.hash }, 'a block is published by its hash alone');
        this.#publishHash(block);
      }
      // The block was dropped meanwhile if no topic has a subscriber any more.
      if (this.#found[0] === block) this.#found.shift();
    }
  }

  async #publishBlock(block: FoundBlock): Promise<void> {
    const { node, publish } = this.#options;
    const { signal } = this.#stopping;
    if (!this.#wants('rawblock', 'rawtx')) {
      const txids = this.#wants('hashtx')
        ? (await node.call<{ tx: string[] }>('getblock', [block.hash, 1], { signal })).tx
        : [];
      for (const txid of txids) publish('hashtx', Buffer.from(txid, 'hex'));
      this.#publishHash(block);
      return;
    }
    // no limit for the whole block: a large one takes longer than any call
    const raw = await rawBlock(node, block.hash, { signal });
    for (const tx of parseBlock(raw).transactions) {
      const bytes = serializeTx(tx);
      publish('hashtx', Buffer.from(hashToDisplay(sha256d(bytes)), 'hex'));
      publish('rawtx', Buffer.from(bytes));
    }
    this.#publishHash(block);
    publish('rawblock', Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength));
  }

  #publishHash(block: FoundBlock): void {
    if (block.hashPublished) return;
    block.hashPublished = true;
    this.#options.publish('hashblock', Buffer.from(block.hash, 'hex'));
  }

  async #publishTransaction(txid: string): Promise<void> {
    const { node, publish } = this.#options;
    try {
      const raw = this.#wants('rawtx') ? await rawTransaction(node, txid) : undefined;
      publish('hashtx', Buffer.from(txid, 'hex'));
      if (raw !== undefined) publish('rawtx', Buffer.from(raw));
    } catch (error) {
      // It left the mempool before it could be fetched.
      if (!(error instanceof NodeRpcError)) throw error;
    }
  }
}
