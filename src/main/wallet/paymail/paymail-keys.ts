import {
  mergedCheck,
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
    const told: ReviewCheck[] = [];
    for (const { paymail, key } of receivers) {
      const before = await this.#of(paymail);
      if (before === undefined && key === undefined) continue;
      const faults: Phrase[] = [];
      if (before !== undefined && key === undefined)
        faults.push(phrase('review.paymail-key.gone', { paymail, before }));
      else if (before !== undefined && key !== undefined && before !== key)
        faults.push(phrase('review.paymail-key.changed', { paymail, key, before }));
      const isFirst = before === undefined;
      const found = phrase(isFirst ? 'review.paymail-key.first' : 'review.paymail-key', { paymail, key: key ?? '' });
      told.push(reviewCheck('paymail-key', faults, found));
    }
    const [first, ...more] = told;
    return first === undefined ? [] : [mergedCheck([first, ...more])];
  }

  /** Remembers the keys of receivers whose payment is signed; one that is known stays. */
  async remember(receivers: readonly Pick<PaymailReceiver, 'paymail' | 'key'>[] = []): Promise<void> {
    for (const { paymail, key } of receivers) {
      if (key === undefined) continue;
      const row = this.#options.store.db.insertInto('wallet_labels').values({ ...this.#row(paymail), label: key });
      await row.onConflict((conflict) => conflict.columns(['network', 'subject']).doNothing()).execute();
    }
  }

  /** A person says that this is the key now. @param key empty where the host names none any more */
  async accept(paymail: string, key: string): Promise<void> {
    const row = this.#row(paymail);
    const { db } = this.#options.store;
    // in one statement: a program that ends between two would take any key as the first one
    if (key === '') {
      const labels = db.deleteFrom('wallet_labels').where('network', '=', row.network);
      await labels.where('subject', '=', row.subject).execute();
    } else {
      const labelled = db.insertInto('wallet_labels').values({ ...row, label: key });
      await labelled.onConflict((it) => it.columns(['network', 'subject']).doUpdateSet({ label: key })).execute();
    }
  }

  async #of(paymail: string): Promise<string | undefined> {
    const labels = this.#options.store.db.selectFrom('wallet_labels').select('label');
    return (await labels.where((is) => is.and(this.#row(paymail))).executeTakeFirst())?.label;
  }

  #row(paymail: string): { network: Network; subject: string } {
    return { network: this.#options.network, subject: `${SUBJECT}${paymail.trim().toLowerCase()}` };
  }
}
