import type { TransactionSource } from '../../../contract/index.ts';

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
