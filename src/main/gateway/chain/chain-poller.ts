import type { Logger } from 'pino';
import { hashToDisplay, parseBlock, serializeTx, sha256d } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import { type NodeRpc, NodeRpcError } from '../../ports/node.ts';
import { blocksUpTo } from './block-walk.ts';

const POLL_MS = 1_000;
/** Most transactions to fetch in one round. The rest follow in the next rounds. */
const MOST_PER_ROUND = 1_000;
/** Most tips to remember as passed. */
const PASSED_TIPS = 1_000;

export interface ChainPollerOptions {
  node: NodeRpc;
  clock: Clock;
  logger: Logger;
  publish: (topic: 'hashblock' | 'rawblock' | 'hashtx' | 'rawtx', body: Buffer) => void;
}

/** Finds new blocks and transactions by polling, and publishes them in the order in which a node would. */
export class ChainPoller {
  readonly #options: ChainPollerOptions;
  #tip: string | undefined;
  /** Tips of earlier rounds. A node that is behind, or another one behind the same address, may name one of them again. */
  readonly #passed = new Set<string>();
  #mempool: Set<string> | undefined;
  #running = false;
  #reachable = true;
  #cancel: () => void = () => {};
  #round: Promise<void> = Promise.resolve();

  constructor(options: ChainPollerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = true;
    this.#next();
  }

  async stop(): Promise<void> {
    this.#running = false;
    this.#cancel();
    await this.#round;
  }

  #next(): void {
    this.#round = this.#poll()
      .then(() => {
        this.#reachable = true;
      })
      .catch((error: unknown) => {
        if (this.#reachable) this.#options.logger.warn({ err: error }, 'the chain cannot be polled');
        this.#reachable = false;
      })
      .finally(() => {
        if (this.#running) this.#cancel = this.#options.clock.after(POLL_MS, () => this.#next());
      });
  }

  async #poll(): Promise<void> {
    const { node } = this.#options;
    const hash = await node.call<string>('getbestblockhash');
    const before = this.#tip;
    if (before !== undefined && before !== hash) {
      const unlinked = this.#passed.has(hash) ? [] : [hash];
      for (const block of (await blocksUpTo(node, before, hash)) ?? unlinked) {
        await this.#publishBlock(block);
        // if the next block fails, this one is not published again
        this.#pass(block);
      }
    }
    if (this.#tip === undefined) this.#pass(hash);
    const txids = await node.call<string[]>('getrawmempool');
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

  #pass(tip: string): void {
    this.#tip = tip;
    this.#passed.add(tip);
    const [oldest] = this.#passed;
    if (this.#passed.size > PASSED_TIPS && oldest !== undefined) this.#passed.delete(oldest);
  }

  async #publishBlock(hash: string): Promise<void> {
    const { publish } = this.#options;
    const raw = await this.#block(hash);
    if (raw === undefined) {
      publish('hashblock', Buffer.from(hash, 'hex'));
      return;
    }
    for (const tx of parseBlock(raw).transactions) {
      const bytes = serializeTx(tx);
      publish('hashtx', Buffer.from(hashToDisplay(sha256d(bytes)), 'hex'));
      publish('rawtx', Buffer.from(bytes));
    }
    publish('hashblock', Buffer.from(hash, 'hex'));
    publish('rawblock', raw);
  }

  /** @returns undefined for a block that is too large to fetch in one call. Later blocks are still published. */
  async #block(hash: string): Promise<Buffer | undefined> {
    const { node, logger } = this.#options;
    try {
      return Buffer.from(await node.call<string>('getblock', [hash, false]), 'hex');
    } catch (error) {
      if (!(error instanceof PlanchetError) || error.detail?.longest === undefined) throw error;
      logger.warn({ err: error, hash }, 'a block is too large to be published with its transactions');
      return undefined;
    }
  }

  async #publishTransaction(txid: string): Promise<void> {
    const { node, publish } = this.#options;
    try {
      const raw = await node.call<string>('getrawtransaction', [txid]);
      publish('hashtx', Buffer.from(txid, 'hex'));
      publish('rawtx', Buffer.from(raw, 'hex'));
    } catch (error) {
      // It left the mempool before it could be fetched.
      if (!(error instanceof NodeRpcError)) throw error;
    }
  }
}
