import { parseOutpoint } from '../../chain/index.ts';
import {
  type ExternalWalletKey,
  type Network,
  PlanchetError,
  type SearchHit,
  type WalletAddress,
  type WalletBackup,
  type WalletBalance,
  type WalletCoin,
  type WalletConsolidate,
  type WalletHistoryEntry,
  type WalletNotice,
  type WalletSend,
  type WalletSendRequest,
  type WalletStatus,
  type WalletSweep,
  type WalletVault,
} from '../../contract/index.ts';
import { Sequencer } from '../async/sequencer.ts';
import type { LockableVault } from '../ports/secrets.ts';
import type { Store } from '../ports/store.ts';
import type { Accounts } from './accounts/accounts.ts';
import { restoreLabels } from './backup/backup-book.ts';
import type { WalletBackups } from './backup/wallet-backups.ts';
import { EMPTY_BALANCE, fullBalanceOf } from './coins/spendable.ts';
import type { KnownWallet } from './external/known-wallet.ts';
import { issuedKeys, issueNext } from './keys/issued-addresses.ts';
import type { MnemonicLength } from './keys/mnemonic.ts';
import type { WalletKey } from './keys/wallet-key.ts';
import { tokensOf } from './sending/send-draft.ts';
import type { WalletTables } from './tables.ts';
import type { Wallet } from './wallet.ts';
import { addressesOf, coinsOf, historyCsv, historyOf } from './wallet-lists.ts';
import { findInWallet } from './wallet-search.ts';

/** More of them are not told apart. */
const MAX_NOTICES = 50;

export interface WalletViewOptions {
  accounts: Accounts;
  network: Network;
  backups: WalletBackups;
  store: Store<WalletTables>;
  vault: LockableVault;
  /** Undefined where the vault has the keys. */
  external?: KnownWallet | undefined;
  /** Called when a person uses the wallet. */
  used: () => void;
  /** Called when the wallet is open for the length of a job. */
  forJob: () => void;
}

/** The wallet as a person sees and uses it: the active account, where nothing else is said. */
export class WalletView {
  readonly #options: WalletViewOptions;
  /** Addresses are given out one after the other, so that nobody is given that of another. */
  readonly #giving = new Sequencer();

  constructor(options: WalletViewOptions) {
    this.#options = options;
  }

