import type { TokenCard, TransactionSource } from '../../../contract/index.ts';

/** The properties of a file that is shown. */
export interface PreviewFile {
  sha256: string;
  name: string;
  contentType: string;
  bytes: number;
  /** The output with the file, if it was read from the chain and is not a stored file. */
  inscribedIn?: { txid: string; index: number };
  /** The output with the file, if it is in an unsent transaction. */
  unsentIn?: { source: TransactionSource; txid: string; output: number };
}

/** A token's content as a file to show; undefined if none is known. The content of a received token is read from the chain. */
export function fileOf({ content, origin, name }: TokenCard): PreviewFile | undefined {
  if (content === null) return undefined;
  const { sha256, contentType, bytes, stored, fileName } = content;
  const file = { sha256, contentType, bytes, name: fileName ?? name };
  if (stored) return file;
  const [txid, index] = origin?.split('_') ?? [];
  return txid === undefined ? undefined : { ...file, inscribedIn: { txid, index: Number(index) } };
}
