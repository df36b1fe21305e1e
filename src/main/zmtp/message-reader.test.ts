import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COMMANDS_PER_TURN, ZmtpError } from './frames.ts';
import { MemoryPool } from './memory.ts';
import { HEAD_BYTES, type Message } from './message.ts';
import { MessageReader } from './message-reader.ts';
import { frame, longHead, notification } from './test-support/peers.ts';

/** Small buffers, so that most messages span several. */
const MEMORY_BYTES = 8_192;
const topics = ['hashtx', 'hashtx2', 'rawblock'];

interface Told {
  topic: string;
  sequence: number;
  bodyLength: number;
  head: string;
  /** The message in wire format; undefined if its body was discarded. */
  wire: string | undefined;
  body: string | undefined;
}

function bytesOf({ earlier, memory, start, end, hasBody }: Message<string>): string | undefined {
  if (!hasBody) return undefined;
  const pieces = [...earlier, { memory, start, end }];
  return Buffer.concat(pieces.map((one) => one.memory.bytes.subarray(one.start, one.end))).toString('latin1');
}

/** Feeds bytes to a reader in pieces, like a connection. */
class Feed {
  readonly told: Told[] = [];
  readonly commands: string[] = [];
  readonly held: { message: Message<string>; wire: string | undefined }[] = [];
  readonly reader: MessageReader<string>;
  hold = false;

  constructor(wanted: (topic: string, bodyLength: number) => boolean = () => true) {
    this.reader = new MessageReader<string>(new MemoryPool(MEMORY_BYTES), {
      topicAt: (bytes, start, end) => {
        const topic = bytes.toString('latin1', start, end);
        return topics.includes(topic) ? topic : undefined;
      },
      wanted,
      message: (message) => {
        const wire = bytesOf(message);
        const { topic, sequence, bodyLength } = message;
        const head = message.head.toString('latin1', 0, HEAD_BYTES);
        this.told.push({ topic, sequence, bodyLength, head, wire, body: message.body()?.toString('latin1') });
        if (this.hold) this.held.push({ message: message.hold(), wire });
      },
      command: (body) => this.commands.push(body.toString('latin1')),
    });
  }

  push(bytes: Buffer, cuts: readonly number[] = []): void {
    const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
    let at = 0;
    for (const end of [...ends, bytes.length]) {
      while (at < end) {
        const room = this.reader.room();
        const length = Math.min(end - at, room.length);
        expect(length).toBeGreaterThan(0);
        bytes.copy(room, 0, at, at + length);
        this.reader.fill(length);
        this.reader.read();
        at += length;
      }
    }
  }
}

const body = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc.integer({ min: 300, max: 40_000 }).map((length) => Buffer.alloc(length, length % 251)),
);
const sequence = fc.integer({ min: 0, max: 2 ** 32 - 1 });

/** Commands between two frames of a message; usually none. */
const between = fc.oneof(
  { weight: 4, arbitrary: fc.constant([] as Uint8Array[]) },
  fc.array(fc.uint8Array({ minLength: 1, maxLength: 200 }), { minLength: 1, maxLength: 3 }),
);