  get accounts(): Accounts {
    return this.#options.accounts;
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

  /** Its own is an address of any account. */
  validateAddress(address: string): ReturnType<Wallet['validateAddress']> {
    const answers = this.accounts.all.map(({ wallet }) => wallet.validateAddress(address));
    return answers.find(({ own }) => own) ?? (answers[0] as ReturnType<Wallet['validateAddress']>);
  }

  /** What spent those of these outputs that belong to any account and are spent, by `<txid>_<vout>`. */
  spenders(outpoints: readonly string[]): Map<string, { txid: string; height: number | null }> {
    const found = new Map<string, { txid: string; height: number | null }>();
    for (const { wallet } of this.accounts.all) {
      for (const outpoint of outpoints) {
        const coin = wallet.book?.coins.get(outpoint);
        if (coin?.spentBy) found.set(outpoint, { txid: coin.spentBy, height: coin.spentHeight });
      }
    }
    return found;
  }

  balance(): WalletBalance {
    const { book } = this.#wallet;
    return book ? fullBalanceOf(book) : { ...EMPTY_BALANCE };
  }

  /** @throws PlanchetError `wallet-exists`, `vault-locked` */
  async create(words: MnemonicLength): Promise<WalletStatus> {
    this.#options.used();
    await this.#main.create(words);
    await this.accounts.reload();
    return this.status();
  }

  /** @throws PlanchetError `wallet-exists`, `vault-locked`, `invalid-input` */
  async restore(input: {
    words: string;
    passphrase?: string | undefined;
    birthHeight?: number | undefined;
  }): Promise<WalletStatus> {
    await this.#main.restore(input.words, {
      ...(input.passphrase === undefined ? {} : { passphrase: input.passphrase }),
      ...(input.birthHeight === undefined ? {} : { birthHeight: input.birthHeight }),
    });
    await this.accounts.reload();
    return this.status();
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
    if (forJob) this.#options.forJob();
    return this.status();
  }

  /** The wallet outside this process that signs; null where there is none. */
  external(): ExternalWalletKey | null {
    return this.#options.external?.view() ?? null;
  }

  /**
   * Takes another wallet for the one that signs, from now on.
   * @throws PlanchetError `conflict` where no wallet outside this process signs, `upstream-*` where it does not answer
   */
  async acceptExternal({ identityKey }: { identityKey: string }): Promise<WalletStatus> {
    const { external } = this.#options;
    if (external === undefined) throw new PlanchetError('wallet.no-external');
    this.#options.used();
    await external.accept(identityKey);
    await this.accounts.reload();
    return this.status();
  }

  /** The seed's words. @throws PlanchetError `vault-passphrase-wrong`, `vault-locked`, `wallet-missing` */
  async revealSeed(passphrase: string): Promise<{ words: string }> {
    this.#options.used();
    await this.#options.vault.prove(passphrase);
    return { words: this.#main.mnemonic() };
  }

  vault(): WalletVault {
    return this.#options.vault.access;
  }

  /** @throws PlanchetError `vault-passphrase-wrong`, `vault-locked`, `forbidden` where the person at the desktop did not allow it */
  async changePassphrase({ current, next }: { current: string; next: string }): Promise<WalletVault> {
    this.#options.used();
    await this.#options.vault.changePassphrase(current, next);
    return this.vault();
  }

  async listAddresses(): Promise<WalletAddress[]> {
    const { book, keys } = this.#wallet.open();
    this.#wallet.expectPayment();
    return addressesOf(book, await this.#issued(), (index) => keys.pathOf(index), await this.#labels());
  }

  /** @throws PlanchetError `conflict` where as many were given out after the last one that a block pays as a restore looks for; `not-running` while
   * the chain was not searched once, since those that were given out before a restore are not known then */
  nextAddress(label: string): Promise<WalletAddress> {
    this.#options.used();
    const wallet = this.#wallet;
    return this.#giving.run(() => this.#nextAddress(wallet, label));
  }

  async #nextAddress(wallet: Wallet, label: string): Promise<WalletAddress> {
    const { store } = this.#options;
    const { scope } = wallet;
    if (!wallet.open().keys.hasFurther) throw new PlanchetError('wallet.single-address');
    await wallet.requireSearched();
    const { keys, book } = wallet.open();
    wallet.expectPayment();
    const key = await issueNext(store.db, scope, { keys, book });
    if (label !== '') await this.#setLabel(`address:${key.address}`, label, scope);
    const [address] = addressesOf(book, [key], (at) => keys.pathOf(at), await this.#labels(scope));
    return address as WalletAddress;
  }

  async labelAddress({ address, label }: { address: string; label: string }): Promise<void> {
    const known = (await this.#issued()).some((key) => key.address === address);
    if (!known) throw new PlanchetError('wallet.subject-missing', { subject: address });
    await this.#setLabel(`address:${address}`, label);
  }

  async history({ limit, after }: { limit: number; after?: string | undefined }): Promise<{
    entries: WalletHistoryEntry[];
    next: string | null;
  }> {
    const all = historyOf(this.#wallet.open().book, await this.#labels());
    const from = after === undefined ? 0 : all.findIndex(({ txid }) => txid === after) + 1;
    const entries = all.slice(from, from + limit);
    return { entries, next: from + limit < all.length ? (entries.at(-1)?.txid ?? null) : null };
  }

  async exportHistory(format: 'csv' | 'json'): Promise<{ text: string }> {
    const entries = historyOf(this.#wallet.open().book, await this.#labels());
    return { text: format === 'csv' ? historyCsv(entries) : JSON.stringify(entries, null, 2) };
  }

  async labelTransaction({ txid, label }: { txid: string; label: string }): Promise<void> {
    const known = this.#wallet.open().book.transactions.has(txid);
    if (!known) throw new PlanchetError('wallet.subject-missing', { subject: txid });
    await this.#setLabel(`tx:${txid}`, label);
  }

  /** What happened to transactions of the active account, newest first, until it is dismissed. */
  async notices(): Promise<WalletNotice[]> {
    const rows = this.#options.store.db
      .selectFrom('wallet_notices')
      .selectAll()
      .where('network', '=', this.#wallet.scope)
      .orderBy('at', 'desc')
      .limit(MAX_NOTICES);
    return (await rows.execute()).map(({ id, kind, at, txids, height }) => ({
      id,
      kind,
      at: Number(at),
      txids: JSON.parse(txids) as string[],
      height: height === null ? null : Number(height),
    }));
  }

  async dismissNotice({ id }: { id: string }): Promise<void> {
    const { scope } = this.#wallet;
    await this.#options.store.db
      .deleteFrom('wallet_notices')
      .where('network', '=', scope)
      .where('id', '=', id)
      .execute();
  }

  async listCoins(): Promise<WalletCoin[]> {
    const { book, keys } = this.#wallet.open();
    return coinsOf(book, keys.all, await this.#labels());
  }

  /**
   * Freezes or thaws all of the coins or none. What is frozen can be thawed also where its coin is not known now.
   * @throws PlanchetError `not-found`, `conflict` where one is in use
   */
  async freeze({ outpoints, frozen }: { outpoints: string[]; frozen: boolean }): Promise<void> {
    this.#options.used();
    const wallet = this.#wallet;
    const { book } = wallet.open();
    await book.change((edit) => {
      for (const outpoint of outpoints) {
        const coin = edit.coin(outpoint);
        if (!edit.isFrozen(outpoint)) {
          if (!coin || coin.spentBy !== null) throw new PlanchetError('wallet.coin-missing', { outpoint });
          if (edit.ownerOf(outpoint) !== undefined) throw new PlanchetError('wallet.coin-in-use', { outpoint });
        }
        edit.setFrozen(outpoint, frozen);
      }
    });
    await this.#freezeEverywhere(outpoints, frozen);
    wallet.changed();
  }

  /** A freeze is one of the network: every account that may come to have the coin knows it. */
  async #freezeEverywhere(outpoints: readonly string[], frozen: boolean): Promise<void> {
    for (const { wallet } of this.accounts.all) {
      await wallet.book?.change((edit) => {
        for (const outpoint of outpoints) edit.setFrozen(outpoint, frozen);
      });
    }
  }

  async labelCoin({ outpoint, label }: { outpoint: string; label: string }): Promise<void> {
    parseOutpoint(outpoint);
    const coin = this.#wallet.open().book.coins.get(outpoint);
    if (!coin || coin.spentBy !== null) throw new PlanchetError('wallet.coin-missing', { outpoint });
    await this.#setLabel(`coin:${outpoint}`, label);
  }

  /** Tokens are sent by the account that has them, money by the active one. */
  prepareSend(input: { request: WalletSendRequest; idempotencyKey: string }): Promise<WalletSend> {
    this.#options.used();
    const tokens = tokensOf(input.request);
    const { active } = this.accounts;
    return (tokens.length === 0 ? active : this.accounts.holding(tokens)).payments.prepare(input);
  }

  /** Moves a token whole, whatever its output holds. */
  prepareTokenSend({
    outpoint,
    address,
    idempotencyKey,
  }: {
    outpoint: string;
    address: string;
    idempotencyKey: string;
  }): Promise<WalletSend> {
    const { satoshis = 1 } = this.accounts.holding([outpoint]).wallet.book?.coins.get(outpoint) ?? {};
    return this.prepareSend({ request: { token: outpoint, to: [{ address, satoshis }] }, idempotencyKey });
  }

  /** The label of the request becomes the label of its transaction. */
  async approveSend(input: { id: string; digest: string }): Promise<WalletSend> {
    this.#options.used();
    const { payments } = await this.accounts.ofPayment(input.id);
    const send = await payments.approve(input);
    const { request, transactions = [send] } = send;
    if (request.label === undefined) return send;
    const labels = await this.#labels();
    for (const { txid } of transactions) {
      const subject = `tx:${txid}`;
      // Approved again, it keeps the label that a person has given it since.
      if (txid !== null && !labels.has(subject)) await this.#setLabel(subject, request.label);
    }
    return send;
  }

  async cancelSend(input: { id: string }): Promise<WalletSend> {
    return (await this.accounts.ofPayment(input.id)).payments.cancel(input);
  }

  async retrySend(input: { id: string }): Promise<WalletSend> {
    return (await this.accounts.ofPayment(input.id)).payments.retry(input);
  }

  async getSend({ id }: { id: string }): Promise<WalletSend> {
    return (await this.accounts.ofPayment(id)).payments.get(id);
  }

  listSends(): Promise<WalletSend[]> {
    return this.accounts.active.payments.list();
  }

  /** Prepares a payment of free coins to the main address. @throws PlanchetError `funds-insufficient` where it would not pay */
  consolidate({ below, feeRate, idempotencyKey }: WalletConsolidate): Promise<WalletSend> {
    this.#options.used();
    return this.accounts.active.payments.consolidate({ below, feeRate, idempotencyKey });
  }

  /** Prepares a payment of everything in an account to the main one. See {@link Accounts.sweep}. */
  sweep(input: { account: string; feeRate?: number | undefined; idempotencyKey: string }): Promise<WalletSweep> {
    this.#options.used();
    return this.accounts.sweep(input);
  }

  backupStatus(): Promise<WalletBackup> {
    return this.#options.backups.status();
  }

  createBackup(passphrase: string): Promise<{ fileName: string; text: string }> {
    this.#options.used();
    return this.#options.backups.create(passphrase);
  }

  checkBackup(input: { text: string; passphrase: string }): Promise<WalletBackup> {
    return this.#options.backups.check(input);
  }

  /** Brings back the accounts, labels and frozen coins in a backup file of this wallet. @throws what {@link WalletBackups.check} throws */
  async restoreBook(input: {
    text: string;
    passphrase: string;
  }): Promise<{ accounts: number; labels: number; frozen: number }> {
    this.#options.used();
    const { accounts, labels, frozen, highest } = await this.#options.backups.read(input);
    const restored = await this.accounts.bringBack(accounts);
    for (const { account, ...to } of highest) {
      await this.accounts.all.find(({ id }) => id === account)?.wallet.followTo(to);
    }
    const { store, network } = this.#options;
    const ids = new Set(this.accounts.all.map(({ id }) => id));
    const theirs = labels.filter(({ account }) => ids.has(account));
    const { book } = this.#main.open();
    const fresh = frozen.filter((outpoint) => !book.frozen.has(outpoint));
    await this.#freezeEverywhere(fresh, true);
    for (const { wallet } of this.accounts.all) wallet.changed();
    return { accounts: restored, labels: await restoreLabels({ store, network }, theirs), frozen: fresh.length };
  }

  /** What of the active account has such a label or address. A locked wallet is searched by its labels alone. */
  async find(text: string, limit: number): Promise<SearchHit[]> {
    const issued = this.#wallet.book === undefined ? [] : await this.#issued();
    return findInWallet({ labels: await this.#labels(), addresses: issued.map(({ address }) => address) }, text, limit);
  }

  /** The labels of these addresses, transactions and coins of the active account. */
  async names(ids: readonly string[]): Promise<Map<string, string>> {
    const labels = await this.#labels();
    return new Map(
      ids.flatMap((id) => {
        const label = labels.get(`address:${id}`) ?? labels.get(`tx:${id}`) ?? labels.get(`coin:${id}`);
        return label === undefined ? [] : [[id, label] as const];
      }),
    );
  }

  /** Keys of the addresses that were given out or paid, the main one first. */
  async #issued(): Promise<WalletKey[]> {
    const { scope } = this.#wallet;
    return issuedKeys(this.#options.store.db, scope, this.#wallet.open());
  }

  async #labels(scope = this.#wallet.scope): Promise<Map<string, string>> {
    const labels = this.#options.store.db.selectFrom('wallet_labels').selectAll().where('network', '=', scope);
    const rows = await labels.execute();
    return new Map(rows.map(({ subject, label }) => [subject, label]));
  }

  async #setLabel(subject: string, label: string, scope = this.#wallet.scope): Promise<void> {
    await this.#options.store.db.transaction().execute(async (db) => {
      await db.deleteFrom('wallet_labels').where('network', '=', scope).where('subject', '=', subject).execute();
      if (label !== '') await db.insertInto('wallet_labels').values({ network: scope, subject, label }).execute();
    });
  }
}
