import type { FileInfo } from '../../../contract/index.ts';
import type { Client } from '../client.ts';
import { sendPieces } from './send-pieces.ts';

export type UploadClient = Client['files'];

/**
 * Sends a file in pieces, so neither side holds more than one piece in memory.
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
    // The first error is the one to report. A host that is unreachable drops the upload on its own.
    await files.abort({ uploadId }).catch(() => {});
    throw error;
  }
}

/** Browsers give an unknown file the type "application/octet-stream" or none. The host then checks its name and bytes. */
function knownType(file: File): string {
  return file.type === 'application/octet-stream' ? '' : file.type;
}
