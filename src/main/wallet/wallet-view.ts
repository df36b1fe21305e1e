import type { Logger } from 'pino';
import {
  type AddressNotes,
  type AppPaymentResult,
  type BroughtBack,
  type Contract,
  PlanchetError,
  type SearchHit,
  type Serves,
  type WalletBalance,
  type WalletConsolidate,
  type WalletSend,
  type WalletStatus,
  type WalletSweep,
} from '../../contract/index.ts';
import type { LockableVault } from '../ports/secrets.ts';
import type { SweepInput } from './accounts/account-sweep.ts';
import type { Accounts } from './accounts/accounts.ts';
import { type BackupContent, restoreWords } from './backup/backup-content.ts';
import type { WalletBackups } from './backup/wallet-backups.ts';
import { fullBalanceOf } from './coins/spendable.ts';
import type { Contacts } from './contacts/contacts.ts';
import type { AppPayments } from './external/app-payments.ts';
import type { KnownWallet } from './external/known-wallet.ts';
import type { MnemonicLength } from './keys/mnemonic.ts';
import type { RestoreOptions, Seed } from './keys/wallet-keys.ts';
import { isPaymail, validatePaymail } from './paymail/paymails.ts';
import type { Wallet } from './wallet.ts';
import { WalletRecords, type WalletRecordsOptions } from './wallet-records.ts';
import { WalletSends } from './wallet-sends.ts';

export interface WalletViewOptions extends WalletRecordsOptions {
  backups: WalletBackups;
  contacts: Contacts;
  vault: LockableVault;
  /** Undefined where the vault has the keys. */
  external?: KnownWallet | undefined;
  appPayments: Pick<AppPayments, 'pay'>;
  logger: Pick<Logger, 'error'>;
  /** Called when the wallet is open for the length of a job. */
  forJob: () => void;
}

const NO_NOTES: AddressNotes = { contact: null, resembles: null };

/** The wallet as a person sees and uses it: the active account, where nothing else is said. */
export class WalletView implements Serves<Contract['wallet']> {
  readonly accounts: Accounts;
  readonly send: WalletSends;
  readonly contacts: Contacts;
  readonly addresses: WalletRecords['addresses'];
  readonly history: WalletRecords['history'];
  readonly notices: WalletRecords['notices'];
  readonly coins: WalletRecords['coins'];

  /** The wallet outside this process that signs; null where there is none. */
  readonly external = {
    get: () => this.#options.external?.view() ?? null,
    /**
     * Takes another wallet for the one that signs, from now on.
     * @throws PlanchetError `conflict` where no wallet outside this process signs, `upstream-*` where it does not answer
     */
    accept: async ({ identityKey }) => {
      const { external } = this.#options;
      if (external === undefined) throw new PlanchetError('wallet.no-external');
      this.#options.used();
      await external.accept(identityKey);
      await this.accounts.reload();
      return this.status();
    },
  } satisfies Serves<Contract['wallet']['external']>;

  readonly seed = {
    /** The seed's words. @throws PlanchetError `vault-passphrase-wrong`, `vault-locked`, `wallet-missing` */
    reveal: async ({ passphrase }) => {
      this.#options.used();
      await this.#options.vault.prove(passphrase);
      return { words: this.#main.seedKeys.mnemonic() };
    },
  } satisfies Serves<Contract['wallet']['seed']>;

  readonly vault = {
    status: () => this.#options.vault.access(),
    /** @throws PlanchetError `vault-passphrase-wrong`, `vault-locked`, `forbidden` where the person at the desktop did not allow it */
    changePassphrase: async ({ current, next }) => {
      this.#options.used();
      await this.#options.vault.changePassphrase(current, next);
      return this.#options.vault.access();
    },
  } satisfies Serves<Contract['wallet']['vault']>;

  readonly backup = {
    status: () => this.#options.backups.status(),
    create: ({ passphrase }) => {
      this.#options.used();
      return this.#options.backups.create(passphrase);
    },
    check: (input) => this.#options.backups.check(input),
    /** Brings back the accounts, labels, purposes and frozen coins in a backup file of this wallet. @throws what {@link WalletBackups.check} throws */
    restore: async (input) => {
      this.#options.used();
      return this.#bringBack(await this.#options.backups.read(input));
    },
  } satisfies Serves<Contract['wallet']['backup']>;

  /** Payments that move one token whole, whatever its output holds. */
  readonly tokenSends = {
    prepare: ({ outpoint, address, idempotencyKey }) => {
      const { satoshis = 1 } = this.accounts.holding([outpoint]).wallet.coinStore?.coins.get(outpoint) ?? {};
      return this.send.prepare({ request: { token: outpoint, to: [{ address, satoshis }] }, idempotencyKey });
    },
    approve: (approval) => this.send.approve(approval),
    cancel: (payment) => this.send.cancel(payment),
    get: (payment) => this.send.get(payment),
  } satisfies Serves<Contract['tokens']['send']>;

  readonly #options: WalletViewOptions;
  readonly #records: WalletRecords;

  constructor(options: WalletViewOptions) {
    this.#options = options;
    this.accounts = options.accounts;
    this.contacts = options.contacts;
    this.#records = new WalletRecords(options);
    ({ addresses: this.addresses, history: this.history, notices: this.notices, coins: this.coins } = this.#records);
    this.send = new WalletSends(options.accounts, this.#records, options.used);
  }

  get #wallet(): Wallet {
    return this.accounts.active.wallet;
  }

  get #main(): Wallet {
    return this.accounts.main.wallet;
  }

  /** The main account: what pays for mints. */
  status(): WalletStatus {
    return this.#main.status();
  }

  /** An address of any account counts as the wallet's own. */
  async validateAddress({ address, paymail = false }: { address: string; paymail?: boolean }) {
    const isMail = paymail && isPaymail(address);
    const answer = isMail ? validatePaymail(address) : this.#check(address);
    // The payments are not read while an address is still being typed.
    if (!answer.valid) return { ...answer, ...NO_NOTES };
    const { notesOf } = await this.contacts.known();
    return { ...answer, ...notesOf(isMail ? address.trim().toLowerCase() : address.trim()) };
  }

  #check(address: string): ReturnType<Wallet['validateAddress']> {
    const answers = this.accounts.all.map(({ wallet }) => wallet.validateAddress(address));
    return answers.find(({ own }) => own) ?? (answers[0] as ReturnType<Wallet['validateAddress']>);
  }

