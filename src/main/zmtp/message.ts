import type { Memory, Piece } from './memory.ts';

/** Bytes of a body that are available even if the body was discarded: the size of a block header. */
export const HEAD_BYTES = 80;
const NONE: readonly Piece[] = [];

/** A complete message of three frames (topic, body, 32-bit sequence number), at its place in memory. */
export class Message<Topic> {
  readonly topic: Topic;
  readonly bodyLength: number;
  /** The parts before the last one, if the message spans several buffers. */
  readonly earlier: readonly Piece[];
  /** The last part. */
  readonly memory: Memory;
  readonly start: number;
  readonly end: number;
  /** False if nobody wanted the message when it arrived, so its body was discarded. */
  readonly hasBody: boolean;
  /** The first bytes of the body: at least `HEAD_BYTES`, or all of a shorter body. */
  readonly head: Buffer;
  readonly #sequenceAt: number;
  readonly #afterBody: number;

  constructor(
    parts: Pick<Message<Topic>, 'topic' | 'bodyLength' | 'head' | 'memory' | 'start' | 'end' | 'hasBody'> & {
      earlier: readonly Piece[] | undefined;
      sequenceAt: number;
      /** Bytes of the message behind its body. */
      afterBody: number;
    },
  ) {
    this.topic = parts.topic;
    this.bodyLength = parts.bodyLength;
    this.head = parts.head;
    this.earlier = parts.earlier ?? NONE;
    this.memory = parts.memory;
    this.start = parts.start;
    this.end = parts.end;
    this.hasBody = parts.hasBody;
    this.#sequenceAt = parts.sequenceAt;
    this.#afterBody = parts.afterBody;
  }

  /** A copy of the body; undefined if it was discarded. */
  body(): Buffer | undefined {
    if (!this.hasBody) return undefined;
    const last = { memory: this.memory, start: this.start, end: this.end };
    const pieces = [...this.earlier, last].map(({ memory, start, end }) => memory.bytes.subarray(start, end));
    const whole = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
    const end = whole.length - this.#afterBody;
    const body = whole.subarray(end - this.bodyLength, end);
    return pieces.length === 1 ? Buffer.from(body) : body;
  }

  get sequence(): number {
    return this.memory.bytes.readUInt32LE(this.#sequenceAt);
  }

  /** Overwrites the number in place. The message must not have been sent to anybody yet. */
  set sequence(sequence: number) {
    this.memory.bytes.writeUInt32LE(sequence, this.#sequenceAt);
  }

  /** Keeps the memory unchanged after the callback returns. `release` must follow. */
  hold(): this {
    for (const { memory } of this.earlier) memory.hold();
    this.memory.hold();
    return this;
  }

  release(): void {
    for (const { memory } of this.earlier) memory.release();
    this.memory.release();
  }
}
