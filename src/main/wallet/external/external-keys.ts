import { type Network, PlanchetError } from '../../../contract/index.ts';
import { followedCount, type KeySource } from '../keys/key-source.ts';
import { publicTokenKey, publicWalletKey, TOKEN_INDEX, type WalletKey } from '../keys/wallet-key.ts';
import type { ExternalWallet } from './external-wallet.ts';

/** Keys that a wallet outside this process derives and signs with. */
export class ExternalKeys implements KeySource {
  readonly network: Network;
  readonly canSign = true;
  readonly hasFurther = true;
  readonly restoredTo = 0;
  readonly birth: { height: number };
  readonly #wallet: ExternalWallet;
  readonly #url: string;
  /** Fetched ahead: the chain is followed without asking in between. */
  #fetched: WalletKey[] = [];
  #money: readonly WalletKey[] = [];
  #tokenKey: WalletKey | undefined;

  /** @param options.birthHeight first block that can hold coins of it */
  constructor(options: { network: Network; wallet: ExternalWallet; url: string; birthHeight: number }) {
    this.network = options.network;
    this.#wallet = options.wallet;
    this.#url = options.url;
    this.birth = { height: options.birthHeight };
  }

  get state(): 'locked' | 'ready' {
    return this.#tokenKey === undefined ? 'locked' : 'ready';
  }

  get key(): WalletKey {
    return this.money[0] as WalletKey;
  }

  get money(): readonly WalletKey[] {
    if (this.state === 'ready') return this.#money;
    throw new PlanchetError('wallet.external-unreachable', { url: this.#url });
  }

  get all(): readonly WalletKey[] {
    const [first, ...further] = this.money;
    return [first as WalletKey, this.#tokenKey as WalletKey, ...further];
  }

  get tokenKey(): WalletKey | undefined {
    return this.#tokenKey;
  }

  /** Fetches the keys that {@link followBehind} needs. @throws PlanchetError `upstream-*` */
  async prepare(index: number): Promise<void> {
    const wanted = followedCount(index);
    while (this.#fetched.length < wanted) {
      const next = this.#fetched.length;
      this.#fetched.push(publicWalletKey(await this.#wallet.publicKey(next), this.network, next));
    }
    this.#tokenKey ??= publicTokenKey(await this.#wallet.publicKey(TOKEN_INDEX), this.network);
    this.followBehind(index);
  }

  followBehind(index: number): boolean {
    const count = Math.min(followedCount(index), this.#fetched.length);
    if (count <= this.#money.length) return false;
    this.#money = this.#fetched.slice(0, count);
    return true;
  }

  pathOf(): string {
    return '';
  }

  /** The other wallet has its own lock. */
  reload(): void {}
}
