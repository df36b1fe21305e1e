import { writeFileSync } from 'node:fs';
import { PlanchetError } from '../../../contract/index.ts';

/**
 * Writes a new file; one that is there already is never overwritten.
 * @param mode permissions of a file that only its owner reads
 * @throws PlanchetError `conflict` where it exists, `invalid-input` where it cannot be written
 */
export function writeNewFile(file: string, content: string | Uint8Array, mode?: 0o600): void {
  try {
    writeFileSync(file, content, { flag: 'wx', mode });
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw new PlanchetError(exists ? 'cli.file-exists' : 'cli.file-unwritable', { file }, { cause: error });
  }
}
