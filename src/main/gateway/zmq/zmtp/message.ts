import type { Memory, Piece } from './memory.ts';

/** So much of a body's beginning can be looked at also where the body was not kept: a block's header. */
export const HEAD_BYTES = 80;
const NONE: readonly Piece[] = [];

/** A whole message of three frames, topic, body and a number of 32 bits, where it lies in memory. */
export class Message<Topic> {
  readonly topic: Topic;
  readonly bodyLength: number;
  /** The parts before the last, where the message lies in several memories. */
  readonly earlier: readonly Piece[];
  /** The last part. */
  readonly memory: Memory;
  readonly start: number;
  readonly end: number;
  /** False where nobody wanted the message when it came, so that its pieces are gone. */
  readonly kept: boolean;
  readonly #head: Buffer;
  readonly #sequenceAt: number;

  constructor(parts: {
    topic: Topic;
    bodyLength: number;
    head: Buffer;
    earlier: readonly Piece[] | undefined;
    memory: Memory;
    start: number;
    end: number;
    kept: boolean;
    sequenceAt: number;
  }) {
    this.topic = parts.topic;
    this.bodyLength = parts.bodyLength;
    this.#head = parts.head;
    this.earlier = parts.earlier ?? NONE;
    this.memory = parts.memory;
    this.start = parts.start;
    this.end = parts.end;
    this.kept = parts.kept;
    this.#sequenceAt = parts.sequenceAt;
  }

  /** The body's first bytes: all of them, or at least `HEAD_BYTES`. */
  get head(): Buffer {
    return this.#head;
  }

  get sequence(): number {
    return this.memory.bytes.readUInt32LE(this.#sequenceAt);
  }

  /** Writes another number where the message lies. Nobody may have been given it before. */
  set sequence(sequence: number) {
    this.memory.bytes.writeUInt32LE(sequence, this.#sequenceAt);
  }

  /** Keeps the memory as it is beyond the call the message was given in. `release` must follow. */
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
