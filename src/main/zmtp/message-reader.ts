import { COMMAND, COMMANDS_PER_TURN, type FrameHead, MAX_BODY_LENGTH, MORE, readHead, ZmtpError } from './frames.ts';
import type { Memory, MemoryPool, Piece } from './memory.ts';
import { HEAD_BYTES, Message } from './message.ts';

const MAX_TOPIC_LENGTH = 255;
/** Bytes. Longer bodies are discarded: one alone would use up the whole backlog limit. */
const MAX_BUFFERED_LENGTH = 2 ** 30;
/** Size of the sequence number at the end of a message. */
const NUMBER_BYTES = 4;
/** If less than this fraction of a buffer is free, the next buffer is used. */
const MIN_ROOM = 1 / 4;
/** The start of an incomplete message is copied to the next buffer if it takes no more than this fraction of one. */
const MAX_MOVED = 1 / 16;

export interface MessageSink<Topic> {
  /** Reads a topic frame. @returns what identifies the topic in `message`; undefined to skip the message */
  topicAt(bytes: Buffer, start: number, end: number): Topic | undefined;
  /** Whether an incomplete message is buffered until it is complete. */
  wanted(topic: Topic, bodyLength: number): boolean;
  /** Receives a complete message. Its memory is reused after this call, unless the message is held. */
  message(message: Message<Topic>): void;
  /** Receives the body of a command, valid during this call only. Commands beyond the budget of a turn are skipped. */
  command(body: Buffer): void;
}

type Stage = 'topic' | 'body' | 'body goes on' | 'number' | 'skip' | 'skip goes on';

/**
 * Finds messages of three frames in the bytes a publisher sends, without copying them. A long message spans several buffers, which are
 * held until it is complete; an incomplete message is never passed on. Messages of any other form are skipped.
 */
export class MessageReader<Topic> {
  readonly #pool: MemoryPool;
  readonly #sink: MessageSink<Topic>;
  readonly #frame: FrameHead = { flags: 0, length: 0, size: 0 };
  #memory: Memory;
  /** Number of filled bytes in the current buffer. */
  #filled = 0;
  /** Start of the current message. */
  #start = 0;
  /** Everything before this offset was read. */
  #at = 0;
  #stage: Stage = 'topic';
  /** Missing bytes of the current frame. */
  #left = 0;
  /** Whether more frames follow the one that is skipped. */
  #more = false;
  #topic: Topic | undefined;
  #earlier: Piece[] | undefined;
  /** The start of a body that is discarded. */
  #headOfDiscarded: Buffer | undefined;
  #bodyMemory: Memory;
  #bodyStart = 0;
  #bodyLength = 0;
  #ended = false;
  /** Commands reported in the current `read`. */
  #commands = 0;

  constructor(pool: MemoryPool, sink: MessageSink<Topic>) {
    this.#pool = pool;
    this.#sink = sink;
    this.#memory = pool.take();
    this.#bodyMemory = this.#memory;
  }

