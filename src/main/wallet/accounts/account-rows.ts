import type { Kysely, Selectable } from 'kysely';
import type { Network, WalletAccount } from '../../../contract/index.ts';
import type { WalletTables } from '../tables.ts';

/** Tables whose rows belong to one account, by the name of its scope. */
const SCOPED = [
  'wallet_coins',
  'wallet_blocks',
  'wallet_reservations',
  'wallet_pending',
  'wallet_disputes',
  'wallet_transactions',
  'wallet_notices',
  'wallet_state',
  'wallet_sends',
  'wallet_paymail_tells',
] as const satisfies readonly (keyof WalletTables)[];

/** Which addresses were given out and paid stays: an account of the seed that is made again has the same ones. */
const OF_ADDRESSES = ['wallet_addresses', 'wallet_used_keys'] as const satisfies readonly (keyof WalletTables)[];

/** The id of the account that pays for mints, tokens and documents. */
export const MAIN = 'main';

export type AccountRow = Selectable<WalletTables['wallet_accounts']>;

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
    const rows = this.#db.updateTable('wallet_accounts').set({ name }).where('network', '=', this.#network);
    await rows.where('id', '=', id).execute();
  }

  async active(): Promise<string> {
    const row = this.#db.selectFrom('wallet_active_account').select('id').where('network', '=', this.#network);
    return (await row.executeTakeFirst())?.id ?? MAIN;
  }

  async setActive(id: string): Promise<void> {
    const row = this.#db.insertInto('wallet_active_account').values({ network: this.#network, id });
    await row.onConflict((conflict) => conflict.column('network').doUpdateSet({ id })).execute();
  }

  /** Removes an account with all that is known of it but its addresses and labels; the main account is the active one then. */
  async remove({ id, kind }: { id: string; kind: WalletAccount['kind'] }): Promise<void> {
    await this.#db.transaction().execute(async (db) => {
      const scope = `${this.#network}/${id}`;
      const tables = kind === 'seed' ? SCOPED : [...SCOPED, ...OF_ADDRESSES];
      for (const table of tables) await db.deleteFrom(table).where('network', '=', scope).execute();
      await db.deleteFrom('wallet_accounts').where('network', '=', this.#network).where('id', '=', id).execute();
      await db.deleteFrom('wallet_active_account').where('network', '=', this.#network).where('id', '=', id).execute();
    });
  }
}