/** Something that a publisher may send, and the messages expected from it. */
const reported = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom(...topics), body, sequence, between, between)
      .map(([topic, bytes, number, first, second]) => {
        const whole = notification(topic, bytes, number);
        const head = Buffer.from(bytes).toString('latin1', 0, HEAD_BYTES);
        const [text, all] = [Buffer.from(bytes).toString('latin1'), whole.toString('latin1')];
        const told = { topic, sequence: number, bodyLength: bytes.length, head, wire: all, body: text };
        const [afterTopic, afterBody] = [2 + topic.length, whole.length - 6];
        const wire = Buffer.concat([
          whole.subarray(0, afterTopic),
          ...first.map((one) => frame(one, 4)),
          whole.subarray(afterTopic, afterBody),
          ...second.map((one) => frame(one, 4)),
          whole.subarray(afterBody),
        ]);
        const commands = [...first, ...second].map((one) => Buffer.from(one).toString('latin1'));
        return { wire, told: [told], commands };
      }),
  },
  fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => {
    return { wire: frame(bytes, 4), told: [] as Told[], commands: [Buffer.from(bytes).toString('latin1')] };
  }),
  fc
    .tuple(fc.constantFrom('hashtx', 'hashtx3', 'x'.repeat(300)), fc.array(body, { maxLength: 4 }), sequence)
    .filter(([topic, frames]) => topic !== 'hashtx' || frames.length !== 2 || frames[1]?.length !== 4)
    .map(([topic, frames]) => {
      const bodies = [Buffer.from(topic), ...frames];
      const wire = Buffer.concat(bodies.map((one, at) => frame(one, at < bodies.length - 1 ? 1 : 0)));
      return { wire, told: [] as Told[], commands: [] as string[] };
    }),
);
/** With no more commands than are reported where all of it is read in one turn. */
const stream = fc
  .array(reported, { minLength: 1, maxLength: 30 })
  .filter((parts) => parts.flatMap(({ commands }) => commands).length <= COMMANDS_PER_TURN);
const cuts = fc.array(fc.nat(), { maxLength: 40 });

