import type { Network, PublicSourceName, WalletVault } from '../../contract/index.ts';

export type SecretName =
  | `seed:${Network}`
  /** The part of a backup file, besides the seed, that a restore has not brought back yet. */
  | `restore:${Network}`
  /** A private key that was imported, as WIF, by the id of its account. */
  | `key:${Network}:${string}`
  | `apiKey:${Network}`
  /** API key of a miner that was added, by its id. */
  | `minerKey:${Network}:${string}`
  | `sourceKey:${Network}:${PublicSourceName}`
  | `minerId`
  | `sandboxFaucet`
  /** Key that signs transactions paid for by the funding service, by the hash of its API key. */
  | `signer:${Network}:${string}`
  /** Signs the messages to the webhook of states. */
  | `webhookSecret:${Network}`
  /** Makes the tokens of callbacks and opens encrypted ones. */
  | `callbackKey:${Network}`
  /** Encrypts documents that only this installation can read. */
  | `dataKey:${Network}`;

/** Encrypted secrets. Reading one while the vault is locked throws PlanchetError `vault-locked`. */
export interface SecretStore {
  readonly locked: boolean;
  /** Grows with each change of a secret or of the lock, so that values made from a secret can be cached; undefined if changes are not counted. */
  readonly revision?: number;
  get(name: SecretName): Uint8Array | undefined;
  /** Resolves when the value is written and synced. */
  set(name: SecretName, value: Uint8Array): Promise<void>;
  delete(name: SecretName): Promise<void>;
}

/** The vault as far as a person locks and opens it. */
export interface LockableVault {
  /** What opens it. */
  access(): Promise<WalletVault>;
  lock(): void;
  /** @throws PlanchetError `vault-passphrase-wrong` */
  unlock(passphrase: string): Promise<void>;
  /** Tries a passphrase without changing anything. @throws PlanchetError `vault-passphrase-wrong` */
  prove(passphrase: string): Promise<void>;
  /** Makes the vault where it needs a passphrase for that. @param current needed where there is a passphrase @throws PlanchetError `vault-passphrase-wrong` | `vault-locked` | `forbidden` */
  changePassphrase(current: string, next: string): Promise<void>;
}

/** Gives the passphrase of a vault, undefined where there is none; told whether it opens a vault or makes one. `at-hand` asks nobody. */
export type PassphraseOf = (use: 'open' | 'create' | 'at-hand') => Promise<string | undefined>;
