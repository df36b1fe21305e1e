import { client } from '../../api/client.ts';
import type { PreviewFile } from './preview-file.ts';

/** Larger files have no poster, since the complete file is read for its first picture. 32 MiB. */
const MAX_POSTER_BYTES = 33_554_432;
const KEPT_MS = 60_000;

/** The query for the bytes of a file, which is in the store, in a transaction of the chain, or in an unsent one. */
export function bytesQuery(file: PreviewFile) {
  return { queryKey: ['file', file.sha256], queryFn: () => bytesOf(file), staleTime: Infinity, gcTime: KEPT_MS };
}

/** Whether a poster is made for a tile. Foreign models are rendered only on request. */
export function hasPoster(file: PreviewFile, kind: 'video' | 'model'): boolean {
  return file.bytes <= MAX_POSTER_BYTES && (kind === 'video' || isStored(file));
}

/** Whether the file is in the store, so that a person added it. */
export function isStored(file: PreviewFile): boolean {
  return file.inscribedIn === undefined && file.unsentIn === undefined;
}

function bytesOf(file: PreviewFile): Promise<Blob> {
  if (file.unsentIn !== undefined) return client.tx.inscribed(file.unsentIn);
  if (file.inscribedIn !== undefined) return client.transactions.content(file.inscribedIn);
  return client.files.read({ sha256: file.sha256 });
}