describe('a reader of messages', () => {
  it('finds the same messages however the bytes are split, and skips everything that is not a notification', () => {
    fc.assert(
      fc.property(stream, cuts, (parts, where) => {
        const feed = new Feed();
        feed.push(Buffer.concat(parts.map(({ wire }) => wire)), where);
        expect(feed.told).toEqual(parts.flatMap(({ told }) => told));
        expect(feed.commands).toEqual(parts.flatMap(({ commands }) => commands));
      }),
      { numRuns: 300 },
    );
  });

  it('does not change the memory of held messages', () => {
    fc.assert(
      fc.property(stream, stream, cuts, (first, second, where) => {
        const feed = new Feed();
        feed.hold = true;
        feed.push(Buffer.concat(first.map(({ wire }) => wire)), where);
        feed.hold = false;
        feed.push(Buffer.concat(second.map(({ wire }) => wire)), where);
        for (const { message, wire } of feed.held) expect(bytesOf(message)).toBe(wire);
        for (const { message } of feed.held) message.release();
        feed.push(Buffer.concat(first.map(({ wire }) => wire)), where);
        expect(feed.told).toEqual([...first, ...second, ...first].flatMap(({ told }) => told));
      }),
      { numRuns: 100 },
    );
  });

  it('buffers only the start of long messages that nobody wants', () => {
    fc.assert(
      fc.property(stream, cuts, (parts, where) => {
        const feed = new Feed((_, length) => length <= HEAD_BYTES);
        feed.push(Buffer.concat(parts.map(({ wire }) => wire)), where);
        const plain = ({ topic, sequence: number, bodyLength, head }: Told) => ({ topic, number, bodyLength, head });
        const expected = parts.flatMap(({ told }) => told);
        expect(feed.told.map(plain)).toEqual(expected.map(plain));
        feed.told.forEach(({ wire }, at) => {
          if (wire !== undefined) expect(wire).toBe(expected[at]?.wire);
        });
        // no more than one buffer can be in use
        for (const { wire, bodyLength } of feed.told) if (bodyLength > MEMORY_BYTES) expect(wire).toBeUndefined();
      }),
      { numRuns: 100 },
    );
  });

  it('can replace the sequence number in place', () => {
    const pool = new MemoryPool(MEMORY_BYTES);
    const wires: (string | undefined)[] = [];
    const reader = new MessageReader<string>(pool, {
      topicAt: () => 'hashtx',
      wanted: () => true,
      message: (message) => {
        message.sequence = 4_000_000_000;
        wires.push(bytesOf(message));
      },
      command: () => {},
    });
    const wire = notification('hashtx', 'body', 7);
    wire.copy(reader.room());
    reader.fill(wire.length);
    reader.read();
    expect(wires).toEqual([notification('hashtx', 'body', 4_000_000_000).toString('latin1')]);
  });

  it('reads mutated bytes or refuses them with a ZmtpError, and reports only complete messages', () => {
    const mutation = fc.record({ at: fc.nat(), to: fc.integer({ min: 0, max: 255 }) });
    fc.assert(
      fc.property(stream, cuts, fc.array(mutation, { minLength: 1, maxLength: 5 }), (parts, where, mutations) => {
        const bytes = Buffer.concat(parts.map(({ wire }) => wire));
        for (const { at, to } of mutations) bytes[at % bytes.length] = to;
        const feed = new Feed();
        try {
          feed.push(bytes, where);
        } catch (error) {
          expect(error).toBeInstanceOf(ZmtpError);
        }
        for (const { topic, sequence: number, wire = '' } of feed.told) {
          expect(topics).toContain(topic);
          // the long form of a mutated head has the same end
          const last = Buffer.from(wire, 'latin1').subarray(-4);
          expect(last.readUInt32LE()).toBe(number);
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['flags that mean nothing', Buffer.from([8, 0])],
    ['a command that goes on', Buffer.from([5, 1, 0])],
    ['a command that is too long', Buffer.concat([Buffer.from([6, 0, 0, 0, 0, 0, 0, 0x20, 1])])],
    ['a body of 2^63 bytes', Buffer.concat([frame('hashtx', 1), Buffer.from([3, 0x80, 0, 0, 0, 0, 0, 0, 0])])],
    ['a body of 2^33 bytes', Buffer.concat([frame('hashtx', 1), Buffer.from([3, 0, 0, 0, 2, 0, 0, 0, 0])])],
  ])('refuses %s', (_, bytes) => {
    expect(() => new Feed().push(bytes)).toThrow(ZmtpError);
  });

  it('buffers only the start of a body of 3 GB, and reports the message', () => {
    const pool = new MemoryPool(MEMORY_BYTES);
    let taken = 0;
    const take = pool.take.bind(pool);
    pool.take = () => {
      taken += 1;
      return take();
    };
    const told: [number, number, boolean][] = [];
    const reader = new MessageReader<string>(pool, {
      topicAt: () => 'rawblock',
      wanted: () => true,
      message: ({ bodyLength, sequence, hasBody }) => told.push([bodyLength, sequence, hasBody]),
      command: () => {},
    });
    const push = (bytes: Buffer): void => {
      bytes.copy(reader.room());
      reader.fill(bytes.length);
      reader.read();
    };
    const length = 3 * 2 ** 30;
    push(Buffer.concat([frame('rawblock', 1), longHead(1, length)]));
    // the bytes need not be written, because any content will do
    for (let left = length; left > 0; ) {
      const room = Math.min(left, reader.room().length);
      reader.fill(room);
      reader.read();
      left -= room;
    }
    push(frame(Buffer.from([7, 0, 0, 0])));
    expect(told).toEqual([[length, 7, false]]);
    expect(taken).toBeLessThan(10);
  });

  it('reports only a few of many commands that arrive together, and every message among them', () => {
    const ping = frame('\x04PING\0\0', 4);
    const whole = notification('hashtx', 'body', 1);
    const flood = Array.from({ length: 300 }, () => ping);
    const feed = new Feed();
    const wire = Buffer.concat([
      ...flood,
      whole,
      ...flood,
      whole.subarray(0, 8),
      ...flood,
      whole.subarray(8, 14),
      ...flood,
      whole.subarray(14),
    ]);
    for (let at = 0; at < wire.length; at += 4_000) {
      const part = wire.subarray(at, at + 4_000);
      part.copy(feed.reader.room());
      feed.reader.fill(part.length);
      expect(feed.reader.read()).toBe(false);
    }
    expect(feed.told).toHaveLength(2);
    expect(feed.told.map(({ wire: one }) => one)).toEqual([whole.toString('latin1'), whole.toString('latin1')]);
    expect(feed.commands.length).toBe(16 * Math.ceil(wire.length / 4_000));
  });

  it('reuses its memory when nobody holds it', () => {
    const feed = new Feed();
    const first = feed.reader.room();
    feed.push(notification('hashtx', 'x'.repeat(500), 1));
    const second = feed.reader.room();
    expect([second.buffer === first.buffer, second.byteOffset]).toEqual([true, first.byteOffset]);
  });
});
