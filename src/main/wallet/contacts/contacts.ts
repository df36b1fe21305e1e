import { sql } from 'kysely';
import { decodeAddress } from '../../../chain/index.ts';
import {
  type AddressNotes,
  type Contact,
  type Contract,
  type Network,
  PlanchetError,
  phrase,
  type ReviewCheck,
  reviewCheck,
  type Serves,
} from '../../../contract/index.ts';
import type { Store } from '../../ports/store.ts';
import { checkAddress } from '../keys/address-check.ts';
import { PaymailKeys } from '../paymail/paymail-keys.ts';
import { isPaymail, validatePaymail } from '../paymail/paymails.ts';
import type { WalletTables } from '../tables.ts';
import { LookAlikes } from './look-alikes.ts';

/** Subjects of the labels that are contacts: a backup takes them along with all labels. */
const SUBJECT = 'contact:';

export interface ContactsOptions {
  readonly network: Network;
  readonly store: Store<WalletTables>;
  /** Whether an address is one of any account here. */
  readonly isOwn: (address: string) => boolean;
}

/** What is known of addresses at one moment. */
export interface KnownAddresses {
  notesOf(address: string): AddressNotes;
  /** The address of a contact, by its name; upper and lower case are the same. Undefined also where several have it. */
  named(name: string): string | undefined;
}

/** Names that a person gave to addresses of others, and the warning of an address that only looks like a known one. */
export class Contacts implements Serves<Contract['wallet']['contacts']> {
  readonly #options: ContactsOptions;
  readonly keys: PaymailKeys;

  constructor(options: ContactsOptions) {
    this.#options = options;
    this.keys = new PaymailKeys(options);
  }

  /** By name. */
  async list(): Promise<Contact[]> {
    const { store, network } = this.#options;
    const labels = store.db.selectFrom('wallet_labels').selectAll().where('network', '=', network);
    return (await labels.where('subject', 'like', `${SUBJECT}%`).execute())
      .map(({ subject, label }) => ({ address: subject.slice(SUBJECT.length), name: label }))
      .sort((a, b) => a.name.localeCompare(b.name) || a.address.localeCompare(b.address));
  }

  /**
   * Names an address or a paymail address; one that has a name gets the new one.
   * @throws PlanchetError `address-*`, `invalid-input` for a name that is an address itself, `conflict` where another one has that name
   */
  async save({ address: typed, name }: { address: string; name: string }): Promise<Contact> {
    const { store, network } = this.#options;
    const address = isPaymail(typed) ? typed.trim().toLowerCase() : typed.trim();
    if (isPaymail(address)) {
      const { failure } = validatePaymail(address);
      if (failure !== null) throw new PlanchetError(failure);
    } else checkAddress(address, network);
    // Whoever types that address means the address, not the contact.
    if (isAddress(name)) throw new PlanchetError('wallet.contact-name-address', { name });
    const taken = (await this.list()).find((one) => one.address !== address && isSameName(one.name, name));
    if (taken !== undefined) throw new PlanchetError('wallet.contact-name-taken', taken);
    const row = store.db.insertInto('wallet_labels').values({ network, subject: `${SUBJECT}${address}`, label: name });
    await row.onConflict((other) => other.columns(['network', 'subject']).doUpdateSet({ label: name })).execute();
    return { address, name };
  }

  async remove({ address }: { address: string }): Promise<void> {
    const { store, network } = this.#options;
    const labels = store.db.deleteFrom('wallet_labels').where('network', '=', network);
    await labels.where('subject', '=', `${SUBJECT}${address}`).execute();
  }

  /** See {@link PaymailKeys.accept}. */
  async acceptKey({ address, key }: { address: string; key: string }): Promise<void> {
    await this.keys.accept(address, key);
  }

  /** Reads the contacts, and the receivers of signed payments. */
  async known(): Promise<KnownAddresses> {
    const contacts = await this.list();
    const names = new Map(contacts.map(({ address, name }) => [address, name]));
    // A contact is what an address is held against first.
    const alikes = [new LookAlikes(names.keys()), new LookAlikes(await this.#paid())];
    return {
      notesOf: (address) => {
        const contact = names.get(address) ?? null;
        if (contact !== null || this.#options.isOwn(address)) return { contact, resembles: null };
        for (const alike of alikes) {
          const other = alike.of(address);
          if (other !== undefined) return { contact, resembles: { address: other, name: names.get(other) ?? null } };
        }
        return { contact, resembles: null };
      },
      named: (name) => {
        const [one, ...others] = contacts.filter((contact) => isSameName(contact.name, name));
        return others.length === 0 ? one?.address : undefined;
      },
    };
  }

  /** Tells in a review of the first receiver that looks like another; nothing where none does. */
  async lookAlikeChecks(addresses: readonly string[]): Promise<ReviewCheck[]> {
    const { notesOf } = await this.known();
    for (const address of new Set(addresses)) {
      const { resembles } = notesOf(address);
      if (resembles === null) continue;
      const { address: other, name } = resembles;
      const told =
        name === null
          ? phrase('review.look-alike', { address, other })
          : phrase('review.look-alike.contact', { address, other, name });
      return [reviewCheck('look-alike', [], told)];
    }
    return [];
  }

  /** Names of the contacts that payments went to, by the id of their transaction. */
  async paidBy(): Promise<Map<string, string[]>> {
    // `cross join`: each receiver is looked up among the labels; else every payment is read once for each label.
    const { rows } = await sql<{ txid: string; name: string }>`
      select distinct send.txid as txid, label.label as name
      from wallet_sends as send,
        json_each(json_array(json_extract(send.request, '$.to'), json_extract(send.request, '$.paymails'))) as receivers,
        json_each(receivers.value) as receiver
      cross join wallet_labels as label
        on label.network = ${this.#options.network}
        and label.subject = ${SUBJECT} || coalesce(lower(receiver.value ->> 'paymail'), receiver.value ->> 'address')
      where send.txid is not null
    `.execute(this.#options.store.db);
    return new Map(
      [...Map.groupBy(rows, ({ txid }) => txid)].map(([txid, paid]) => [txid, paid.map(({ name }) => name).sort()]),
    );
  }

  /** Addresses that payments which were signed paid. */
  async #paid(): Promise<string[]> {
    const { rows } = await sql<{ address: string }>`
      select distinct json_extract(receiver.value, '$.address') as address
      from wallet_sends as send, json_each(send.request, '$.to') as receiver
      where send.txid is not null
    `.execute(this.#options.store.db);
    return rows.map(({ address }) => address);
  }
}

/** Whether a text is an address of any network, or a paymail address. */
function isAddress(text: string): boolean {
  if (validatePaymail(text).valid) return true;
  try {
    decodeAddress(text.trim());
    return true;
  } catch {
    return false;
  }
}

function isSameName(a: string, b: string): boolean {
  return nameOf(a) === nameOf(b);
}

/** A name as it is compared: it may come composed or decomposed, depending on the keyboard and on who wrote a list. */
export function nameOf(label: string): string {
  return label.normalize('NFC').trim().toLowerCase();
}

/** Whether a label is the name of a contact. */
export function isContact({ subject }: { subject: string }): boolean {
  return subject.startsWith(SUBJECT);
}
