import type { Logger } from 'pino';
import { fromHex, headerHash } from '../../../chain/index.ts';
import { type Failure, PlanchetError, type ZmqCounts, type ZmqFeed } from '../../../contract/index.ts';
import type { ZmqTopic } from '../../node-format/zmq-topics.ts';
import { reasonOf } from '../../phrased-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { NodeRpc } from '../../ports/node.ts';
import type { Service, ServiceHealth } from '../../ports/service.ts';
import type { Endpoints, SettingsView } from '../../ports/settings.ts';
import { MemoryPool, type Message, Subscription, type SubscriptionOptions } from '../../zmtp/index.ts';
import { AnnouncedBlocks } from '../chain/announced-blocks.ts';
import { blocksUpTo } from '../chain/block-walk.ts';
import { ChainPoller } from '../chain/chain-poller.ts';
import { rawBlock } from '../upstream/answers/raw-bytes.ts';
import { BlockProbe } from './block-probe.ts';
import { type OwnTransactions, tellOwnRemovals } from './own-removals.ts';
import { bindPublisher } from './publisher.ts';
import { TopicBoard, type TopicState } from './topics.ts';

const UINT32 = 2 ** 32;
/** Most blocks per topic to remember as published before their messages arrived. */
const MAX_AHEAD = 100;

/**
 * Topics that share one connection. A subscription matches by prefix, so `hashtx` includes `hashtx2`. On separate connections, messages
 * would arrive twice.
 */
const families: readonly (readonly ZmqTopic[])[] = [
  ['hashblock', 'hashblock2'],
  ['rawblock', 'rawblock2'],
  ['hashtx', 'hashtx2'],
  ['rawtx', 'rawtx2'],
  ['discardedfrommempool'],
  ['removedfrommempoolblock'],
  ['invalidtx'],
];

export interface ZmqRelayOptions {
  settings: SettingsView;
  endpoints: () => Endpoints;
  node: NodeRpc;
  clock: Clock;
  /** Called with the hash of each transaction that the upstream announces, 32 bytes in display order. */
  onTransaction?: (hash: Buffer) => void;
  /** See the option of that name of {@link ChainPoller}. */
  followed?: () => Promise<readonly string[]> | undefined;
  /** Transactions of our own, which are told of where no node tells of all. */
  own?: OwnTransactions;
  /** False while no upstream is known to be on the network's chain. Nothing is relayed then. */
  onChain?: () => boolean;
  /** True while the gateway's user name and password are the generated ones. */
  credentialsAreDefault: () => boolean;
  logger: Logger;
}

/**
 * Publishes the upstream node's notifications on `zmqAddress`, as three frames with its own sequence numbers, which rise by one per topic.
 * It survives restarts of the upstream: the upstream's numbers start again, its own continue. Blocks whose messages were lost are fetched
 * and published in their place. For the newest block, the chain is checked every five seconds and on each connection. Without a ZMQ
 * upstream, the chain is polled every second for what the topics need that somebody follows, and not at all while nobody does.
 */
export class ZmqRelayService implements Service {
  readonly name = 'zmq';
  readonly #options: ZmqRelayOptions;
  #board: TopicBoard | undefined;
  #links: Link[] = [];
  #poller: ChainPoller | undefined;
  #stopTelling: (() => void) | undefined;
  #announced: AnnouncedBlocks | undefined;
  #probe: BlockProbe | undefined;

  constructor(options: ZmqRelayOptions) {
    this.#options = options;
  }

