import { ORPCError } from '@orpc/client';
import { UPLOAD_PIECE_BYTES } from '../../../contract/index.ts';
import { failureOf } from '../failure.ts';
import { sleep } from '../live/live-loop.ts';

/** Delay before the first retry, in milliseconds. It doubles with each retry. */
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 15_000;
/** Retries of one piece in a row. */
const MAX_REPEATS = 6;

interface SendPieces {
  /** Sends one piece. @returns the bytes of the file that the host has now */
  append(offset: number, piece: Blob): Promise<{ received: number }>;
  signal: AbortSignal;
  onProgress?: (sent: number) => void;
  /** Returns early if the signal aborts. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Sends a file in pieces. A piece is retried after a delay if the host is unreachable or too busy. If the host has more of the file than was
 * confirmed, sending continues from there.
 * @throws the host's error if a retry cannot help
 */
export async function sendPieces(file: Blob, { append, signal, onProgress, wait = sleep }: SendPieces): Promise<void> {
  let offset = 0;
  let repeats = 0;
  let isTaken = false;
  const advance = (received: number): void => {
    offset = received;
    isTaken = true;
  };
  do {
    signal.throwIfAborted();
    const piece = file.slice(offset, offset + UPLOAD_PIECE_BYTES);
    const answer = await append(offset, piece).catch((error: unknown) => ({ error }));
    if ('received' in answer) {
      if (answer.received <= offset && file.size > 0) throw new Error('the upload does not advance');
      advance(answer.received);
      repeats = 0;
      onProgress?.(offset);
      continue;
    }
    const { error } = answer;
    if (signal.aborted || repeats >= MAX_REPEATS) throw error;
    const received = receivedBefore(error);
    if (received !== undefined && received > offset && received <= file.size) advance(received);
    else if (mayPassByItself(error)) await wait(Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** repeats), signal);
    else throw error;
    repeats++;
  } while (offset < file.size || !isTaken);
}

/** How much of the file the host has, if it refused a piece because its earlier reply was lost. */
function receivedBefore(error: unknown): number | undefined {
  const { id, values } = failureOf(error);
  if (id !== 'import.upload-order' && id !== 'content.piece-out-of-order') return undefined;
  return typeof values?.received === 'number' ? values.received : undefined;
}

/** Whether no reply arrived, or the reply asked to try again later. */
function mayPassByItself(error: unknown): boolean {
  if (!(error instanceof ORPCError)) return failureOf(error).code === 'not-running';
  return !error.defined && (error.status === 429 || error.status >= 500);
}
