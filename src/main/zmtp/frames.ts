/**
 * The wire format of ZMTP 3.0 and 3.1 (rfc.zeromq.org/spec/23 and /37) with the mechanism NULL: a greeting of 64 bytes, then frames. A
 * frame has one byte of flags, a length of one or eight bytes, and a body.
 */

export const GREETING_LENGTH = 64;
export const MORE = 1;
const LONG = 2;
export const COMMAND = 4;
/** Most bytes of a command, and of a message from a subscriber. */
export const MAX_COMMAND_LENGTH = 8_192;
/** Commands of one peer that are answered in one turn of the event loop. No peer has a reason to send more heartbeats than this. */
export const COMMANDS_PER_TURN = 16;
/** A block has at most 4 GiB, and nothing that a node publishes is larger. */
export const MAX_BODY_LENGTH = 2 ** 32 + 2 ** 20;

/** A peer sent data that is not ZMTP, or more than allowed. Only its connection ends. */
export class ZmtpError extends Error {
  override readonly name = 'ZmtpError';
  /** Why, by its English text, under which a translation of it is found. */
  readonly sentence: { readonly key: string; readonly values: Readonly<Record<string, string>> };

  /** @param key the English text; `{name}` is a placeholder */
  constructor(key: string, values: Readonly<Record<string, string>> = {}) {
    super(key.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? ''));
    this.sentence = { key, values };
  }
}

/** The greeting of both sides: ZMTP 3.1, mechanism NULL. */
export const greeting: Buffer = (() => {
  const bytes = Buffer.alloc(GREETING_LENGTH);
  bytes.set([0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3, 1]);
  bytes.write('NULL', 12, 'latin1');
  return bytes;
})();

const MECHANISM = [12, 32] as const;

/**
 * Reads a greeting that may be incomplete.
 * @returns the peer's minor version of ZMTP 3; undefined while the greeting is incomplete
 * @throws ZmtpError as soon as it cannot be a greeting of ZMTP 3 with the mechanism NULL
 */
export function readGreeting(bytes: Uint8Array): number | undefined {
  const has = (at: number): boolean => bytes.length > at;
  if (has(0) && bytes[0] !== 0xff) throw new ZmtpError('the peer does not speak ZMTP');
  if (has(9) && ((bytes[9] as number) & 1) === 0) throw new ZmtpError('the peer does not speak ZMTP');
  if (has(10) && (bytes[10] as number) < 3) throw new ZmtpError('the peer speaks a version of ZMTP before 3.0');
  const [from, to] = MECHANISM;
  for (let at = from; at < to && has(at); at++) {
    if (bytes[at] !== greeting[at]) throw new ZmtpError('the peer requires another mechanism than NULL');
  }
  if (bytes.length < GREETING_LENGTH) return undefined;
  return bytes[10] === 3 ? (bytes[11] as number) : 1;
}

/** The head of a frame: flags and length. @param length bytes of the body */
export function frameHead(length: number, flags: number): Buffer {
  if (length < 256) return Buffer.from([flags, length]);
  const head = Buffer.allocUnsafe(9);
  head[0] = flags | LONG;
  head.writeBigUInt64BE(BigInt(length), 1);
  return head;
}

/** The frames of one message in wire format, without copies of the bodies. */
export function messageOf(bodies: readonly Buffer[]): Buffer[] {
  return bodies.flatMap((body, index) => [frameHead(body.length, index < bodies.length - 1 ? MORE : 0), body]);
}

/** A complete command frame. */
export function commandOf(name: string, data: Uint8Array = Buffer.alloc(0)): Buffer {
  const length = 1 + name.length + data.length;
  return Buffer.concat([frameHead(length, COMMAND), Buffer.from([name.length]), Buffer.from(name, 'latin1'), data]);
}

export interface Command {
  readonly name: string;
  readonly data: Buffer;
}

/** Reads the body of a command frame. @throws ZmtpError if it has no name */
export function readCommand(body: Buffer): Command {
  const length = body[0] ?? 0;
  if (length === 0 || body.length < 1 + length) throw new ZmtpError('a command without a name');
  return { name: body.toString('latin1', 1, 1 + length), data: body.subarray(1 + length) };
}

/** READY, which ends the handshake and contains the socket type. */
export function readyOf(socketType: 'PUB' | 'SUB'): Buffer {
  const property = Buffer.from('\x0bSocket-Type\0\0\0\x03', 'latin1');
  return commandOf('READY', Buffer.concat([property, Buffer.from(socketType, 'latin1')]));
}

/**
 * Reads the peer's answer to READY.
 * @param allowed socket types it may have
 * @throws ZmtpError if it refuses, has another type, or sends something else
 */
export function checkReady({ name, data }: Command, allowed: readonly string[]): void {
  if (name === 'ERROR')
    throw new ZmtpError('the peer refuses: {words}', { words: data.toString('latin1', 1, 1 + (data[0] ?? 0)) });
  if (name !== 'READY') throw new ZmtpError('the peer started with the command {name}', { name: JSON.stringify(name) });
  const type = propertiesOf(data).get('socket-type');
  if (type === undefined || !allowed.includes(type)) {
    throw new ZmtpError('the peer is a socket of type {type}', { type: JSON.stringify(type ?? '') });
  }
}

/** The properties of a READY, with names in lower case. @throws ZmtpError if one is longer than the frame */
function propertiesOf(data: Buffer): Map<string, string> {
  const properties = new Map<string, string>();
  for (let at = 0; at < data.length; ) {
    const nameEnd = at + 1 + (data[at] as number);
    if (nameEnd + 4 > data.length) throw new ZmtpError('a malformed property');
    const valueEnd = nameEnd + 4 + data.readUInt32BE(nameEnd);
    if (valueEnd > data.length) throw new ZmtpError('a malformed property');
    const name = data.toString('latin1', at + 1, nameEnd).toLowerCase();
    properties.set(name, data.toString('latin1', nameEnd + 4, valueEnd));
    at = valueEnd;
  }
  return properties;
}

/** A heartbeat without a time limit for the peer. */
export const ping: Buffer = commandOf('PING', Buffer.from([0, 0]));

/** @param data of a PING @returns the PONG with the same context @throws ZmtpError if the context is too long */
export function pongTo(data: Buffer): Buffer {
  if (data.length < 2 || data.length > 18) throw new ZmtpError('a malformed heartbeat');
  return commandOf('PONG', data.subarray(2));
}

/** Flags and lengths of a frame whose head may be incomplete. */
export interface FrameHead {
  flags: number;
  length: number;
  /** Bytes of the head itself; 0 while it is incomplete. */
  size: number;
}

/**
 * Reads a frame's head into `into`.
 * @throws ZmtpError for unknown flags, and for lengths above `limit` (messages) or the limit of commands
 */
export function readHead(bytes: Buffer, at: number, end: number, limit: number, into: FrameHead): void {
  into.size = 0;
  if (at >= end) return;
  const flags = bytes[at] as number;
  if (flags > 7 || (flags & (COMMAND | MORE)) === (COMMAND | MORE)) throw new ZmtpError('unknown frame flags');
  const size = (flags & LONG) === 0 ? 2 : 9;
  if (end - at < size) return;
  const length = size === 2 ? (bytes[at + 1] as number) : lengthAt(bytes, at + 1);
  if (length > ((flags & COMMAND) === 0 ? limit : MAX_COMMAND_LENGTH)) throw new ZmtpError('a frame that is too long');
  into.flags = flags;
  into.length = length;
  into.size = size;
}

function lengthAt(bytes: Buffer, at: number): number {
  return bytes.readUInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
}
