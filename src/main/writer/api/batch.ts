import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../ports/clock.ts';
import type { AcceptLog } from '../acceptance/accept-log.ts';
import type { DataCipher } from '../acceptance/data-cipher.ts';
import { type DocumentHead, readDocument } from '../acceptance/request-document.ts';
import type { AdmissionLimiter } from '../queue/admission-limiter.ts';
import { WriteError, writeCodes } from '../write-errors.ts';

/** Lines on their way to the disk at once, and their bytes: the line that reaches these ends them. */
const WINDOW = 512;
const WINDOW_BYTES = 4_194_304;
const NEWLINE = 0x0a;
const FULL_PAUSE_MS = 200;
/** Between two lines: nothing more has come for now. */
const PAUSE = Symbol('pause');

export interface BatchOptions {
  head: DocumentHead;
  keyId: string;
  maxLineBytes: number;
  log: AcceptLog;
  limiter: AdmissionLimiter;
  cipher: DataCipher;
  clock: Clock;
  /** Whether the key may still write: a batch may outlive its key. */
  mayWrite: () => Promise<boolean>;
  /** A document was taken. */
  accepted: () => void;
  failure: (error: unknown) => WriteError;
  sender: {
    /** Its connection is closed: nobody waits for what is left. */
    isGone: () => boolean;
    /** It is being held up: its silence is no fault of its own. */
    heldUp: () => void;
  };
}

/**
 * Takes documents one line each and yields one answer line each, in the same order, at once where the sender waits for it. What is in
 * memory does not grow with the number of lines; a full queue holds the sender up instead of refusing its lines.
 */
export async function* writeBatch(input: Readable, options: BatchOptions): AsyncGenerator<string> {
  let number = 0;
  let window: Promise<string>[] = [];
  let bytes = 0;
  const answers = async (): Promise<string> => {
    const lines = (await Promise.all(window)).join('');
    window = [];
    bytes = 0;
    return lines;
  };
  for await (const line of linesOf(input, options.maxLineBytes)) {
    if (line === PAUSE) {
      if (window.length > 0) yield await answers();
      continue;
    }
    number += 1;
    const size = line?.length ?? 0;
    let leave = enter(size, options);
    if (leave === undefined) {
      if (window.length > 0) yield await answers();
      leave = await roomFor(size, options);
      if (leave === undefined) return;
    }
    window.push(answerTo(line, number, options).finally(leave));
    bytes += size;
    if (window.length >= WINDOW || bytes >= WINDOW_BYTES) yield await answers();
  }
  if (window.length > 0) yield await answers();
}

/** Never rejects. */
async function answerTo(line: Uint8Array | undefined, number: number, options: BatchOptions): Promise<string> {
  const { head, keyId, log, cipher, maxLineBytes, mayWrite, accepted, failure } = options;
  try {
    if (line === undefined)
      throw new WriteError(writeCodes.body, 'write-api.document-too-large', { limit: maxLineBytes });
    // Each line has a key of its own, so that a batch that broke off can be sent again whole.
    const idempotencyKey = head.idempotencyKey === undefined ? undefined : `${head.idempotencyKey}:${number}`;
    const document = await readDocument({ ...head, idempotencyKey }, line, keyId, cipher);
    if (!(await mayWrite())) throw new WriteError(writeCodes.authorization, 'write-api.key-revoked');
    const { row, outcome } = await log.accept(document);
    if (outcome === 'conflict') throw new WriteError(writeCodes.idempotency, 'write-api.idempotency-key-used');
    if (outcome === 'new') accepted();
    // The same where the batch is sent again, wherever the document is by then.
    return `${JSON.stringify({ line: number, status: 202, id: row.id, state: 'accepted' })}\n`;
  } catch (error) {
    return `${JSON.stringify({ line: number, ...failure(error).toBody() })}\n`;
  }
}

/** Makes room for a line. @returns what gives it back; undefined where there is none for now */
function enter(bytes: number, { limiter }: BatchOptions): (() => void) | undefined {
  try {
    return limiter.admit(bytes);
  } catch (error) {
    if (error instanceof WriteError && error.retryAfter !== undefined) return undefined;
    throw error;
  }
}

/** Waits until there is room for a line. @returns what gives it back; undefined where the sender went away meanwhile */
async function roomFor(bytes: number, options: BatchOptions): Promise<(() => void) | undefined> {
  const { sender } = options;
  for (;;) {
    if (sender.isGone()) return undefined;
    const leave = enter(bytes, options);
    if (leave !== undefined) return leave;
    sender.heldUp();
    await new Promise<void>((resolve) => options.clock.after(FULL_PAUSE_MS, resolve));
  }
}

/** Lines without their ends; undefined for one that is too long, whose bytes are dropped as they come. Empty lines are left out. */
async function* linesOf(input: Readable, maxBytes: number): AsyncGenerator<Uint8Array | undefined | typeof PAUSE> {
  let parts: Buffer[] = [];
  let held = 0;
  let tooLong = false;
  const take = (piece: Buffer): void => {
    held += piece.length;
    if (held > maxBytes + 1) {
      tooLong = true;
      parts = [];
    } else parts.push(piece);
  };
  const finish = (): Uint8Array | undefined => {
    const whole = Buffer.concat(parts);
    const line = whole.at(-1) === 0x0d ? whole.subarray(0, -1) : whole;
    const result = tooLong || line.length > maxBytes ? undefined : line;
    parts = [];
    held = 0;
    tooLong = false;
    return result;
  };
  for await (const chunk of input as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      take(chunk.subarray(from, at));
      from = at + 1;
      const line = finish();
      if (line === undefined || line.length > 0) yield line;
    }
    if (from < chunk.length) take(chunk.subarray(from));
    // What is on its way through the socket is given the time to arrive: many lines then share a commit.
    if (input.readableLength === 0) await nextTurn();
    if (input.readableLength === 0) yield PAUSE;
  }
  if (held > 0) {
    const line = finish();
    if (line === undefined || line.length > 0) yield line;
  }
}
