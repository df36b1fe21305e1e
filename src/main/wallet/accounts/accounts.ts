import { randomUUID } from 'node:crypto';
import { formatOutpoint } from '../../../chain/index.ts';
import { type Network, PlanchetError, type WalletAccount, type WalletSweep } from '../../../contract/index.ts';
import { Sequencer } from '../../async/sequencer.ts';
import type { TipSource } from '../../ports/chain-data.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SecretStore } from '../../ports/secrets.ts';
import type { Store } from '../../ports/store.ts';
import type { NonFundingOutput } from '../../ports/wallet.ts';
import type { BackedUpAccount } from '../backup/backup-content.ts';
import { fullBalanceOf } from '../coins/spendable.ts';
import type { KeySource } from '../keys/key-source.ts';
import { readWif, SingleKey } from '../keys/single-key.ts';
import { WalletKeys } from '../keys/wallet-keys.ts';
import { WatchedKeys } from '../keys/watched-keys.ts';
import type { Payments } from '../sending/payments.ts';
import type { WalletTables } from '../tables.ts';
import type { Wallet } from '../wallet.ts';
import { type AccountRow, AccountRows, MAIN } from './account-rows.ts';
import { prepareSweep, type SweepInput } from './account-sweep.ts';

/** Accounts 1 and 2 of the seed pay for documents and own redeemable tokens. */
const FIRST_FURTHER_ACCOUNT = 3;

/** An account with what follows its coins and pays from them. */
export interface Account {
  readonly id: string;
  readonly kind: WalletAccount['kind'];
  name: string;
  readonly wallet: Wallet;
  readonly payments: Payments;
}

export interface AccountsOptions {
  network: Network;
  store: Store<WalletTables>;
  secrets: SecretStore;
  clock: Clock;
  tip: Pick<TipSource, 'current'>;
  main: Pick<Account, 'kind' | 'wallet' | 'payments'>;
  /** Builds what follows an account's coins and pays from them. @param scope names its rows in the store */
  open: (keys: KeySource, scope: string) => Promise<Pick<Account, 'wallet' | 'payments'>>;
}

/** The accounts of one network: the main one, further ones of its seed, watched ones, and imported keys. */
export class Accounts {
  readonly #options: AccountsOptions;
  readonly #rows: AccountRows;
  readonly #accounts = new Map<string, Account>();
  #active = MAIN;
  /** The lists of the wallets as they were last read, and all of them joined. */
  #lists: readonly (readonly NonFundingOutput[])[] = [];
  #outputs: readonly NonFundingOutput[] = [];
  #running = false;
  readonly #changing = new Sequencer();

  private constructor(options: AccountsOptions) {
    this.#options = options;
    this.#rows = new AccountRows(options.store.db, options.network);
    this.#accounts.set(MAIN, { id: MAIN, name: '', ...options.main });
  }

