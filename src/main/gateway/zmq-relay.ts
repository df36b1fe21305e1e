import { Subscriber } from 'zeromq';
import { fromHex, headerHash } from '../../chain/index.ts';
import { PlanchetError, type ZmqCounts, type ZmqFeed } from '../../contract/index.ts';
import type { Clock, Endpoints, Logger, NodeRpc, Service, SettingsView } from '../ports.ts';
import { blocksBetween } from './block-walk.ts';
import { ChainPoller } from './chain-poller.ts';
import { bindPublisher, HIGH_WATER_MARK } from './zmq-publisher.ts';
import { TopicBoard, type TopicCounts, type TopicState, type ZmqTopic, zmqTopics } from './zmq-topics.ts';

export { type TopicCounts, type ZmqTopic, zmqTopics };

const HEARTBEAT_MS = 5_000;
const RECONNECT_MS = 100;
const RECONNECT_MAX_MS = 5_000;
const UINT32 = 2 ** 32;

/**
 * Topics that come over one connection. A subscription matches by prefix, so `hashtx` brings `hashtx2` as well: on connections of their
 * own the two would come twice.
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
  /** True while the gateway's user name and password are those this installation was made with. */
  credentialsAreDefault: () => boolean;
  logger: Logger;
}

/**
 * Publishes the upstream node's notifications on `zmqAddress`, as three frames with sequence numbers of its own that rise by one per
 * topic. It lives through restarts of the upstream, whose numbers then begin anew; ours go on. Blocks the upstream announced in vain
 * are fetched and published in their place. Without a ZMQ upstream the chain is looked at every second.
 */
export class ZmqRelayService implements Service {
  readonly name = 'zmq';
  readonly #options: ZmqRelayOptions;
  #board: TopicBoard | undefined;
  #subscribers: Subscriber[] = [];
  #poller: ChainPoller | undefined;
  #relaying: Promise<unknown> = Promise.resolve();

  constructor(options: ZmqRelayOptions) {
    this.#options = options;
  }

  async start(): Promise<{ address?: string; warning?: string }> {
    const { settings, endpoints, credentialsAreDefault, node, clock, logger } = this.#options;
    const { publisher, address } = await bindPublisher(settings.current().zmqAddress, !credentialsAreDefault());
    const board = new TopicBoard(publisher, clock);
    this.#board = board;
    const upstream = endpoints().bitcoinZmqUrl;
    if (upstream === '') {
      this.#poller = new ChainPoller({ node, clock, logger, publish: (topic, body) => board.publish(topic, body) });
      this.#poller.start();
      const warning =
        'bitcoinZmqUrl names no upstream: blocks and transactions are looked for every second and published as ' +
        'hashblock, rawblock, hashtx and rawtx; the other topics are silent.';
      return { address, warning };
    }
    try {
      for (const family of families) this.#subscribers.push(subscribe(upstream, family));
    } catch (error) {
      await this.stop();
      throw error;
    }
    this.#relaying = Promise.all(this.#subscribers.map((subscriber) => this.#relay(subscriber, board)));
    return { address };
  }