  /** Tells of receivers whether each can be paid, and which contact it is or looks like. */
  async recipients() {
    const { notesOf, named } = await this.contacts.known();
    return { check: (address: string) => this.#check(address), notesOf, named };
  }

  /** The spending transactions of those of these outputs that any account has and that are spent, by `<txid>_<vout>`. */
  spenders(outpoints: readonly string[]): Map<string, { txid: string; height: number | null }> {
    const found = new Map<string, { txid: string; height: number | null }>();
    for (const { wallet } of this.accounts.all) {
      for (const outpoint of outpoints) {
        const coin = wallet.coinStore?.coins.get(outpoint);
        if (coin?.spentBy) found.set(outpoint, { txid: coin.spentBy, height: coin.spentHeight });
      }
    }
    return found;
  }

  balance(): WalletBalance {
    return fullBalanceOf(this.#wallet.coinStore);
  }

  /** @throws PlanchetError `wallet-exists`, `vault-locked` */
  async create({ words }: { words: MnemonicLength }): Promise<WalletStatus> {
    this.#options.used();
    await this.#main.create(words);
    await this.accounts.reload();
    return this.status();
  }

  /** @throws PlanchetError `wallet-exists`, `vault-locked`, `invalid-input` */
  async restore({ words, ...options }: RestoreOptions & { words: string }): Promise<WalletStatus> {
    await this.#main.restore(words, options);
    await this.accounts.reload();
    return this.status();
  }

  /** @throws PlanchetError `wallet-exists`, `vault-locked`, `vault-passphrase-wrong`, `invalid-input`, `conflict` for a backup of another network */
  async restoreBackup(file: { text: string; passphrase: string }) {
    const keep = async (seed: Seed): Promise<void> => {
      await this.#main.restoreSeed(seed);
      await this.accounts.reload();
    };
    const broughtBack = await this.#options.backups.restore(file, keep, (content) => this.#bringBack(content));
    return { ...this.status(), broughtBack };
  }

  /** Ends a restore from a backup file that broke off. Where it fails, that is logged, and the next opening tries it again. */
  async finishRestore(): Promise<void> {
    const { backups, logger } = this.#options;
    await backups
      .finish((content) => this.#bringBack(content))
      .catch((error: unknown) => logger.error({ err: error }, 'a restore is not finished'));
  }

  /** Restores the content of a backup beside the seed. @returns how many of each came back */
  async #bringBack(content: BackupContent): Promise<BroughtBack> {
    const { accounts, labels, purposes, frozen, highest } = content;
    const restored = await this.accounts.bringBack(accounts);
    for (const { account, ...to } of highest) {
      await this.accounts.all.find(({ id }) => id === account)?.wallet.followTo(to);
    }
    const { store, network } = this.#options;
    const { coinStore } = this.#main.open();
    const fresh = frozen.filter((outpoint) => !coinStore.frozen.has(outpoint));
    await this.#records.freezeEverywhere(fresh, true);
    for (const { wallet } of this.accounts.all) wallet.changed();
    const written = await restoreWords({ store, network }, { labels, purposes });
    return { accounts: restored, labels: written, frozen: fresh.length };
  }

  async lock(): Promise<WalletStatus> {
    this.#options.vault.lock();
    await this.accounts.reload();
    return this.status();
  }

  /** @param input.forJob locks again when no job runs any more @throws PlanchetError `vault-passphrase-wrong` */
  async unlock({ passphrase, forJob = false }: { passphrase: string; forJob?: boolean }): Promise<WalletStatus> {
    this.#options.used();
    await this.#options.vault.unlock(passphrase);
    await this.accounts.reload();
    await this.finishRestore();
    if (forJob) this.#options.forJob();
    return this.status();
  }

  /** See {@link AppPayments.pay}. */
  payFromApp(input: { address: string; satoshis: number }): Promise<AppPaymentResult> {
    this.#options.used();
    return this.#options.appPayments.pay(input);
  }

  /** Prepares a payment of free coins to the main address. @throws PlanchetError `funds-insufficient` where it would not pay */
  consolidate(input: WalletConsolidate): Promise<WalletSend> {
    this.#options.used();
    return this.accounts.active.payments.consolidate(input);
  }

  /** Prepares a payment of everything in an account to the main one. See {@link Accounts.sweep}. */
  sweep(input: SweepInput): Promise<WalletSweep> {
    this.#options.used();
    return this.accounts.sweep(input);
  }

  /** See {@link WalletRecords.find}. */
  find(text: string, limit: number): Promise<SearchHit[]> {
    return this.#records.find(text, limit);
  }

  /** See {@link WalletRecords.names}. */
  names(ids: readonly string[]): Promise<Map<string, string>> {
    return this.#records.names(ids);
  }
}