  /** @throws PlanchetError `store-failed`, `vault-damaged` */
  static async open(options: AccountsOptions): Promise<Accounts> {
    const accounts = new Accounts(options);
    for (const row of await accounts.#rows.all()) await accounts.#add(row);
    const active = await accounts.#rows.active();
    const shown = accounts.#accounts.get(active);
    if (shown && shown.wallet.keys.state !== 'missing') accounts.#active = active;
    return accounts;
  }

  /** The account that a person looks at and sends from. */
  get active(): Account {
    return this.get(this.#active);
  }

  get main(): Account {
    return this.get(MAIN);
  }

  get all(): readonly Account[] {
    return [...this.#accounts.values()];
  }

  /** @throws PlanchetError `not-found` */
  get(id: string): Account {
    const account = this.#accounts.get(id);
    if (account) return account;
    throw new PlanchetError('wallet.account-missing', { id });
  }

  /** {@link Wallet.nonFundingOutputs} of all accounts. The list is the same one until one of them changes. */
  nonFundingOutputs(): readonly NonFundingOutput[] {
    const lists = this.all.map(({ wallet }) => wallet.nonFundingOutputs());
    if (lists.length !== this.#lists.length || lists.some((list, index) => list !== this.#lists[index])) {
      this.#lists = lists;
      // a watched account may be one of the others
      this.#outputs = [...new Map(lists.flat().map((output) => [formatOutpoint(output.utxo), output])).values()];
    }
    return this.#outputs;
  }

  /** The account that has these outputs and can spend them; the active one where none has them all. */
  holding(outpoints: readonly string[]): Account {
    const holds = ({ wallet: { keys, coinStore } }: Account): boolean =>
      keys.canSign && outpoints.every((outpoint) => coinStore?.coins.get(outpoint)?.spentBy === null);
    return [this.active, ...this.all].find(holds) ?? this.active;
  }

  /** Follows the coins of the further accounts. The main one runs by itself. */
  async start(): Promise<void> {
    this.#running = true;
    for (const account of this.#further()) await startOne(account);
  }

  async stop(): Promise<void> {
    this.#running = false;
    for (const { wallet, payments } of this.#further()) {
      await payments.stop();
      await wallet.stop();
    }
  }

  /** Reads the keys of every account again, after the vault was opened or locked: of the others also where one cannot be read. */
  async reload(): Promise<void> {
    const reloads = await Promise.allSettled(this.all.map(({ wallet }) => wallet.reload()));
    for (const reload of reloads) if (reload.status === 'rejected') throw reload.reason;
  }

  async list(): Promise<WalletAccount[]> {
    return this.all.map((account) => this.#shown(account));
  }

  /** The next account of the seed, which becomes the active one. @throws PlanchetError `wallet-missing` | `vault-locked` */
  create({ name }: { name: string }): Promise<WalletAccount> {
    return this.#changing.run(async () => {
      this.main.wallet.seedKeys.seed();
      const used = (await this.#rows.all()).map(({ account }) => Number(account ?? 0));
      const account = Math.max(FIRST_FURTHER_ACCOUNT - 1, ...used) + 1;
      return this.#insert({ id: String(account), kind: 'seed', name, account, xpub: null, birth_height: null });
    });
  }

  /** An account that follows an extended public key. @throws PlanchetError `invalid-input`, `conflict` where it is there already */
  watch(input: { name: string; xpub: string; birthHeight: number }): Promise<WalletAccount> {
    return this.#changing.run(async () => {
      const { network } = this.#options;
      const { name, birthHeight: birth_height } = input;
      const xpub = input.xpub.trim();
      this.#refuseKnown(new WatchedKeys({ network, xpub, birthHeight: 0 }).key.pubKeyHash);
      return this.#insert({ id: randomUUID(), kind: 'watch', name, account: null, xpub, birth_height });
    });
  }

  /** An account with one imported private key. @throws PlanchetError `invalid-input`, `conflict`, `vault-locked` */
  importKey(input: { name: string; wif: string; birthHeight: number }): Promise<WalletAccount> {
    return this.#changing.run(async () => {
      const { network, secrets } = this.#options;
      const wif = input.wif.trim();
      const id = randomUUID();
      const { name, birthHeight: birth_height } = input;
      readWif(wif, network);
      await secrets.set(`key:${network}:${id}`, Buffer.from(wif, 'utf8'));
      try {
        this.#refuseKnown(this.#singleKey(id, birth_height).key.pubKeyHash);
        return await this.#insert({ id, kind: 'key', name, account: null, xpub: null, birth_height });
      } catch (error) {
        if (!this.#accounts.has(id)) await secrets.delete(`key:${network}:${id}`);
        throw error;
      }
    });
  }

  rename({ id, name }: { id: string; name: string }): Promise<WalletAccount> {
    return this.#changing.run(async () => {
      const account = this.get(id);
      const known = (await this.#rows.all()).some((row) => row.id === id);
      const ofSeed = { kind: 'seed', account: 0, xpub: null, birth_height: null, created_at: 0 } as const;
      if (known) await this.#rows.rename(id, name);
      // the main account has a row once it has a name
      else await this.#rows.insert({ ...ofSeed, id: MAIN, name });
      account.name = name;
      account.wallet.changed();
      return this.#shown(account);
    });
  }

  /** Makes an account the active one. @throws PlanchetError `not-found` */
  switch({ id }: { id: string }): Promise<WalletAccount> {
    return this.#changing.run(async () => this.#activate(this.get(id)));
  }

  /**
   * Forgets an account. What it has stays on the chain, for whoever has its keys.
   * @param input.loses it may have money or tokens
   * @throws PlanchetError `not-found`, `conflict` for the main one, while a payment is under way or may be mined though it was
   *   refused, or where it has something; `vault-locked` | `not-running` while it is not known whether it
   *   has, or its key cannot be deleted
   */
  remove({ id, loses }: { id: string; loses: boolean }): Promise<void> {
    return this.#changing.run(async () => {
      const account = this.get(id);
      const { kind, name, wallet, payments } = account;
      if (id === MAIN) throw new PlanchetError('wallet.account-main');
      if (kind !== 'watch' && wallet.keys.state !== 'missing') {
        if (kind === 'key' || !loses) wallet.open();
        if (!loses) this.#requireEmpty(account);
      }
      await payments.close(name);
      await wallet.stop();
      const { network, secrets } = this.#options;
      try {
        // First the key: an account without its key is seen and removed again, a key without its account would stay unseen.
        if (kind === 'key') await secrets.delete(`key:${network}:${id}`);
        await this.#rows.remove({ id, kind });
      } catch (error) {
        if (this.#running) await startOne(account);
        throw error;
      }
      this.#accounts.delete(id);
      if (this.#active === id) this.#active = MAIN;
      this.main.wallet.changed();
    });
  }