  /** The free part of the buffer, for the next bytes. */
  room(): Buffer {
    if (this.#ended) throw new ZmtpError('the connection has ended');
    const { length } = this.#memory.bytes;
    if (this.#start === this.#filled && this.#memory.free) this.#start = this.#at = this.#filled = 0;
    else if (length - this.#filled < length * MIN_ROOM) this.#move();
    return this.#memory.bytes.subarray(this.#filled);
  }

  /** Records that this many bytes were written into `room()`. */
  fill(length: number): void {
    this.#filled += length;
  }

  /** The unread bytes. The handshake before the first message is read from them. */
  get unread(): Buffer {
    return this.#memory.bytes.subarray(this.#at, this.#filled);
  }

  /** Skips the first bytes of `unread`. */
  pass(length: number): void {
    this.#at += length;
    this.#start = this.#at;
  }

  /**
   * Reports everything that is complete to the sink.
   * @returns false if more commands arrived than are reported in one turn. Other connections should run before more is read
   * @throws ZmtpError if the data is not ZMTP. Nothing more can be read then
   */
  read(): boolean {
    this.#commands = 0;
    while (!this.#ended && this.#step());
    return this.#commands <= COMMANDS_PER_TURN;
  }

  /** Releases all memory. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    for (const { memory } of this.#earlier ?? []) memory.release();
    this.#earlier = undefined;
    this.#memory.release();
  }

  /** @returns false if more bytes are needed */
  #step(): boolean {
    if (this.#stage === 'body goes on') return this.#readBody();
    if (this.#stage === 'skip goes on') return this.#passSkipped();
    readHead(this.#memory.bytes, this.#at, this.#filled, MAX_BODY_LENGTH, this.#frame);
    if (this.#frame.size === 0) return false;
    if ((this.#frame.flags & COMMAND) !== 0) return this.#readCommand();
    switch (this.#stage) {
      case 'topic':
        return this.#readTopic();
      case 'body':
        return this.#readBodyHead();
      case 'number':
        return this.#readNumber();
      case 'skip':
        return this.#skipFrame();
    }
  }

  /** libzmq also sends heartbeats and their answers between the frames of a message. They are removed from it. */
  #readCommand(): boolean {
    const from = this.#at + this.#frame.size;
    const to = from + this.#frame.length;
    if (to > this.#filled) return false;
    this.#commands += 1;
    if (this.#commands <= COMMANDS_PER_TURN) this.#sink.command(this.#memory.bytes.subarray(from, to));
    if (this.#stage !== 'number') {
      // at most a topic, which is moved to what follows it
      const before = this.#at - this.#start;
      this.#memory.bytes.copyWithin(to - before, this.#start, this.#at);
      this.#start = to - before;
    } else {
      if (this.#start < this.#at) {
        this.#earlier ??= [];
        this.#earlier.push({ memory: this.#memory.hold(), start: this.#start, end: this.#at });
      }
      this.#start = to;
    }
    this.#at = to;
    return true;
  }

  #readTopic(): boolean {
    const { flags, length, size } = this.#frame;
    const from = this.#at + size;
    const to = from + length;
    if ((flags & MORE) === 0 || length > MAX_TOPIC_LENGTH) return this.#skipFrame();
    if (to > this.#filled) return false;
    this.#topic = this.#sink.topicAt(this.#memory.bytes, from, to);
    if (this.#topic === undefined) return this.#skipFrame();
    this.#at = to;
    this.#stage = 'body';
    return true;
  }

  #readBodyHead(): boolean {
    const { flags, length, size } = this.#frame;
    if ((flags & MORE) === 0) return this.#skipFrame();
    this.#at += size;
    this.#bodyMemory = this.#memory;
    this.#bodyStart = this.#at;
    this.#bodyLength = this.#left = length;
    this.#stage = 'body goes on';
    return true;
  }

  #readBody(): boolean {
    const here = Math.min(this.#left, this.#filled - this.#at);
    this.#at += here;
    this.#left -= here;
    if (this.#left === 0) {
      this.#stage = 'number';
      return true;
    }
    const read = this.#bodyLength - this.#left;
    if (this.#headOfDiscarded === undefined && this.#earlier === undefined && read >= HEAD_BYTES) {
      const buffered =
        this.#bodyLength <= MAX_BUFFERED_LENGTH && this.#sink.wanted(this.#topic as Topic, this.#bodyLength);
      if (!buffered) this.#headOfDiscarded = Buffer.from(this.#head());
    }
    if (this.#headOfDiscarded !== undefined) this.#start = this.#at;
    return false;
  }

  #head(): Buffer {
    const length = Math.min(HEAD_BYTES, this.#bodyLength);
    return this.#bodyMemory.bytes.subarray(this.#bodyStart, this.#bodyStart + length);
  }

  #readNumber(): boolean {
    const { flags, length, size } = this.#frame;
    if ((flags & MORE) !== 0 || length !== NUMBER_BYTES) return this.#skipFrame();
    const end = this.#at + size + NUMBER_BYTES;
    if (end > this.#filled) return false;
    const earlier = this.#earlier;
    const message = new Message<Topic>({
      topic: this.#topic as Topic,
      bodyLength: this.#bodyLength,
      head: this.#headOfDiscarded ?? this.#head(),
      earlier,
      memory: this.#memory,
      start: this.#start,
      end,
      hasBody: this.#headOfDiscarded === undefined,
      sequenceAt: end - NUMBER_BYTES,
      afterBody: size + NUMBER_BYTES,
    });
    this.#at = this.#start = end;
    this.#begin();
    this.#sink.message(message);
    if (earlier !== undefined) for (const { memory } of earlier) memory.release();
    return true;
  }

  #begin(): void {
    this.#stage = 'topic';
    this.#earlier = undefined;
    this.#headOfDiscarded = undefined;
  }

  /** Skips the message that the frame belongs to. */
  #skipFrame(): boolean {
    if (this.#earlier !== undefined) for (const { memory } of this.#earlier) memory.release();
    this.#begin();
    const { flags, length, size } = this.#frame;
    this.#at += size;
    this.#left = length;
    this.#more = (flags & MORE) !== 0;
    this.#stage = 'skip goes on';
    return true;
  }

  #passSkipped(): boolean {
    const here = Math.min(this.#left, this.#filled - this.#at);
    this.#at += here;
    this.#start = this.#at;
    this.#left -= here;
    if (this.#left > 0) return false;
    this.#stage = this.#more ? 'skip' : 'topic';
    return true;
  }

  /** Continues in another buffer. The unread bytes move there, together with the start of the message if it is short. */
  #move(): void {
    const old = this.#memory;
    const next = this.#pool.take();
    const whole = this.#earlier === undefined && this.#filled - this.#start <= old.bytes.length * MAX_MOVED;
    const from = whole ? this.#start : this.#at;
    if (from > this.#start) {
      this.#earlier ??= [];
      this.#earlier.push({ memory: old.hold(), start: this.#start, end: from });
    } else if (this.#bodyMemory === old && this.#bodyStart >= from) {
      this.#bodyMemory = next;
      this.#bodyStart -= from;
    }
    old.bytes.copy(next.bytes, 0, from, this.#filled);
    this.#filled -= from;
    this.#at -= from;
    this.#start = 0;
    this.#memory = next;
    old.release();
  }
}
