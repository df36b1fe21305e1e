import { parseOutpoint } from '../../chain/index.ts';
import {
  type Contract,
  type Network,
  PlanchetError,
  type SearchHit,
  type Serves,
  type WalletAddress,
  type WalletHistoryEntry,
  type WalletNotice,
} from '../../contract/index.ts';
import { Sequencer } from '../async/sequencer.ts';
import type { Store } from '../ports/store.ts';
import type { Accounts } from './accounts/accounts.ts';
import { readPurposes } from './coins/purposes.ts';
import type { Contacts } from './contacts/contacts.ts';
import { issuedKeys, issueNext } from './keys/issued-addresses.ts';
import type { WalletKey } from './keys/wallet-key.ts';
import type { WalletTables } from './tables.ts';
import type { Wallet } from './wallet.ts';
import { addressesOf, coinsOf, historyCsv, historyOf } from './wallet-lists.ts';
import { findInWallet } from './wallet-search.ts';

/** Older ones are not listed. */
const MAX_NOTICES = 50;

export interface WalletRecordsOptions {
  network: Network;
  accounts: Accounts;
  contacts: Pick<Contacts, 'paidBy'>;
  store: Store<WalletTables>;
  /** Called when a person uses the wallet. */
  used: () => void;
}

/** The kinds of labels; the first one that an id has is its name. */
const nameSubjects = ['address', 'tx', 'coin', 'contact'] as const;

/** Further addresses beside the main one that a payment is looked for at, at every operator. */
const MOST_AWAITED = 2;

