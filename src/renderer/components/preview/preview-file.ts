import type { TokenCard, TransactionSource } from '../../../contract/index.ts';

/** What is known of a file wherever one is shown. */
export interface PreviewFile {
  sha256: string;
  name: string;
  contentType: string;
  bytes: number;
  /** The output that holds it, if it was read from the chain and is not a stored file. */
  inscribedIn?: { txid: string; index: number };
  /** The output that holds it, if it is in a transaction that nobody has sent yet. */
  unsentIn?: { source: TransactionSource; txid: string; output: number };
}

/** A token's content as a file to show; undefined where none is known. A received one stays on the chain and is read from there. */
export function fileOf({ content, origin, name }: TokenCard): PreviewFile | undefined {
  if (content === null) return undefined;
  const { sha256, contentType, bytes, stored, fileName } = content;
  const file = { sha256, contentType, bytes, name: fileName ?? name };
  if (stored) return file;
  const [txid, index] = origin?.split('_') ?? [];
  return txid === undefined ? undefined : { ...file, inscribedIn: { txid, index: Number(index) } };
}
