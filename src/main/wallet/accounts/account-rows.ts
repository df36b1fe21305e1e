import type { Kysely, Selectable } from 'kysely';
import type { Network } from '../../../contract/index.ts';
import type { WalletTables } from '../tables.ts';

/** The id of the account that pays for mints, tokens and documents. */
export const MAIN = 'main';

export type AccountRow = Selectable<WalletTables['wallet_accounts']>;

/** The accounts of one network in the store. */
export class AccountRows {
  readonly #db: Kysely<WalletTables>;
  readonly #network: Network;

  constructor(db: Kysely<WalletTables>, network: Network) {
    this.#db = db;
    this.#network = network;
  }

  /** The oldest first. */
  all(): Promise<AccountRow[]> {
    const rows = this.#db.selectFrom('wallet_accounts').selectAll().where('network', '=', this.#network);
    return rows.orderBy('created_at').orderBy('id').execute();
  }

  async insert(row: Omit<AccountRow, 'network'>): Promise<AccountRow> {
    const whole = { network: this.#network, ...row };
    await this.#db.insertInto('wallet_accounts').values(whole).execute();
    return whole;
  }

  async rename(id: string, name: string): Promise<void> {
    await this.#db
      .updateTable('wallet_accounts')
      .set({ name })
      .where('network', '=', this.#network)
      .where('id', '=', id)
      .execute();
  }

  async active(): Promise<string> {
    const row = this.#db.selectFrom('wallet_active_account').select('id').where('network', '=', this.#network);
    return (await row.executeTakeFirst())?.id ?? MAIN;
  }

  async setActive(id: string): Promise<void> {
    await this.#db
      .insertInto('wallet_active_account')
      .values({ network: this.#network, id })
      .onConflict((conflict) => conflict.column('network').doUpdateSet({ id }))
      .execute();
  }
}
