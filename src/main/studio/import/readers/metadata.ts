import type { Word } from '../model.ts';
import { reasonOf } from '../sources/disk.ts';
import { type MetadataFile, readMetadata } from './index.ts';

export interface UnreadMetadata {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** What a file of metadata holds, or why it cannot be read. */
export type MetadataOutcome = { readonly read: MetadataFile } | { readonly reason: Word };

/** Reads files of metadata in this thread. @returns in the order of the files */
export function readHere(files: readonly UnreadMetadata[]): MetadataOutcome[] {
  return files.map(({ path, bytes }) => {
    try {
      return { read: readMetadata(path, bytes) };
    } catch (error) {
      return { reason: reasonOf(error) };
    }
  });
}