  async start(): Promise<{ address?: string; warning?: Failure | undefined }> {
    const { settings, endpoints, credentialsAreDefault, node, clock, logger } = this.#options;
    const { publisher, address } = await bindPublisher(settings.current().zmqAddress, !credentialsAreDefault());
    const board = new TopicBoard(publisher, clock);
    this.#board = board;
    const upstream = endpoints().bitcoinZmqUrl;
    if (upstream === '') {
      const { own, followed } = this.#options;
      const publish = (topic: ZmqTopic, body: Buffer): void => board.publish(topic, body);
      this.#stopTelling = own && tellOwnRemovals(own, publish);
      const isWanted = (topic: ZmqTopic): boolean => board.isFollowed(topic);
      const poller = new ChainPoller({ node, clock, logger, publish, followed, isWanted });
      board.onFollowed(() => poller.wake());
      this.#poller = poller;
      poller.start();
      return { address, warning: this.health().warning };
    }
    this.#announced = new AnnouncedBlocks({ node, address: upstream, clock, logger });
    const probe = new BlockProbe({
      node,
      clock,
      logger,
      onChain: this.#options.onChain ?? (() => true),
      catchUp: async (tip) => {
        await Promise.all(this.#links.map((link) => this.#catchUp(link, board, tip)));
      },
    });
    this.#probe = probe;
    try {
      const pool = new MemoryPool();
      for (const family of families) this.#links.push(this.#link(upstream, family, board, pool));
    } catch (error) {
      await this.stop();
      throw error;
    }
    probe.look();
    return { address };
  }

  async stop(): Promise<void> {
    const links = this.#links.splice(0);
    for (const link of links) {
      link.subscription.close();
      for (const message of link.waiting.splice(0)) message.release();
    }
    this.#announced?.close();
    this.#announced = undefined;
    await this.#probe?.close();
    this.#probe = undefined;
    await this.#poller?.stop();
    this.#stopTelling?.();
    this.#stopTelling = undefined;
    await Promise.all(links.map((link) => link.repairing));
    this.#poller = undefined;
    await this.#board?.close();
  }

  counts(): ZmqCounts {
    return {
      source: this.#source(),
      degraded: this.#degraded()?.toFailure() ?? null,
      ...(this.#board ?? new TopicBoard()).report(),
    };
  }

  #source(): ZmqCounts['source'] {
    if (this.#poller !== undefined) return 'poller';
    if (this.#links.length === 0) return 'none';
    return this.#options.onChain?.() === false ? 'held' : 'upstream';
  }

  health(): ServiceHealth {
    const warning = this.#poller && new PlanchetError('gateway.zmq-polled').toFailure();
    return { warning, degraded: this.#degraded()?.toFailure() };
  }

  /** Why nothing arrives from the ZMQ upstream, or why its messages are doubted. */
  #degraded(): PlanchetError | undefined {
    if (this.#source() === 'held') return new PlanchetError('gateway.zmq-held');
    const away = this.#links.find(({ subscription, lost }) => lost !== undefined && !subscription.connected);
    if (away === undefined) return this.#announced?.doubt;
    return new PlanchetError('gateway.zmq-away', { address: away.address, reason: reasonOf(away.lost) });
  }

  /** Messages published from now on. The stream ends with the service. @throws PlanchetError `not-running` */
  feed(signal: AbortSignal | undefined): AsyncIteratorObject<ZmqFeed, undefined, void> {
    if (this.#board !== undefined) return this.#board.watch(signal);
    throw new PlanchetError('gateway.zmq-not-running');
  }

  #link(upstream: string, family: readonly ZmqTopic[], board: TopicBoard, pool: MemoryPool): Link {
    const isOnChain = this.#options.onChain ?? (() => true);
    // checked once for all messages of one read
    let heard = false;
    const link: Link = {
      address: upstream,
      blocks: family.map((topic) => board.stateOf(topic)).filter(({ blocks }) => blocks !== undefined),
      repairing: undefined,
      waiting: [],
      lost: undefined,
      connection: 0,
      subscription: connect(upstream, {
        topics: family,
        pool,
        // Subscriptions match by prefix, so other topics may arrive too.
        topicAt: (bytes, start, end) => board.stateAt(bytes, start, end),
        wanted: (state) => board.isWanted(state),
        message: (message) => {
          heard ||= isOnChain();
          if (heard) this.#receive(link, board, message);
        },
        read: () => {
          heard = false;
          board.flush();
          return link.repairing === undefined;
        },
        // Otherwise megabytes would be read before anything is written to a subscriber.
        yields: () => board.lags,
        // blocks found while there was no connection were not announced
        opened: () => {
          if (link.blocks.length > 0) this.#probe?.look();
        },
        lost: (error) => {
          // once per reason, because an unreachable upstream is tried every few seconds
          if (error.message !== link.lost?.message)
            this.#options.logger.info({ family, reason: error.message }, 'the ZMQ upstream was lost');
          link.lost = error;
          link.connection += 1;
        },
      }),
    };
    return link;
  }

  #receive(link: Link, board: TopicBoard, message: Message<TopicState>): void {
    if (link.repairing !== undefined) {
      link.waiting.push(message.hold());
      return;
    }
    const { topic: state } = message;
    const gap = this.#count(state, message.sequence);
    // on a new connection, the number may belong to a restarted node that has counted this far
    const lost = state.connection === link.connection ? gap : Number.POSITIVE_INFINITY;
    state.connection = link.connection;
    if (state.topic === 'hashtx') this.#options.onTransaction?.(message.head);
    if (this.#wasAhead(message)) return;
    const before = this.#lostBlockBefore(message, lost);
    if (before === undefined) {
      board.relay(message, Number.isFinite(gap) ? gap : 0);
      return;
    }
    message.hold();
    link.repairing = this.#repair(board, message, before, lost, gap).finally(() => {
      link.repairing = undefined;
      this.#goOn(link, board);
    });
  }

  /** Relays the messages that waited for lost blocks, until more lost blocks are found. */
  #goOn(link: Link, board: TopicBoard): void {
    while (link.repairing === undefined && link.waiting.length > 0) {
      const message = link.waiting.shift() as Message<TopicState>;
      this.#receive(link, board, message);
      board.flush();
      message.release();
    }
    if (link.repairing === undefined) link.subscription.resume();
  }

  /** @returns number of lost messages before this one; Infinity if it is unknown */
  #count(state: TopicState, sequence: number): number {
    const { logger } = this.#options;
    const { topic } = state;
    const skipped = state.last === undefined ? 0 : (sequence - state.last - 1 + UINT32) % UINT32;
    state.last = sequence;
    if (skipped === 0) return 0;
    if (skipped > UINT32 / 2) {
      state.restarts += 1;
      if (sequence < UINT32 / 2) state.missed += sequence;
      logger.info({ topic }, 'the sequence numbers of the ZMQ upstream started again');
      return Number.POSITIVE_INFINITY;
    }
    state.missed += skipped;
    logger.warn({ topic, missed: skipped }, 'messages of the ZMQ upstream were lost');
    return skipped;
  }

