import { createHash } from 'node:crypto';
import { isDiskFull, PlanchetError } from '../../../contract/index.ts';

/** Large contents are hashed off the event loop; for small ones the hand-over takes longer than the hash. */
export async function sha256Of(bytes: Uint8Array): Promise<string> {
  if (bytes.length <= 65_536) return createHash('sha256').update(bytes).digest('hex');
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>)).toString('hex');
}

/** Does something with the disk. @throws PlanchetError `disk-full`, `store-failed` in place of the system's errors */
export async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isDiskFull(error)) throw new PlanchetError('content.disk-full', {}, { cause: error });
    throw new PlanchetError('content.not-stored', {}, { cause: error });
  }
}
