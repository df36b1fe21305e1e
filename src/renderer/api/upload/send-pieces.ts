import { ORPCError } from '@orpc/client';
import { UPLOAD_PIECE_BYTES } from '../../../contract/index.ts';
import { failureOf } from '../failure.ts';
import { sleep } from '../live/live-loop.ts';

/** Milliseconds before the first repetition; each further one waits twice as long. */
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 15_000;
/** Repetitions of one piece in a row. */
const MAX_REPEATS = 6;

interface SendPieces {
  /** Sends one piece. @returns the bytes the host has of the file now */
  append(offset: number, piece: Blob): Promise<{ received: number }>;
  signal: AbortSignal;
  onProgress?: (sent: number) => void;
  /** Ends early where the signal aborts. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Sends a file in pieces. A piece that met a host out of reach or too busy is sent again after a while; where the host has more of the file
 * than was confirmed, sending goes on there.
 * @throws what the host answers for good
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

/** What the host has already, where it refused a piece because the reply to it was lost. */
function receivedBefore(error: unknown): number | undefined {
  const { id, values } = failureOf(error);
  if (id !== 'import.upload-order' && id !== 'content.piece-out-of-order') return undefined;
  return typeof values?.received === 'number' ? values.received : undefined;
}

/** No answer at all, or one that asks to come again later. */
function mayPassByItself(error: unknown): boolean {
  if (!(error instanceof ORPCError)) return failureOf(error).code === 'not-running';
  return !error.defined && (error.status === 429 || error.status >= 500);
}
