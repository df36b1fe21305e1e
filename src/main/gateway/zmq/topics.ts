import type { ZmqCounts, ZmqFeed, ZmqMessage } from '../../../contract/index.ts';
import { type ZmqTopic, zmqTopics } from '../../node-format/zmq-topics.ts';
import type { Clock } from '../../ports/clock.ts';
import { HEAD_BYTES, type Message, messageOf, type Publisher, pieceOf } from '../../zmtp/index.ts';
import { ThrottledStream } from '../metrics/throttled-stream.ts';

const UINT32 = 2 ** 32;
/** Seconds over which rates are measured. */
const RATE_SECONDS = 10;
/** Bytes of a message to show in views. */
const SHOWN_BYTES = Math.min(64, HEAD_BYTES);

export interface TopicState {
  readonly topic: ZmqTopic;
  /** Its index in the list of topics. */
  readonly place: number;
  readonly frame: Buffer;
  /** How the topic announces blocks; undefined if it does not. */
  readonly blocks: 'hash' | 'raw' | undefined;
  messages: number;
  /** Messages of the upstream that never arrived. */
  missed: number;
  /** Lost blocks that were fetched and published. */
  repaired: number;
  /** How often the upstream's sequence numbers started again, as after a restart. */
  restarts: number;
  lastAt: number | null;
  /** Sequence number of the upstream's last message. */
  last: number | undefined;
  /** Number of the connection it arrived on, from 0; -1 before the first. */
  connection: number;
  /** The last published block; before the first one, the tip at the start. */
  lastBlock: string | undefined;
  /** Blocks that a check found and published before their messages arrived. Some messages never arrive. */
  readonly ahead: Set<string>;
  readonly seconds: Uint32Array;
  second: number;
}

/** The published topics with their sequence numbers and counts. */
export class TopicBoard {
  readonly #publisher: Publisher | undefined;
  readonly #clock: Clock | undefined;
  readonly #states = new Map<string, TopicState>();
  readonly #watchers = new Set<ThrottledStream<ZmqMessage, ZmqFeed>>();
  #published = 0;
  #lastState: TopicState | undefined;
  #onFollowed: () => void = () => undefined;