  async stop(): Promise<void> {
    for (const subscriber of this.#subscribers.splice(0)) subscriber.close();
    await this.#poller?.stop();
    await this.#relaying;
    this.#poller = undefined;
    this.#board?.close();
  }

  /** Counts since the start, by topic. */
  counts(): Record<ZmqTopic, TopicCounts> {
    return (this.#board ?? TopicBoard.empty()).counts();
  }

  /** The counts as views show them. */
  report(): ZmqCounts {
    const source = this.#poller !== undefined ? 'poller' : this.#subscribers.length > 0 ? 'upstream' : 'none';
    return { source, topics: (this.#board ?? TopicBoard.empty()).report() };
  }

  /** What is published from now on. It ends with the service. @throws PlanchetError `not-running` */
  watch(signal: AbortSignal | undefined): AsyncIteratorObject<ZmqFeed, undefined, void> {
    if (this.#board !== undefined) return this.#board.watch(signal);
    throw new PlanchetError('not-running', 'The ZMQ feed does not run.', {
      hint: 'Look at its dot at the top of the window for the reason.',
    });
  }

  async #relay(subscriber: Subscriber, board: TopicBoard): Promise<void> {
    try {
      while (!subscriber.closed) {
        const frames = await subscriber.receive();
        const [topic, body, sequence] = frames;
        // Subscriptions match by prefix, so other topics may come too.
        const state = topic === undefined ? undefined : board.stateOf(topic.toString('latin1'));
        if (state === undefined || frames.length !== 3 || sequence?.length !== 4) continue;
        const lost = this.#count(state, sequence.readUInt32LE());
        if (state.blocks !== undefined) await this.#followBlocks(board, state, body as Buffer, lost);
        board.send(state, body as Buffer, Number.isFinite(lost) ? lost : 0);
      }
    } catch (error) {
      if (!subscriber.closed) this.#options.logger.error({ err: error }, 'the ZMQ relay ended');
    }
  }

  /** @returns how many messages before this one never came; Infinity where that cannot be known */
  #count(state: TopicState, sequence: number): number {
    const { logger } = this.#options;
    const { topic } = state;
    const skipped = state.last === undefined ? 0 : (sequence - state.last - 1 + UINT32) % UINT32;
    state.last = sequence;
    if (skipped === 0) return 0;
    if (skipped > UINT32 / 2) {
      state.restarts += 1;
      if (sequence < UINT32 / 2) state.missed += sequence;
      logger.info({ topic }, 'the ZMQ upstream counts anew');
      return Number.POSITIVE_INFINITY;
    }
    state.missed += skipped;
    logger.warn({ topic, missed: skipped }, 'messages of the ZMQ upstream were lost');
    return skipped;
  }

  /** Fetches and publishes the blocks that were lost before this one. The messages after it wait, so the order stays. */
  async #followBlocks(board: TopicBoard, state: TopicState, body: Buffer, lost: number): Promise<void> {
    const hash = hashOf(state, body);
    const before = state.lastBlock;
    if (hash === undefined) return;
    state.lastBlock = hash;
    if (lost === 0 || before === undefined || before === hash) return;
    const { node, logger } = this.#options;
    try {
      const path = (await blocksBetween(node, before, hash)) ?? [];
      for (const missed of path.slice(-Math.min(lost, path.length))) {
        const raw = state.blocks === 'raw' ? await node.call<string>('getblock', [missed, false]) : missed;
        board.send(state, Buffer.from(raw, 'hex'));
        state.repaired += 1;
      }
    } catch (error) {
      logger.warn({ err: error, topic: state.topic }, 'lost blocks could not be fetched');
    }
  }
}

function hashOf(state: TopicState, body: Buffer): string | undefined {
  if (state.blocks === 'hash') return body.length === 32 ? body.toString('hex') : undefined;
  return body.length >= 80 ? headerHash(fromHex(body.toString('hex', 0, 80))) : undefined;
}

function subscribe(upstream: string, topics: readonly ZmqTopic[]): Subscriber {
  const subscriber = new Subscriber({
    linger: 0,
    ipv6: upstream.includes('['),
    receiveHighWaterMark: HIGH_WATER_MARK,
    reconnectInterval: RECONNECT_MS,
    reconnectMaxInterval: RECONNECT_MAX_MS,
    // A connection that died silently, as when a machine sleeps, is noticed and made anew.
    heartbeatInterval: HEARTBEAT_MS,
    heartbeatTimeout: HEARTBEAT_MS,
  });
  try {
    subscriber.connect(upstream);
  } catch (error) {
    subscriber.close();
    const reason = error instanceof Error ? error.message : String(error);
    throw new PlanchetError('upstream-unreachable', `The ZMQ address ${upstream} cannot be used: ${reason}`, {
      hint: 'Set bitcoinZmqUrl to an address such as tcp://node.example:28332, or to nothing.',
      cause: error,
    });
  }
  subscriber.subscribe(...topics);
  return subscriber;
}
