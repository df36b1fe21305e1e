import { type FileInfo, UPLOAD_PIECE_BYTES } from '../../contract/index.ts';
import type { Client } from './client.ts';

export type UploadClient = Client['files'];

/**
 * Sends a file piece by piece, so that neither side ever holds more than one piece of it.
 * @param onProgress bytes the host has acknowledged.
 * @throws what the host answers; `AbortError` after `signal` aborts, after asking the host to discard the partial upload.
 */
export async function uploadFile(
  files: UploadClient,
  file: File,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (sent: number) => void },
): Promise<FileInfo> {
  const { uploadId } = await files.begin(
    { name: file.name, bytes: file.size, contentType: knownType(file) },
    { signal },
  );
  try {
    for (let offset = 0; offset < file.size; ) {
      const piece = file.slice(offset, offset + UPLOAD_PIECE_BYTES);
      const { received } = await files.append({ uploadId, offset, piece }, { signal });
      if (received <= offset) throw new RangeError('the upload does not advance');
      offset = received;
      onProgress(offset);
    }
    signal.throwIfAborted();
    return await files.finish({ uploadId }, { signal });
  } catch (error) {
    // The first error is what counts; a host that is gone drops the upload by itself.
    await files.abort({ uploadId }).catch(() => {});
    throw error;
  }
}

/** Browsers call a file they know nothing of "application/octet-stream" or nothing: the host then looks at its name and bytes. */
function knownType(file: File): string {
  return file.type === 'application/octet-stream' ? '' : file.type;
}