  /** Without a publisher and a clock, a board that reports no messages. */
  constructor(publisher?: Publisher, clock?: Clock) {
    this.#publisher = publisher;
    this.#clock = clock;
    for (const [place, topic] of zmqTopics.entries()) {
      this.#states.set(topic, {
        topic,
        place,
        frame: Buffer.from(topic),
        blocks: /^hashblock2?$/.test(topic) ? 'hash' : /^rawblock2?$/.test(topic) ? 'raw' : undefined,
        messages: 0,
        missed: 0,
        repaired: 0,
        restarts: 0,
        lastAt: null,
        last: undefined,
        connection: -1,
        lastBlock: undefined,
        ahead: new Set(),
        seconds: new Uint32Array(RATE_SECONDS),
        second: 0,
      });
    }
  }

  /** The topic named by a frame; undefined if a node has no such topic. */
  stateAt(bytes: Buffer, start: number, end: number): TopicState | undefined {
    // usually the same topic as before
    const last = this.#lastState;
    if (last?.frame.length === end - start && last.frame.compare(bytes, start, end) === 0) return last;
    const state = this.#states.get(bytes.toString('latin1', start, end));
    if (state !== undefined) this.#lastState = state;
    return state;
  }

  stateOf(topic: ZmqTopic): TopicState {
    return this.#states.get(topic) as TopicState;
  }

  publish(topic: ZmqTopic, body: Buffer): void {
    this.send(this.stateOf(topic), body);
  }

  /** Publishes a message that the gateway made itself. */
  send(state: TopicState, body: Buffer): void {
    const number = Buffer.allocUnsafe(4);
    number.writeUInt32LE(this.#count(state, body, body.length, 0));
    this.#publisher?.publish(state.place, messageOf([state.frame, body, number]).map(pieceOf));
  }

  /**
   * Publishes a received message under the topic's own number. `flush` must follow.
   * @param gap number of lost messages right before this one
   */
  relay(message: Message<TopicState>, gap: number): void {
    const { topic: state, memory, start, end, earlier } = message;
    message.sequence = this.#count(state, message.head, message.bodyLength, gap);
    if (!message.hasBody) return;
    if (earlier.length === 0) this.#publisher?.append(state.place, memory, start, end);
    else this.#publisher?.publish(state.place, [...earlier, { memory, start, end }]);
  }

  /** Sends the published messages. */
  flush(): void {
    this.#publisher?.flush();
  }

  /** Whether data is waiting for a subscriber. */
  get lags(): boolean {
    return this.#publisher?.lags === true;
  }

  isWanted(state: TopicState): boolean {
    return this.#publisher?.isWanted(state.place) === true;
  }

  /** Whether anybody subscribed to the topic, or watches all of them. */
  isFollowed(topic: ZmqTopic): boolean {
    return this.#watchers.size > 0 || this.isWanted(this.stateOf(topic));
  }

  /** Calls the listener when somebody begins or ends to follow topics. */
  onFollowed(listener: () => void): void {
    this.#onFollowed = listener;
    if (this.#publisher !== undefined) this.#publisher.onChange = listener;
  }

  /** Counts a message and shows it in the live feeds. @returns its sequence number */
  #count(state: TopicState, head: Buffer, bytes: number, gap: number): number {
    const sequence = state.messages % UINT32;
    state.messages += 1;
    const now = this.#clock?.now() ?? 0;
    state.lastAt = now;
    const second = Math.floor(now / 1_000);
    if (second !== state.second) turnTo(state, second);
    state.seconds[second % RATE_SECONDS] = (state.seconds[second % RATE_SECONDS] as number) + 1;
    this.#published += 1;
    const { topic } = state;
    const number = this.#published;
    for (const watcher of this.#watchers)
      watcher.push(() => ({
        number,
        at: now,
        topic,
        sequence,
        bytes,
        body: head.toString('hex', 0, SHOWN_BYTES),
        gap,
      }));
    return sequence;
  }

  /** Streams the messages published from now on, in steps. @param signal ends the stream */
  watch(signal: AbortSignal | undefined): AsyncIteratorObject<ZmqFeed, undefined, void> {
    const watcher = new ThrottledStream<ZmqMessage, ZmqFeed>({
      step: (messages, skipped) => ({ messages, skipped }),
      onClose: () => this.#watchers.delete(watcher),
      signal,
    });
    if (!watcher.steps.closed) this.#watchers.add(watcher);
    this.#onFollowed();
    return watcher.steps;
  }

  /** Ends the live feeds and frees the port. */
  async close(): Promise<void> {
    for (const { steps } of [...this.#watchers]) steps.close();
    await this.#publisher?.close();
  }

  report(): Omit<ZmqCounts, 'source' | 'degraded'> {
    const second = Math.floor((this.#clock?.now() ?? 0) / 1_000);
    const topics = [...this.#states.values()].map((state) => {
      turnTo(state, second);
      const { topic, messages, missed, repaired, restarts, lastAt } = state;
      const rate = state.seconds.reduce((sum, count) => sum + count, 0) / RATE_SECONDS;
      return { topic, messages, rate, missed, repaired, restarts, lastAt };
    });
    const { subscribers = 0, backlog: waiting = 0, dropped = 0 } = this.#publisher ?? {};
    return { topics, subscribers, waiting, dropped };
  }
}

function turnTo(state: TopicState, second: number): void {
  if (second - state.second >= RATE_SECONDS) state.seconds.fill(0);
  else for (let at = state.second + 1; at <= second; at++) state.seconds[at % RATE_SECONDS] = 0;
  state.second = Math.max(state.second, second);
}
