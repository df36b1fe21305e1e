import { type Network, PlanchetError } from '../../../contract/index.ts';
import { followedCount, type KeySource } from '../keys/key-source.ts';
import { publicTokenKey, publicWalletKey, TOKEN_INDEX, type WalletKey } from '../keys/wallet-key.ts';
import type { ExternalWallet } from './external-wallet.ts';
import type { KnownWallet } from './known-wallet.ts';

/** Keys that a wallet outside this process derives and signs with. */
export class ExternalKeys implements KeySource {
  readonly network: Network;
  readonly canSign = true;
  readonly hasFurther = true;
  readonly birth: { height: number };
  readonly #wallet: ExternalWallet;
  readonly #url: string;
  /** Identity of the wallet whose keys these are. */
  #identityKey: string | undefined;
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
    throw this.known.refusal ?? new PlanchetError('wallet.external-unreachable', { url: this.#url });
  }

  /** The wallet whose keys are expected. */
  get known(): KnownWallet {
    return this.#wallet.known;
  }

  get all(): readonly WalletKey[] {
    const [first, ...further] = this.money;
    return [first as WalletKey, this.#tokenKey as WalletKey, ...further];
  }

  get tokenKey(): WalletKey | undefined {
    return this.#tokenKey;
  }

  /** Makes sure that the wallet that is known answers. @throws PlanchetError `conflict` for another one, `upstream-*` */
  async authenticate(): Promise<void> {
    await this.#wallet.authenticate();
  }

  /**
   * Fetches the keys that {@link followBehind} needs. None is used before all came from the wallet that is known.
   * @throws PlanchetError `upstream-*`, `conflict` where another wallet answers
   */
  async prepare(index: number): Promise<void> {
    const { known } = this;
    if (this.#identityKey !== known.identityKey) this.#forget();
    const wanted = followedCount(index);
    if (this.#fetched.length < wanted || this.#tokenKey === undefined) {
      const identityKey = await this.#wallet.authenticate();
      const fetched = [...this.#fetched];
      while (fetched.length < wanted) {
        const next = fetched.length;
        fetched.push(publicWalletKey(await this.#wallet.publicKey(next), this.network, next));
      }
      const tokenKey = this.#tokenKey ?? publicTokenKey(await this.#wallet.publicKey(TOKEN_INDEX), this.network);
      // another program may have taken the address in between, or another wallet been accepted
      if ((await this.#wallet.authenticate()) !== identityKey)
        throw new PlanchetError('wallet.external-unreachable', { url: this.#url });
      this.#identityKey = identityKey;
      this.#fetched = fetched;
      this.#tokenKey = tokenKey;
    }
    this.followBehind(index);
  }

  #forget(): void {
    this.#identityKey = undefined;
    this.#fetched = [];
    this.#money = [];
    this.#tokenKey = undefined;
  }

  followBehind(index: number): boolean {
    const count = Math.min(followedCount(index), this.#fetched.length);
    if (count <= this.#money.length) return false;
    this.#money = this.#fetched.slice(0, count);
    return true;
  }

  /** The other wallet has its own lock. */
  reload(): void {}
}
