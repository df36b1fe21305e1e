import PrivateKey from '@bsv/sdk/primitives/PrivateKey';
import * as Utils from '@bsv/sdk/primitives/utils';
import { addressNetwork } from '../../../chain/index.ts';
import { type Network, PlanchetError, phrase } from '../../../contract/index.ts';
import type { SecretName, SecretStore } from '../../ports/secrets.ts';
import type { KeySource } from './key-source.ts';
import { type SingleSecret, singleWalletKey, type WalletKey } from './wallet-key.ts';

const PREFIX = { main: 0x80, test: 0xef } as const;
/** A WIF text is the prefix, 32 bytes, and for compressed public keys a byte 1. */
const KEY_BYTES = 32;

/**
 * Reads a private key in the wallet import format, as paper wallets print it.
 * @throws PlanchetError `invalid-input` that names what is wrong, never the key
 */
export function readWif(text: string, network: Network): SingleSecret {
  const trimmed = text.trim();
  if (trimmed.startsWith('6P')) throw new PlanchetError('wallet.wif-encrypted');
  let prefix: number;
  let data: number[];
  try {
    const decoded = Utils.fromBase58Check(trimmed, undefined, 1) as { prefix: number[]; data: number[] };
    prefix = decoded.prefix[0] as number;
    data = decoded.data;
  } catch {
    throw new PlanchetError('wallet.wif-invalid', { reason: phrase('reason.key-checksum') });
  }
  const compressed = data.length === KEY_BYTES + 1 && data[KEY_BYTES] === 1;
  if ((prefix !== PREFIX.main && prefix !== PREFIX.test) || (data.length !== KEY_BYTES && !compressed)) {
    throw new PlanchetError('wallet.wif-invalid', { reason: phrase('reason.key-other') });
  }
  if (prefix !== PREFIX[addressNetwork(network)]) throw new PlanchetError('wallet.wif-other-network');
  try {
    const privateKey = new PrivateKey(data.slice(0, KEY_BYTES));
    if (!privateKey.isZero()) return { privateKey, compressed };
  } catch {
    // told below
  }
  throw new PlanchetError('wallet.wif-invalid', { reason: phrase('reason.key-none') });
}

/** One imported private key, which the vault holds: an account with one address. */
export class SingleKey implements KeySource {
  readonly network: Network;
  readonly tokenKey = undefined;
  readonly canSign = true;
  readonly hasFurther = false;
  readonly birth: { height: number };
  readonly #secrets: SecretStore;
  readonly #name: SecretName;
  #keys: readonly WalletKey[] | undefined;
  #without: 'missing' | 'locked' = 'locked';

  /** @param options.birthHeight first block that can hold coins of it */
  constructor(options: { network: Network; secrets: SecretStore; name: SecretName; birthHeight: number }) {
    this.network = options.network;
    this.#secrets = options.secrets;
    this.#name = options.name;
    this.birth = { height: options.birthHeight };
    this.reload();
  }

  /** `missing` where the vault does not hold the key, as after a removal that was interrupted. */
  get state(): 'missing' | 'locked' | 'ready' {
    return this.#keys === undefined ? this.#without : 'ready';
  }

  get key(): WalletKey {
    return this.all[0] as WalletKey;
  }

  get all(): readonly WalletKey[] {
    if (this.#keys) return this.#keys;
    throw new PlanchetError(this.#without === 'missing' ? 'wallet.key-missing' : 'wallet.locked');
  }

  get money(): readonly WalletKey[] {
    return this.all;
  }

  followBehind(): boolean {
    return false;
  }

  /** @throws PlanchetError `vault-damaged` */
  reload(): void {
    const before = this.#keys;
    this.#keys = undefined;
    this.#without = 'locked';
    let bytes: Uint8Array | undefined;
    try {
      bytes = this.#secrets.get(this.#name);
    } catch (error) {
      if (error instanceof PlanchetError && error.code === 'vault-locked') return;
      throw error;
    }
    if (bytes === undefined) {
      this.#without = 'missing';
      return;
    }
    const secret = readWif(Buffer.from(bytes).toString('utf8'), this.network);
    bytes.fill(0);
    const key = singleWalletKey(secret, this.network);
    this.#keys = before?.[0]?.pubKeyHash === key.pubKeyHash ? before : [key];
  }
}