  /** Whether a message announces a block that a check has already found and published. */
  #wasAhead(message: Message<TopicState>): boolean {
    const { ahead } = message.topic;
    const hash = ahead.size === 0 ? undefined : hashOf(message);
    if (hash === undefined || !ahead.delete(hash)) return false;
    // the message was not lost
    message.topic.repaired -= 1;
    this.#announced?.add(hash);
    return true;
  }

  /** Publishes the blocks up to the tip whose messages have not arrived. New messages of the connection wait meanwhile. */
  async #catchUp(link: Link, board: TopicBoard, tip: string): Promise<void> {
    while (link.repairing !== undefined) await link.repairing;
    const behind = link.blocks.filter((state) => {
      state.lastBlock ??= tip;
      return state.lastBlock !== tip;
    });
    if (behind.length === 0) return;
    link.repairing = this.#publishUpTo(behind, board, tip).finally(() => {
      link.repairing = undefined;
      this.#goOn(link, board);
    });
    await link.repairing;
  }

  async #publishUpTo(states: readonly TopicState[], board: TopicBoard, tip: string): Promise<void> {
    const { node, logger } = this.#options;
    const paths = new Map<string, string[] | undefined>();
    for (const state of states) {
      const before = state.lastBlock as string;
      try {
        if (!paths.has(before)) paths.set(before, await blocksUpTo(node, before, tip));
        for (const hash of paths.get(before) ?? []) await this.#publishFound(state, board, hash);
      } catch (error) {
        logger.warn({ err: error, topic: state.topic }, 'lost blocks could not be fetched');
      }
    }
    board.flush();
  }

  /** Publishes a block that a check found: under topics that the upstream publishes, and under those of version 1 that have subscribers. */
  async #publishFound(state: TopicState, board: TopicBoard, hash: string): Promise<void> {
    const wanted = board.isWanted(state);
    // a subscription to `hashblock` includes `hashblock2`, which not every upstream publishes
    const heard = state.last !== undefined;
    if (heard ? wanted || state.blocks === 'hash' : wanted && !state.topic.endsWith('2')) {
      board.send(state, await contentOf(this.#options.node, state, hash));
      state.repaired += 1;
      state.ahead.add(hash);
      const [oldest] = state.ahead;
      if (state.ahead.size > MAX_AHEAD && oldest !== undefined) state.ahead.delete(oldest);
    }
    state.lastBlock = hash;
  }

  /** @returns the last known block before this one, if blocks between the two were lost */
  #lostBlockBefore(message: Message<TopicState>, lost: number): string | undefined {
    const { topic: state } = message;
    const hash = state.blocks === undefined ? undefined : hashOf(message);
    if (hash === undefined) return undefined;
    this.#announced?.add(hash);
    const before = state.lastBlock;
    state.lastBlock = hash;
    return lost === 0 || before === hash ? undefined : before;
  }

  /** Fetches and publishes the blocks lost before a message, then the message. Later messages wait, so the order is kept. */
  async #repair(
    board: TopicBoard,
    message: Message<TopicState>,
    before: string,
    lost: number,
    gap: number,
  ): Promise<void> {
    const { node, logger } = this.#options;
    const { topic: state } = message;
    try {
      const path = (await blocksUpTo(node, before, hashOf(message) as string))?.slice(0, -1) ?? [];
      for (const missed of path.slice(-Math.min(lost, path.length))) {
        board.send(state, await contentOf(node, state, missed));
        state.repaired += 1;
      }
    } catch (error) {
      logger.warn({ err: error, topic: state.topic }, 'lost blocks could not be fetched');
    }
    board.relay(message, Number.isFinite(gap) ? gap : 0);
    board.flush();
    message.release();
  }
}

