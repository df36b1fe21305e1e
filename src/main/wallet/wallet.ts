import { type FundingUtxo, formatOutpoint, type Outpoint, type Satoshis, type Utxo } from '../../chain/index.ts';
import { type Balance, type Failure, PlanchetError, toFailure, type WalletStatus } from '../../contract/index.ts';
import type { Service } from '../ports/service.ts';
import type {
  CoinsFrom,
  NonFundingOutput,
  ReplaceOptions,
  ReserveOptions,
  TokenWallet,
  TransactionFate,
} from '../ports/wallet.ts';
import { ChainLoop } from './chain/chain-loop.ts';
import { followKeysTo } from './chain/followed-keys.ts';
import type { Reading } from './chain/history-scan.ts';
import { dropWaiting, noteSeen, noteSigned } from './chain/noted-transactions.ts';
import { coinBeef } from './coins/coin-beef.ts';
import { holdCoins, inputsFor, mostOf, reserveCoins, reservedOf, worthOf } from './coins/reserve.ts';
import { fateOf, notExcludedBy, openOf } from './coins/signed-spends.ts';
import { balanceOf, setAside } from './coins/spendable.ts';
import type { CoinStore } from './coins/storage/coin-store.ts';
import { keepTransactions, type MinedTransaction } from './coins/storage/kept-transactions.ts';
import { tellAddress } from './keys/address-check.ts';
import { issue } from './keys/issued-addresses.ts';
import type { KeySource } from './keys/key-source.ts';
import type { MnemonicLength } from './keys/mnemonic.ts';
import { moneyScripts, type WalletKey } from './keys/wallet-key.ts';
import { type RestoreOptions, type Seed, WalletKeys, type WalletKeysOptions } from './keys/wallet-keys.ts';
import { OpenCoinStore } from './open-coin-store.ts';
import { readTx, type SigningContext, signCoins, signOneInput, signTokenMove } from './sending/coin-signing.ts';
import { OwnSigner, type Signer } from './sending/signer.ts';
import type { WalletOptions } from './wallet-options.ts';

/** Changes that follow each other closely are shown once. */
const PUBLISH_AFTER_MS = 50;
const NO_OUTPUTS: readonly NonFundingOutput[] = [];

/**
 * The wallet of one network: its keys, the coins they can spend, and who holds them. Coins come from the node's blocks and mempool; nothing
 * a server claims about them is believed.
 */
export class Wallet implements Service, TokenWallet {
  readonly name = 'wallet';
  readonly #options: WalletOptions;
  readonly keys: KeySource;
  readonly #signer: Signer;
  readonly #coinStore: OpenCoinStore;
  readonly #chain: ChainLoop;
  #cancelPublish: (() => void) | undefined;
  #mayReserve: () => Promise<void> = async () => undefined;

  readonly #keep = (mined: readonly MinedTransaction[]): Promise<void> => keepTransactions(this.#options, mined);