/** Addresses, history, notices and coins of the active account, with the labels that a person gave them. */
export class WalletRecords {
  readonly addresses = {
    list: async () => {
      const { coinStore, keys } = this.#wallet.open();
      const issued = await this.#issued();
      const unused = issued.slice(1).filter(({ index }) => !coinStore.used.has(index));
      this.#wallet.expectPayment([...issued.slice(0, 1), ...unused.slice(-MOST_AWAITED)]);
      return addressesOf(coinStore, issued, (index) => keys.pathOf?.(index) ?? '', await this.labels());
    },
    /**
     * @throws PlanchetError `conflict` where as many were given out after the last one that a block pays as a restore looks for; `not-running`
     * while the chain was not searched once, since those that were given out before a restore are not known then
     */
    next: ({ label }) => {
      this.#options.used();
      const wallet = this.#wallet;
      return this.#giving.run(() => this.#nextAddress(wallet, label));
    },
    label: async ({ address, label }) => {
      const known = (await this.#issued()).some((key) => key.address === address);
      if (!known) throw new PlanchetError('wallet.subject-missing', { subject: address });
      await this.setLabel(`address:${address}`, label);
    },
  } satisfies Serves<Contract['wallet']['addresses']>;

  readonly history = {
    list: async ({ limit, after }) => {
      const all = await this.#history();
      const from = after === undefined ? 0 : all.findIndex(({ txid }) => txid === after) + 1;
      const entries = all.slice(from, from + limit);
      return { entries, next: from + limit < all.length ? (entries.at(-1)?.txid ?? null) : null };
    },
    label: async ({ txid, label }) => {
      const known = this.#wallet.open().coinStore.transactions.has(txid);
      if (!known) throw new PlanchetError('wallet.subject-missing', { subject: txid });
      await this.setLabel(`tx:${txid}`, label);
    },
    export: async ({ format }) => {
      const entries = await this.#history();
      return { text: format === 'csv' ? historyCsv(entries) : JSON.stringify(entries, null, 2) };
    },
  } satisfies Serves<Contract['wallet']['history']>;

  /** What happened to transactions of the active account, newest first, until it is dismissed. */
  readonly notices = {
    list: async (): Promise<WalletNotice[]> => {
      const all = this.#options.store.db.selectFrom('wallet_notices').selectAll();
      const rows = all.where('network', '=', this.#wallet.scope).orderBy('at', 'desc').limit(MAX_NOTICES);
      return (await rows.execute()).map(({ id, kind, at, txids, height }) => ({
        id,
        kind,
        at: Number(at),
        txids: JSON.parse(txids) as string[],
        height: height === null ? null : Number(height),
      }));
    },
    dismiss: async ({ id }) => {
      const rows = this.#options.store.db.deleteFrom('wallet_notices').where('network', '=', this.#wallet.scope);
      await rows.where('id', '=', id).execute();
    },
  } satisfies Serves<Contract['wallet']['notices']>;

  readonly coins = {
    list: async () => {
      const { coinStore, keys } = this.#wallet.open();
      return coinsOf(coinStore, keys.all, await this.labels());
    },
    /**
     * Freezes or thaws all of the coins or none. What is frozen can be thawed also where its coin is not known now.
     * @throws PlanchetError `not-found`, `conflict` where one is in use
     */
    freeze: async ({ outpoints, frozen }) => {
      this.#options.used();
      const wallet = this.#wallet;
      const { coinStore } = wallet.open();
      await coinStore.change((edit) => {
        for (const outpoint of outpoints) {
          const coin = edit.coin(outpoint);
          if (!edit.isFrozen(outpoint)) {
            if (!coin || coin.spentBy !== null) throw new PlanchetError('wallet.coin-missing', { outpoint });
            if (edit.ownerOf(outpoint) !== undefined) throw new PlanchetError('wallet.coin-in-use', { outpoint });
          }
          edit.setFrozen(outpoint, frozen);
        }
      });
      await this.freezeEverywhere(outpoints, frozen);
      wallet.changed();
    },
    label: async ({ outpoint, label }) => {
      parseOutpoint(outpoint);
      const coin = this.#wallet.open().coinStore.coins.get(outpoint);
      if (!coin || coin.spentBy !== null) throw new PlanchetError('wallet.coin-missing', { outpoint });
      await this.setLabel(`coin:${outpoint}`, label);
    },
    beef: async ({ outpoint }) => new Blob([new Uint8Array(await this.#wallet.beef(outpoint))]),
  } satisfies Serves<Contract['wallet']['coins']>;

  readonly #options: WalletRecordsOptions;
  /** Addresses are given out one after the other, so that nobody is given that of another. */
  readonly #giving = new Sequencer();

  constructor(options: WalletRecordsOptions) {
    this.#options = options;
  }

  get #wallet(): Wallet {
    return this.#options.accounts.active.wallet;
  }

  async #nextAddress(wallet: Wallet, label: string): Promise<WalletAddress> {
    const { store } = this.#options;
    const { scope } = wallet;
    if (!wallet.open().keys.hasFurther) throw new PlanchetError('wallet.single-address');
    await wallet.requireSearched();
    const { keys, coinStore } = wallet.open();
    const key = await issueNext(store.db, scope, { keys, coinStore });
    wallet.expectPayment([keys.key, key]);
    if (label !== '') await this.setLabel(`address:${key.address}`, label);
    const [address] = addressesOf(coinStore, [key], (at) => keys.pathOf?.(at) ?? '', await this.labels());
    return address as WalletAddress;
  }

  /** A freeze is one of the network: every account that may come to have the coin knows it. */
  async freezeEverywhere(outpoints: readonly string[], frozen: boolean): Promise<void> {
    for (const { wallet } of this.#options.accounts.all) {
      await wallet.coinStore?.change((edit) => {
        for (const outpoint of outpoints) edit.setFrozen(outpoint, frozen);
      });
    }
  }

  /** Finds labels and addresses of the active account. Of a locked wallet only the labels are searched. */
  async find(text: string, limit: number): Promise<SearchHit[]> {
    const issued = this.#wallet.coinStore === undefined ? [] : await this.#issued();
    const addresses = issued.map(({ address }) => address);
    return findInWallet({ labels: await this.#ownLabels(addresses), addresses }, text, limit);
  }

  /** The labels of these addresses, transactions and coins, and the names of contacts. */
  async names(ids: readonly string[]): Promise<Map<string, string>> {
    const labels = await this.labels();
    return new Map(
      ids.flatMap((id) => {
        const label = nameSubjects.map((subject) => labels.get(`${subject}:${id}`)).find((one) => one !== undefined);
        return label === undefined ? [] : [[id, label] as const];
      }),
    );
  }

  /** Keys of the addresses that were given out or paid, the main one first. */
  async #issued(): Promise<WalletKey[]> {
    const { scope } = this.#wallet;
    return issuedKeys(this.#options.store.db, scope, this.#wallet.open());
  }

  async #history(): Promise<WalletHistoryEntry[]> {
    const { store, network } = this.#options;
    const wallet = this.#wallet;
    const [labels, purposes] = [await this.labels(), await readPurposes(store.db, network)];
    const contacts = await this.#options.contacts.paidBy();
    return historyOf(wallet.open().coinStore, labels, purposes, (txid) => wallet.toldBy(txid), contacts);
  }

  /** The labels of the network by their subject: `address:`, `tx:`, `coin:` or `contact:` and an id. */
  async labels(): Promise<Map<string, string>> {
    const { store, network } = this.#options;
    const rows = await store.db.selectFrom('wallet_labels').selectAll().where('network', '=', network).execute();
    return new Map(rows.map(({ subject, label }) => [subject, label]));
  }

  /** The labels of the active account; all of the network where it is locked, since its own are not known. @param addresses of the account */
  async #ownLabels(addresses: readonly string[]): Promise<Map<string, string>> {
    const labels = await this.labels();
    const { coinStore } = this.#wallet;
    if (coinStore === undefined) return labels;
    const own = new Set([
      ...addresses.map((address) => `address:${address}`),
      ...[...coinStore.transactions.keys()].map((txid) => `tx:${txid}`),
      ...[...coinStore.coins.keys()].map((outpoint) => `coin:${outpoint}`),
    ]);
    return new Map([...labels].filter(([subject]) => own.has(subject)));
  }

  /** @param label empty takes it away */
  async setLabel(subject: string, label: string): Promise<void> {
    const { store, network } = this.#options;
    await store.db.transaction().execute(async (db) => {
      await db.deleteFrom('wallet_labels').where('network', '=', network).where('subject', '=', subject).execute();
      if (label !== '') await db.insertInto('wallet_labels').values({ network, subject, label }).execute();
    });
  }
}
