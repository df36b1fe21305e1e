import { client } from '../../api/client.ts';
import type { PreviewFile } from './preview-file.ts';

/** Larger files have no poster: all of a file is read for its first picture. 32 MiB. */
const MAX_POSTER_BYTES = 33_554_432;
const KEPT_MS = 60_000;

/** The query for the bytes of a file, wherever it lies: in the store, in a transaction of the chain, or in one that nobody has sent. */
export function bytesQuery(file: PreviewFile) {
  return { queryKey: ['file', file.sha256], queryFn: () => bytesOf(file), staleTime: Infinity, gcTime: KEPT_MS };
}

/** Whether a picture is made for a tile. What others sent is drawn in three dimensions only when somebody asks for it. */
export function hasPoster(file: PreviewFile, kind: 'video' | 'model'): boolean {
  return file.bytes <= MAX_POSTER_BYTES && (kind === 'video' || isStored(file));
}

/** Whether the file is one of the store, which a person of this program has added. */
export function isStored(file: PreviewFile): boolean {
  return file.inscribedIn === undefined && file.unsentIn === undefined;
}

function bytesOf(file: PreviewFile): Promise<Blob> {
  if (file.unsentIn !== undefined) return client.tx.inscribed(file.unsentIn);
  if (file.inscribedIn !== undefined) return client.transactions.content(file.inscribedIn);
  return client.files.read({ sha256: file.sha256 });
}
