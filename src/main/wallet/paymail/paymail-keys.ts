import {
  type Network,
  type PaymailReceiver,
  type Phrase,
  phrase,
  type ReviewCheck,
  reviewCheck,
} from '../../../contract/index.ts';
import type { Store } from '../../ports/store.ts';
import type { WalletTables } from '../tables.ts';

/** Subjects of the labels that are identity keys of paymail addresses: a backup takes them along with all labels. */
const SUBJECT = 'paymail-key:';

export interface PaymailKeysOptions {
  readonly network: Network;
  readonly store: Store<WalletTables>;
}

/** The identity key of each paymail address, as its host named it when it was first paid: another one is for a person to accept. */
export class PaymailKeys {
  readonly #options: PaymailKeysOptions;

  constructor(options: PaymailKeysOptions) {
    this.#options = options;
  }

  /** Tells in a review whose keys these are; fails where one is another than before. Nothing where no key is named or known. */
  async checks(receivers: readonly Pick<PaymailReceiver, 'paymail' | 'key'>[] = []): Promise<ReviewCheck[]> {
    const faults: Phrase[] = [];
    let told: Phrase | undefined;
    for (const { paymail, key } of receivers) {
      const before = await this.#of(paymail);
      if (key === undefined && before === undefined) continue;
      if (key === undefined) faults.push(phrase('review.paymail-key.gone', { paymail, before: before ?? '' }));
      else if (before !== undefined && before !== key)
        faults.push(phrase('review.paymail-key.changed', { paymail, key, before }));
      else told ??= phrase(before === undefined ? 'review.paymail-key.first' : 'review.paymail-key', { paymail, key });
    }
    if (faults.length === 0 && told === undefined) return [];
    return [reviewCheck('paymail-key', faults, told ?? phrase('review.paymail-key', { paymail: '', key: '' }))];
  }

  /** Remembers the keys of receivers whose payment is signed; one that is known stays. */
  async remember(receivers: readonly Pick<PaymailReceiver, 'paymail' | 'key'>[] = []): Promise<void> {
    for (const { paymail, key } of receivers)
      if (key !== undefined)
        await this.#options.store.db
          .insertInto('wallet_labels')
          .values({ ...this.#row(paymail), label: key })
          .onConflict((conflict) => conflict.columns(['network', 'subject']).doNothing())
          .execute();
  }

  /** A person says that this is the key now. @param key empty where the host names none any more */
  async accept(paymail: string, key: string): Promise<void> {
    const { network, subject } = this.#row(paymail);
    await this.#options.store.db
      .deleteFrom('wallet_labels')
      .where('network', '=', network)
      .where('subject', '=', subject)
      .execute();
    if (key !== '') await this.remember([{ paymail, key }]);
  }

  async #of(paymail: string): Promise<string | undefined> {
    const { network, subject } = this.#row(paymail);
    const row = await this.#options.store.db
      .selectFrom('wallet_labels')
      .select('label')
      .where('network', '=', network)
      .where('subject', '=', subject)
      .executeTakeFirst();
    return row?.label;
  }

  #row(paymail: string): { network: Network; subject: string } {
    return { network: this.#options.network, subject: `${SUBJECT}${paymail.trim().toLowerCase()}` };
  }
}