/** The connection for one family of topics. */
interface Link {
  readonly subscription: Subscription<TopicState>;
  readonly address: string;
  readonly blocks: readonly TopicState[];
  /** Settles when lost blocks are fetched. New messages wait meanwhile. */
  repairing: Promise<void> | undefined;
  readonly waiting: Message<TopicState>[];
  /** Why the last connection ended. */
  lost: Error | undefined;
  /** Rises each time the connection ends. */
  connection: number;
}

/** The block that a message announces; undefined if its topic announces none. */
function hashOf({ topic, head, bodyLength }: Message<TopicState>): string | undefined {
  if (topic.blocks === 'hash') return bodyLength === 32 ? head.toString('hex') : undefined;
  return bodyLength >= 80 ? headerHash(fromHex(head.toString('hex', 0, 80))) : undefined;
}

/** What a topic says of a block: its bytes, or its hash. */
async function contentOf(node: NodeRpc, { blocks }: TopicState, hash: string): Promise<Buffer> {
  return blocks === 'raw' ? Buffer.from(await rawBlock(node, hash)) : Buffer.from(hash, 'hex');
}

function connect(address: string, options: Omit<SubscriptionOptions<TopicState>, 'address'>): Subscription<TopicState> {
  try {
    return new Subscription({ address, ...options });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new PlanchetError('gateway.zmq-address-unusable', { address, reason }, { cause: error });
  }
}
