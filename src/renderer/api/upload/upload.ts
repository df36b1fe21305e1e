import type { FileInfo } from '../../../contract/index.ts';
import type { Client } from '../client.ts';
import { sendPieces } from './send-pieces.ts';

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
    await sendPieces(file, {
      append: (offset, piece) => files.append({ uploadId, offset, piece }, { signal }),
      signal,
      onProgress,
    });
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
