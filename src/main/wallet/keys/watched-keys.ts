import { addressNetwork } from '../../../chain/index.ts';
import { type Network, PlanchetError } from '../../../contract/index.ts';
import { derivePublicChild, type ExtendedKey, type HdPublicKey, parseExtendedKey } from './extended-key.ts';
import { followedCount, type KeySource } from './key-source.ts';
import { CHANGE_INDEX, publicWalletKey, type WalletKey } from './wallet-key.ts';

/**
 * Reads the extended public key of an account.
 * @throws PlanchetError `invalid-input` where it is none, is a private one, or belongs to another network
 */
function readExtendedPublicKey(text: string, network: Network): ExtendedKey {
  const key = parseExtendedKey(text);
  if (key.private !== undefined) throw new PlanchetError('wallet.xpub-private');
  const wanted = addressNetwork(network);
  if (key.network !== wanted)
    throw new PlanchetError('wallet.xpub-other-network', { prefix: wanted === 'main' ? 'xpub' : 'tpub' });
  return key;
}

/** The addresses of an extended public key: they are followed, and nothing can be signed. */
export class WatchedKeys implements KeySource {
  readonly network: Network;
  readonly state = 'ready';
  readonly tokenKey = undefined;
  readonly canSign = false;
  readonly hasFurther = true;
  readonly birth: { height: number };
  readonly #receiving: HdPublicKey;
  readonly #change: HdPublicKey;
  #money: WalletKey[] = [];
  #all: WalletKey[] = [];

  /** @param options.birthHeight first block that can hold coins of it */
  constructor(options: { network: Network; xpub: string; birthHeight: number }) {
    const account = readExtendedPublicKey(options.xpub, options.network);
    this.network = options.network;
    this.birth = { height: options.birthHeight };
    this.#receiving = derivePublicChild(account, 0);
    this.#change = derivePublicChild(account, 1);
    this.followBehind(0);
  }

  get key(): WalletKey {
    return this.#money[0] as WalletKey;
  }

  get money(): readonly WalletKey[] {
    return this.#money;
  }

  get all(): readonly WalletKey[] {
    return this.#all;
  }

  /** The addresses for change, `1/<n>`, are followed as far as those that are given out. */
  followBehind(index: number): boolean {
    const wanted = followedCount(index >= CHANGE_INDEX ? index - CHANGE_INDEX : index);
    if (this.#money.length >= wanted) return false;
    const all = [...this.#all];
    const money = [...this.#money];
    while (money.length < wanted) {
      const index = money.length;
      const of = (branch: HdPublicKey, at: number): WalletKey =>
        publicWalletKey(derivePublicChild(branch, index).publicKey, this.network, at);
      const key = of(this.#receiving, index);
      money.push(key);
      all.push(key, of(this.#change, CHANGE_INDEX + index));
    }
    this.#money = money;
    this.#all = all;
    return true;
  }

  pathOf(index: number): string {
    return index >= CHANGE_INDEX ? `M/1/${index - CHANGE_INDEX}` : `M/0/${index}`;
  }

  reload(): void {}
}
