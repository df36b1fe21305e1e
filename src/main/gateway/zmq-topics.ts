import type { Publisher } from 'zeromq';
import type { ZmqFeed, ZmqMessage, ZmqTopicCounts } from '../../contract/index.ts';
import type { Clock } from '../ports.ts';
import { StepStream } from './step-stream.ts';

/** Topics of a node (node-rpc.md section 7). */
export const zmqTopics = [
  'hashblock',
  'rawblock',
  'hashtx',
  'rawtx',
  'hashblock2',
  'rawblock2',
  'hashtx2',
  'rawtx2',
  'discardedfrommempool',
  'removedfrommempoolblock',
  'invalidtx',
] as const;

export type ZmqTopic = (typeof zmqTopics)[number];

const UINT32 = 2 ** 32;
/** Seconds over which rates are told. */
const RATE_SECONDS = 10;
/** Bytes of a message that views show. */
const SHOWN_BYTES = 64;

export interface TopicCounts {
  /** Messages published. */
  readonly messages: number;
  /** Messages the upstream sent that never came. */
  readonly missed: number;
  /** Lost blocks that were fetched and published. */
  readonly repaired: number;
  /** Times the upstream counted anew, as it does when it is restarted. */
  readonly restarts: number;
}

export interface TopicState {
  readonly topic: ZmqTopic;
  readonly frame: Buffer;
  /** How the topic tells blocks, where it does. */
  readonly blocks: 'hash' | 'raw' | undefined;
  messages: number;
  missed: number;
  repaired: number;
  restarts: number;
  lastAt: number | null;
  /** Sequence number of the last message from upstream. */
  last: number | undefined;
  lastBlock: string | undefined;
  readonly seconds: Uint32Array;
  second: number;
}

/** The topics as they are published, with their numbers and counts. */
export class TopicBoard {
  readonly #publisher: Publisher | undefined;
  readonly #clock: Clock | undefined;
  readonly #states = new Map<string, TopicState>();
  readonly #watchers = new Set<StepStream<ZmqMessage, ZmqFeed>>();
  #published = 0;
  /** The library copies so short a frame at once, so one is enough for all messages. */
  readonly #sequence = Buffer.alloc(4);

  constructor(publisher: Publisher | undefined, clock: Clock | undefined) {
    this.#publisher = publisher;
    this.#clock = clock;
    for (const topic of zmqTopics) {
      this.#states.set(topic, {
        topic,
        frame: Buffer.from(topic),
        blocks: /^hashblock2?$/.test(topic) ? 'hash' : /^rawblock2?$/.test(topic) ? 'raw' : undefined,
        messages: 0,
        missed: 0,
        repaired: 0,
        restarts: 0,
        lastAt: null,
        last: undefined,
        lastBlock: undefined,
        seconds: new Uint32Array(RATE_SECONDS),
        second: 0,
      });
    }
  }

  static empty(): TopicBoard {
    return new TopicBoard(undefined, undefined);
  }

  stateOf(topic: string): TopicState | undefined {
    return this.#states.get(topic);
  }

  publish(topic: ZmqTopic, body: Buffer): void {
    this.send(this.#states.get(topic) as TopicState, body);
  }

  /** @param gap messages of the upstream that should have come right before this one */
  send(state: TopicState, body: Buffer, gap = 0): void {
    const sequence = state.messages % UINT32;
    this.#sequence.writeUInt32LE(sequence);
    state.messages += 1;
    const now = this.#clock?.now() ?? 0;
    state.lastAt = now;
    const second = Math.floor(now / 1_000);
    if (second !== state.second) turnTo(state, second);
    state.seconds[second % RATE_SECONDS] = (state.seconds[second % RATE_SECONDS] as number) + 1;
    this.#published += 1;
    for (const watcher of this.#watchers) {
      watcher.push(() => ({
        number: this.#published,
        at: now,
        topic: state.topic,
        sequence,
        bytes: body.length,
        body: body.toString('hex', 0, SHOWN_BYTES),
        gap,
      }));
    }
    // The socket never waits: the message is queued at once, or dropped for a subscriber that lags too far behind.
    const publisher = this.#publisher;
    if (publisher !== undefined && !publisher.closed)
      publisher.send([state.frame, body, this.#sequence]).catch(() => {});
  }

  /** The messages that are published from now on, in steps. @param signal ends it */
  watch(signal: AbortSignal | undefined): AsyncIteratorObject<ZmqFeed, undefined, void> {
    const watcher = new StepStream<ZmqMessage, ZmqFeed>({
      first: [],
      step: (messages, skipped) => ({ messages, skipped }),
      onClose: () => this.#watchers.delete(watcher),
      signal,
    });
    if (!watcher.steps.closed) this.#watchers.add(watcher);
    return watcher.steps;
  }

  /** Ends what watches and frees the port. */
  close(): void {
    for (const { steps } of [...this.#watchers]) steps.close();
    this.#publisher?.close();
  }

  counts(): Record<ZmqTopic, TopicCounts> {
    const entries = [...this.#states.values()].map(({ topic, messages, missed, repaired, restarts }) => {
      return [topic, { messages, missed, repaired, restarts }];
    });
    return Object.fromEntries(entries) as Record<ZmqTopic, TopicCounts>;
  }

  report(): ZmqTopicCounts[] {
    const second = Math.floor((this.#clock?.now() ?? 0) / 1_000);
    return [...this.#states.values()].map((state) => {
      turnTo(state, second);
      const { topic, messages, missed, repaired, restarts, lastAt } = state;
      const rate = state.seconds.reduce((sum, count) => sum + count, 0) / RATE_SECONDS;
      return { topic, messages, rate, missed, repaired, restarts, lastAt };
    });
  }
}

function turnTo(state: TopicState, second: number): void {
  if (second - state.second >= RATE_SECONDS) state.seconds.fill(0);
  else for (let at = state.second + 1; at <= second; at++) state.seconds[at % RATE_SECONDS] = 0;
  state.second = Math.max(state.second, second);
}