  private constructor(options: WalletOptions, keys: KeySource) {
    this.#options = options;
    this.keys = keys;
    this.#signer = options.signer ?? new OwnSigner();
    this.#coinStore = new OpenCoinStore({ ...options, scope: this.scope, keys });
    this.#chain = new ChainLoop({
      ...options,
      keys,
      coinStore: () => this.#coinStore.current,
      keep: this.#keep,
      changed: () => this.changed(),
    });
  }

  /**
   * Opens the main account, so that the address is known before anything runs.
   * @param makes see {@link WalletKeys.open} @throws PlanchetError `vault-damaged`, `store-failed`, `disk-full`
   */
  static async open(options: WalletOptions & WalletKeysOptions, makes = true): Promise<Wallet> {
    return Wallet.openWith(options, await WalletKeys.open(options, makes));
  }

  /** Opens an account with keys from elsewhere. @throws PlanchetError `store-failed`, `disk-full` */
  static async openWith(options: WalletOptions, keys: KeySource): Promise<Wallet> {
    const wallet = new Wallet(options, keys);
    await wallet.#coinStore.load();
    return wallet;
  }

  /** Follows the chain from here on. An unreachable node is tried again until it answers; it does not make the start fail. */
  async start(): Promise<Record<string, never>> {
    await this.#chain.start();
    return {};
  }

  async stop(): Promise<void> {
    this.#cancelPublish?.();
    this.#cancelPublish = undefined;
    await this.#chain.stop();
  }

  status(): WalletStatus {
    const key = this.keys.state === 'ready' ? this.keys.key : undefined;
    return {
      state: this.keys.state,
      network: this.#options.network,
      address: key?.address ?? null,
      publicKey: key?.publicKey ?? null,
      balance: this.balance(),
      worthless: this.#options.network === 'sandbox',
    };
  }

  balance(): Balance {
    return balanceOf(this.coinStore);
  }

  address(): string {
    return this.keys.key.address;
  }

  publicKey(): string {
    return this.keys.key.publicKey;
  }

  lockingScript(): Uint8Array {
    return this.keys.key.lockingScript.slice();
  }

  /** Makes a new seed. See {@link WalletKeys.create}. */
  async create(words?: MnemonicLength): Promise<void> {
    await this.#adopt(this.seedKeys.create(words));
  }

  /** Brings back a wallet from its words. See {@link WalletKeys.restore}. */
  async restore(mnemonic: string, options?: RestoreOptions): Promise<void> {
    await this.#adopt(this.seedKeys.restore(mnemonic, options));
  }

  /** Brings back a wallet as its backup has it. See {@link WalletKeys.restoreSeed}. */
  async restoreSeed(seed: Seed): Promise<void> {
    await this.#adopt(this.seedKeys.restoreSeed(seed));
  }

  /** The first block that can hold coins of the seed; null until the node was asked for it, or while there is no wallet. */
  get birthHeight(): number | null {
    return this.coinStore?.state.birthHeight ?? null;
  }

  /** Reads the keys again after the vault was locked or opened. @throws PlanchetError `upstream-*` where another wallet has them */
  async reload(): Promise<void> {
    await this.#coinStore.reload();
    this.#adopted();
  }

  /** Whether an address can be paid on this network, why not, and whether it is the wallet's own. */
  validateAddress(address: string): { valid: boolean; failure: Failure | null; own: boolean } {
    return tellAddress(address, this.#options.network, this.keys.state === 'ready' ? this.keys.all : []);
  }

  /** See {@link TokenWallet.reserve}. Asked again, an owner keeps what it holds where that is enough. */
  async reserve(
    owner: string,
    outputsTotal: Satoshis,
    feeFor: (inputs: number) => Satoshis,
    { from = 'all', replaces = [] }: ReserveOptions = {},
  ): Promise<FundingUtxo[]> {
    const request = { owner, outputsTotal, feeFor, from, replaces, network: this.#options.network };
    const choose = (): Promise<FundingUtxo[]> =>
      this.#coinStore.change(async (coinStore) => {
        if (!owner.startsWith('writer')) await this.#mayReserve();
        return reserveCoins(coinStore, { ...request, address: this.address() });
      });
    const chosen = await choose().catch(async (error: unknown) => {
      if (toFailure(error).code !== 'funds-insufficient' || this.#chain.isRead) throw error;
      // Payments that came while this program did not run are not known yet.
      await this.#chain.followBriefly();
      return choose();
    });
    this.changed();
    return chosen;
  }

  /** See {@link MintWallet.moneyScripts}. */
  moneyScripts(): readonly Uint8Array[] {
    this.keys.key; // says why, where the wallet is locked or missing
    return moneyScripts(this.keys.all);
  }

  /** See {@link MintWallet.inputsFor}. */
  inputsFor(outputsTotal: Satoshis, feeFor: (inputs: number) => Satoshis, from: CoinsFrom = 'all'): number {
    return this.keys.state === 'ready' ? inputsFor(this.#coinStore.require(), { outputsTotal, feeFor, from }) : 1;
  }

  /** See {@link FundingWallet.most}. */
  most(feeFor: (inputs: number) => Satoshis): number {
    return this.coinStore ? mostOf(this.coinStore, feeFor) : 0;
  }

  /** See {@link MintWallet.worth}. */
  worth(feeFor: (inputs: number) => Satoshis, from: CoinsFrom = 'all'): number {
    return this.coinStore ? worthOf(this.coinStore, feeFor, from) : 0;
  }

  /** See {@link MintWallet.setAside}. */
  setAside(): number {
    return setAside(this.coinStore);
  }

  reserved(owner: string): FundingUtxo[] {
    return reservedOf(this.#coinStore.require(), owner);
  }

  async release(owner: string): Promise<void> {
    await this.#coinStore.release(owner);
    this.changed();
  }

  /**
   * See {@link TokenWallet.sign}.
   * @throws PlanchetError `review-failed` where anything but the wallet's own coins would be spent, `fee-too-high` above a cap
   */
  async sign(unsigned: Uint8Array, spent: readonly FundingUtxo[]): Promise<Uint8Array> {
    return signCoins(unsigned, spent, this.#signing(), this.#options.settings.current());
  }

  tokenAddress(): string {
    return this.#tokenKey().address;
  }

  tokenPublicKey(): string {
    return this.#tokenKey().publicKey;
  }

  /** See {@link TokenWallet.publicKeyOf}. */
  publicKeyOf(pubKeyHash: string): string | undefined {
    return this.keys.all.find((key) => key.pubKeyHash === pubKeyHash)?.publicKey;
  }

  nonFundingOutputs(): readonly NonFundingOutput[] {
    return this.coinStore?.nonFunding ?? NO_OUTPUTS;
  }

  /** See {@link TokenWallet.hold}. */
  async hold(owner: string, outpoints: readonly Outpoint[], { replaces = [] }: ReplaceOptions = {}): Promise<void> {
    await this.#coinStore.change((coinStore) => holdCoins(coinStore, owner, outpoints.map(formatOutpoint), replaces));
    this.changed();
  }

  /** Signs a transaction whose first inputs move tokens. @throws PlanchetError `review-failed` | `fee-too-high` */
  signTokenMove(unsigned: Uint8Array, tokens: readonly Utxo[], coins: readonly FundingUtxo[]): Promise<Uint8Array> {
    return signTokenMove(unsigned, tokens, coins, this.#signing(), this.#options.settings.current());
  }

  /** See {@link TokenWallet.signInput}. */
  async signInput(unsigned: Uint8Array, inputIndex: number, spent: Utxo): Promise<Uint8Array> {
    return signOneInput(unsigned, inputIndex, spent, this.#signing());
  }

  /** See {@link SignedTransactions.noteSigned}. */
  async noteSigned(owner: string, rawTx: Uint8Array): Promise<void> {
    const tx = readTx(rawTx);
    await this.#coinStore.changeStored((coinStore) => coinStore.change((edit) => noteSigned(edit, owner, tx)));
    this.changed();
  }

  fateOf(txid: string): TransactionFate {
    return this.coinStore ? fateOf(this.coinStore, txid) : 'unknown';
  }

  /** See {@link SignedTransactions.notExcluded}. */
  notExcluded(owners: readonly string[], inputs: readonly Outpoint[]): string[] {
    const coinStore = this.#coinStore.require();
    return notExcludedBy(coinStore, openOf(coinStore, owners), inputs.map(formatOutpoint));
  }

  async observe(rawTx: Uint8Array): Promise<void> {
    const tx = readTx(rawTx);
    const now = this.#options.clock.now();
    await this.#coinStore.changeStored((coinStore) => coinStore.change((edit) => noteSeen(edit, tx, this.keys, now)));
    this.changed();
  }

  follow(): Promise<void> {
    return this.#chain.follow();
  }

  /** See {@link coinBeef}. */
  beef(outpoint: string): Promise<Uint8Array> {
    return coinBeef(this.#coinStore.require(), this.#options.chainData, this.#keep, outpoint);
  }

  /** See {@link TokenWallet.knownAloneFrom}. */
  get knownAloneFrom(): number | undefined {
    return this.#chain.isUnanswered ? (this.coinStore?.tip?.height ?? 0) : undefined;
  }

  /** How far the reading of a long history is; undefined while there is none. */
  get reading(): Reading | undefined {
    return this.#chain.reading;
  }

  /** A person looks at an address, so a payment may come: it is looked for more often for ten minutes. @param awaited the keys that may be paid */
  expectPayment(awaited: readonly WalletKey[]): void {
    this.#chain.expectPayment(awaited.map(({ pubKeyHash }) => pubKeyHash));
  }

  /** Names of the operators that tell of a transaction that waits for a block; undefined where a node does, or nobody. */
  toldBy(txid: string): readonly string[] | undefined {
    return this.#chain.toldBy(txid);
  }

  /** See {@link ChainLoop.requireSearched}. */
  requireSearched(): Promise<void> {
    return this.#chain.requireSearched(() => this.#coinStore.require());
  }

  /**
   * Follows addresses as far as a backup says that they were given out or paid. Blocks are searched for those that were not followed yet.
   * @param to.index highest one that is given out @param to.change highest one for change, of a watched account
   * @throws PlanchetError `wallet-missing` | `vault-locked` | `upstream-*` | `disk-full` | `store-failed`
   */
  async followTo({ index, change }: { index: number; change: number }): Promise<void> {
    const highest = Math.max(index, change);
    await this.keys.prepare?.(highest);
    await this.#coinStore.change(async (coinStore) => {
      if (index > 0) await issue(this.#options.store.db, this.scope, coinStore.state.owner, index);
      await coinStore.change((edit) => followKeysTo(edit, this.keys, { highest, change }));
    });
    void this.#chain.follow();
  }

  /** A transaction that is in a block is kept. See {@link MintWallet.forget}. */
  async forget(txid: string): Promise<void> {
    await this.#chain.follow(); // the block that held it may have left the chain a moment ago
    await this.#coinStore.changeStored((coinStore) => coinStore.change((edit) => dropWaiting(edit, txid)));
    this.changed();
  }

  /** The keys and the coins, for the other parts of this folder. @throws PlanchetError `wallet-missing` | `vault-locked` | `not-running` */
  open(): { keys: KeySource; coinStore: CoinStore } {
    return { keys: this.keys, coinStore: this.#coinStore.require() };
  }

  /** The coins, or undefined while the keys are missing or locked. */
  get coinStore(): CoinStore | undefined {
    return this.#coinStore.current;
  }

  /** The name of the account's rows in the store. */
  get scope(): string {
    return this.#options.scope ?? this.#options.network;
  }

  /** Whether the keys come from words in the vault. */
  get hasSeed(): boolean {
    return this.keys instanceof WalletKeys;
  }

  /** The keys from the seed in the vault. @throws PlanchetError `conflict` where the keys come from elsewhere */
  get seedKeys(): WalletKeys {
    if (this.keys instanceof WalletKeys) return this.keys;
    throw new PlanchetError('wallet.no-seed');
  }

  /** Sets a check that may refuse each reservation. The data writer is not checked: it ran before there was such a check. */
  requireBefore(check: () => Promise<void>): void {
    this.#mayReserve = check;
  }

  /** Shows a change of the keys or the coins soon: others that follow closely are shown with it. */
  changed(): void {
    const { clock, events, published } = this.#options;
    this.#cancelPublish ??= clock.after(PUBLISH_AFTER_MS, () => {
      this.#cancelPublish = undefined;
      if (published) published();
      else events.publish({ type: 'wallet', wallet: this.status() });
    });
  }

  async #adopt(made: Promise<void>): Promise<void> {
    await made;
    await this.#coinStore.load();
    this.#adopted();
  }

  #tokenKey(): WalletKey {
    if (this.keys.tokenKey) return this.keys.tokenKey;
    this.keys.key; // says why, where the wallet is locked or missing
    throw new PlanchetError('wallet.no-token-key');
  }

  #signing(): SigningContext {
    return { signer: this.#signer, keys: this.keys.all, coinStore: this.coinStore };
  }

  /** Shows what the keys have now, and brings it up to date. */
  #adopted(): void {
    this.changed();
    void this.#chain.follow();
  }
}
