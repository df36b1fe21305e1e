import type { Contract, Serves } from '../../../contract/index.ts';

/** The sandbox's controls, used by its HTTP API, the console and the command line. */
export interface Controls extends Omit<Serves<Contract['sandbox']>, 'createKey'> {
  /** @param request.list null unfreezes the output */
  freeze(request: { txid: string; vout: number; list: 'policy' | 'consensus' | null }): Promise<void>;
  /** @param owner user of the key; defaults to the default user, or a new user if `newUser` is set */
  createKey(owner: { userUid?: string | undefined; newUser?: boolean | undefined }): Promise<{ apiKey: string }>;
  /** Folder for temporary files, which are removed at the next start. */
  readonly workFolder: string;
}