  /**
   * Adds the accounts of a backup that are not there, under whatever id: two accounts with one key would spend the same coins.
   * @returns how many were added @throws PlanchetError `vault-locked`
   */
  bringBack(accounts: readonly BackedUpAccount[]): Promise<number> {
    return this.#changing.run(async () => {
      const { network, secrets } = this.#options;
      const known = new Set((await this.#rows.all()).map(({ id }) => id));
      let added = 0;
      for (const { birthHeight: birth_height, createdAt: created_at, wif, ...row } of accounts) {
        if (known.has(row.id) || (row.kind === 'key' && wif === null)) continue;
        const secret = `key:${network}:${row.id}` as const;
        if (wif !== null) await secrets.set(secret, Buffer.from(wif, 'utf8'));
        let inserted: AccountRow | undefined;
        try {
          const keys = await this.#keysOf({ network, ...row, birth_height, created_at });
          // An account of the seed has its number as its id.
          if (row.kind !== 'seed' && keys.all.some(({ pubKeyHash }) => this.#ownerOf(pubKeyHash) !== undefined))
            continue;
          inserted = await this.#rows.insert({ ...row, birth_height, created_at });
        } finally {
          // A key without its account would stay unseen.
          if (wif !== null && inserted === undefined) await secrets.delete(secret);
        }
        const account = await this.#add(inserted);
        if (account.id === MAIN) continue;
        added += 1;
        if (this.#running) await startOne(account);
      }
      this.main.wallet.changed();
      return added;
    });
  }

  /** The account of a payment; the active one where none has it. */
  async ofPayment(id: string): Promise<Account> {
    for (const account of this.all) if (await account.payments.has(id)) return account;
    return this.active;
  }

  /**
   * Prepares a payment of everything in an account to the main one. Tokens come first, one to one; money is what is left.
   * @throws PlanchetError `funds-insufficient`, `not-running` while the chain is still searched, `conflict` for a watched account
   */
  async sweep(input: SweepInput): Promise<WalletSweep> {
    const account = this.get(input.account);
    if (account.id === MAIN) throw new PlanchetError('wallet.sweep-main');
    account.wallet.open();
    this.#requireSearched(account);
    return prepareSweep(account, this.main.wallet.address(), input);
  }

  #further(): Account[] {
    return this.all.filter(({ id }) => id !== MAIN);
  }

  async #insert(row: Omit<AccountRow, 'network' | 'created_at'>): Promise<WalletAccount> {
    const account = await this.#add(await this.#rows.insert({ ...row, created_at: this.#options.clock.now() }));
    if (this.#running) await startOne(account);
    return this.#activate(account);
  }

  async #add(row: AccountRow): Promise<Account> {
    if (row.id === MAIN) {
      this.main.name = row.name;
      return this.main;
    }
    const { network, open } = this.#options;
    const parts = await open(await this.#keysOf(row), `${network}/${row.id}`);
    const account: Account = { id: row.id, kind: row.kind, name: row.name, ...parts };
    this.#accounts.set(row.id, account);
    return account;
  }

  async #keysOf({ id, kind, account, xpub, birth_height }: AccountRow): Promise<KeySource> {
    const { network, secrets, clock } = this.#options;
    const birthHeight = Number(birth_height ?? 0);
    if (kind === 'watch') return new WatchedKeys({ network, xpub: xpub ?? '', birthHeight });
    if (kind === 'key') return this.#singleKey(id, birthHeight);
    return WalletKeys.open({ network, secrets, clock, account: Number(account) });
  }

  #singleKey(id: string, birthHeight: number): SingleKey {
    const { network, secrets } = this.#options;
    return new SingleKey({ network, secrets, name: `key:${network}:${id}`, birthHeight });
  }

  #ownerOf(pubKeyHash: string): Account | undefined {
    return this.all.find(({ wallet: { keys } }) => {
      return keys.state === 'ready' && keys.all.some((key) => key.pubKeyHash === pubKeyHash);
    });
  }

  #requireEmpty(account: Account): void {
    const { name, total } = this.#shown(account);
    const tokens = account.wallet.nonFundingOutputs().length;
    if (total + tokens > 0) throw new PlanchetError('wallet.account-not-empty', { name, total, tokens });
    this.#requireSearched(account);
  }

  #requireSearched(account: Account): void {
    const { searching, height } = this.#shown(account);
    const tip = this.#options.tip.current()?.height ?? 0;
    if (searching) throw new PlanchetError('wallet.account-scanning', { height: height ?? 0, tip });
  }

  #refuseKnown(pubKeyHash: string): void {
    const owner = this.#ownerOf(pubKeyHash);
    if (owner !== undefined) throw new PlanchetError('wallet.account-exists', { name: owner.name || MAIN });
  }

  async #activate(account: Account): Promise<WalletAccount> {
    await this.#rows.setActive(account.id);
    this.#active = account.id;
    account.wallet.changed();
    return this.#shown(account);
  }

  #shown({ id, kind, name, wallet }: Account): WalletAccount {
    const { keys, coinStore } = wallet;
    const { total, tokens } = fullBalanceOf(coinStore);
    const height = coinStore?.tip?.height ?? null;
    const tip = this.#options.tip.current()?.height ?? 0;
    return {
      id,
      name,
      kind,
      active: id === this.#active,
      main: id === MAIN,
      state: keys.state,
      canSend: keys.canSign,
      address: keys.state === 'ready' ? keys.key.address : null,
      total,
      tokens,
      height,
      searching: (height ?? -1) < tip,
      reading: wallet.reading ?? null,
    };
  }
}

async function startOne({ wallet, payments }: Account): Promise<void> {
  await wallet.start();
  await payments.start();
}
