import { describe, expect, it } from 'vitest';
import { UPLOAD_PIECE_BYTES } from '../../contract/index.ts';
import { type UploadClient, uploadFile } from './upload.ts';

/** Keeps what arrives, as the host does, and refuses gaps. */
function host(options: { failAt?: number } = {}) {
  const calls: string[] = [];
  const parts: Blob[] = [];
  let size = 0;
  const files = {
    begin: async () => ({ uploadId: 'u' }),
    append: async ({ offset, piece }: { offset: number; piece: Blob }, call?: { signal?: AbortSignal }) => {
      call?.signal?.throwIfAborted();
      if (offset !== size) throw new Error(`gap at ${offset}`);
      if (options.failAt === parts.length) throw new Error('disk full');
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
