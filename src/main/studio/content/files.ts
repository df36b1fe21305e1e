import type { Contract, Serves } from '../../../contract/index.ts';
import type { ContentStore } from './content-store.ts';
import type { Thumbnails } from './thumbnails.ts';

/** Stored files and their upload in pieces. */
export function createFiles(store: ContentStore, thumbnails: Thumbnails) {
  return {
    /** @throws PlanchetError `file-empty` | `file-too-large` | `content-type-unknown` (for a type that is not a MIME type) */
    begin: (file) => store.begin(file),
    /** @throws PlanchetError `not-found` | `conflict` (wrong offset) | `file-too-large` | `disk-full` */
    append: async ({ uploadId, offset, piece }) =>
      store.append({ uploadId, offset, piece: new Uint8Array(await piece.arrayBuffer()) }),
    /** @throws PlanchetError `not-found` | `invalid-input` (pieces are missing) | `content-type-unknown` | `disk-full` */
    finish: ({ uploadId }) => store.finish(uploadId),
    abort: ({ uploadId }) => store.abort(uploadId),
    /** A blob that reads the stored file as it is used. @throws PlanchetError `file-not-found` */
    read: ({ sha256 }) => store.blob(sha256),
    /** A small picture of a stored file, null where there can be none. @throws PlanchetError `file-not-found` */
    thumbnail: ({ sha256 }) => thumbnails.get(sha256),
  } satisfies Serves<Contract['files']>;
}
