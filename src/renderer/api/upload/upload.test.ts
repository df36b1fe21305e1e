import { ORPCError } from '@orpc/client';
import { describe, expect, it, vi } from 'vitest';
import { UPLOAD_PIECE_BYTES } from '../../../contract/index.ts';
import { sendPieces } from './send-pieces.ts';
import { type UploadClient, uploadFile } from './upload.ts';

/** Stores what arrives, like the host, and refuses gaps. */
function host(options: { failAt?: number } = {}) {
  const calls: string[] = [];
  const parts: Blob[] = [];
  let size = 0;
  const files = {
    begin: async () => ({ uploadId: 'u' }),
    append: async ({ offset, piece }: { offset: number; piece: Blob }, call?: { signal?: AbortSignal }) => {
      call?.signal?.throwIfAborted();
      if (offset !== size) throw new Error(`gap at ${offset}`);
      if (options.failAt === parts.length)
        throw new ORPCError('FAILED', {
          defined: true,
          status: 507,
          data: { code: 'disk-full', message: 'disk full' },
          message: 'disk full',
        });
      parts.push(piece);
      size += piece.size;
      calls.push(`append ${piece.size}`);
      return { received: size };
    },
    finish: async () => {
      calls.push('finish');
      return { sha256: '0'.repeat(64), name: 'f', contentType: 'x/y', bytes: size };
    },
    abort: async () => {
      calls.push('abort');
    },
    read: async () => new Blob(parts),
  } as unknown as UploadClient;
  return { files, calls, parts };
}

describe('uploadFile', () => {
  it('sends every byte in pieces of the agreed size', async () => {
    const bytes = new Uint8Array(UPLOAD_PIECE_BYTES * 2 + 7).map((_, index) => index % 251);
    const { files, calls, parts } = host();
    const progress: number[] = [];
    const info = await uploadFile(files, new File([bytes], 'big.bin'), {
      signal: new AbortController().signal,
      onProgress: (sent) => progress.push(sent),
    });
    expect(info.bytes).toBe(bytes.length);
    expect(calls).toEqual([`append ${UPLOAD_PIECE_BYTES}`, `append ${UPLOAD_PIECE_BYTES}`, 'append 7', 'finish']);
    expect(progress).toEqual([UPLOAD_PIECE_BYTES, UPLOAD_PIECE_BYTES * 2, bytes.length]);
    expect(new Uint8Array(await new Blob(parts).arrayBuffer())).toEqual(bytes);
  });

  it('aborts at the host after a failure and after a cancel', async () => {
    const file = new File([new Uint8Array(UPLOAD_PIECE_BYTES + 1)], 'f.bin');
    const failing = host({ failAt: 1 });
    const signal = new AbortController().signal;
    await expect(uploadFile(failing.files, file, { signal, onProgress: () => {} })).rejects.toThrow('disk full');
    expect(failing.calls.at(-1)).toBe('abort');

    const cancelled = host();
    const stop = new AbortController();
    const upload = uploadFile(cancelled.files, file, { signal: stop.signal, onProgress: () => stop.abort() });
    await expect(upload).rejects.toThrow(/abort/i);
    expect(cancelled.calls).toEqual([`append ${UPLOAD_PIECE_BYTES}`, 'abort']);
  });
});

describe('sendPieces', () => {
  const file = new Blob([new Uint8Array(UPLOAD_PIECE_BYTES + 5)]);
  const { signal } = new AbortController();
  const busy = (status: number) => new ORPCError('INTERNAL', { status });

  /** Returns the next reply for each call, and records the calls and delays. */
  async function sent(answers: readonly (number | Error)[], content = file) {
    const offsets: number[] = [];
    const waits: number[] = [];
    const left = [...answers];
    const done = sendPieces(content, {
      append: async (offset) => {
        offsets.push(offset);
        const answer = left.shift() ?? 0;
        if (typeof answer !== 'number') throw answer;
        return { received: answer };
      },
      signal,
      wait: async (ms) => void waits.push(ms),
    });
    const error: unknown = await done.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    return { offsets, waits, error };
  }

  it('retries a piece after a delay if the host was unreachable or busy', async () => {
    const answers = [
      // The error of browsers for a lost connection.
      new TypeError('Failed to fetch'),
      busy(429),
      busy(503),
      UPLOAD_PIECE_BYTES,
      file.size,
    ];
    expect(await sent(answers)).toEqual({
      offsets: [0, 0, 0, 0, UPLOAD_PIECE_BYTES],
      waits: [500, 1_000, 2_000],
      error: undefined,
    });
  });

  it('continues at the position of the host after a reply was lost', async () => {
    const data = {
      code: 'conflict',
      message: 'order',
      id: 'import.upload-order',
      values: { name: 'a', offset: 0, received: UPLOAD_PIECE_BYTES },
    };
    const ahead = new ORPCError('FAILED', { defined: true, status: 409, data });
    expect(await sent([busy(502), ahead, file.size])).toEqual({
      offsets: [0, 0, UPLOAD_PIECE_BYTES],
      waits: [500],
      error: undefined,
    });
  });

  it('gives up after several retries, and at once after a refusal', async () => {
    const away = await sent(Array.from({ length: 20 }, () => busy(503)));
    expect([away.offsets.length, away.waits]).toEqual([7, [500, 1_000, 2_000, 4_000, 8_000, 15_000]]);
    expect(away.error).toBeInstanceOf(ORPCError);
    const refused = new ORPCError('FAILED', {
      defined: true,
      status: 413,
      data: { code: 'file-too-large', message: 'too large' },
    });
    expect((await sent([refused])).offsets).toEqual([0]);
    expect((await sent([0])).error).toEqual(new Error('the upload does not advance'));
  });

  it('sends an empty file too', async () => {
    expect(await sent([0], new Blob([]))).toEqual({ offsets: [0], waits: [], error: undefined });
    expect(await sent([busy(503), 0], new Blob([]))).toEqual({ offsets: [0, 0], waits: [500], error: undefined });
  });

  it('ends at once if it is cancelled during a delay', async () => {
    const stop = new AbortController();
    const waiting = Promise.withResolvers<void>();
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      const append = async () => {
        setImmediate(waiting.resolve);
        throw busy(503);
      };
      const away = sendPieces(file, { append, signal: stop.signal });
      await waiting.promise;
      stop.abort(new Error('left'));
      const ended = away.catch((error: Error) => error.message);
      expect(await Promise.race([ended, vi.advanceTimersByTimeAsync(1).then(() => 'still waits')])).toBe('left');
    } finally {
      vi.useRealTimers();
    }
  });
});
