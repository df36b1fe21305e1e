import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { type MinerChange, type NewMiner, PlanchetError } from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import type { EndpointTables, MinerEndpointRow } from './tables.ts';

/** The endpoints that a person added, and which built-in ones are switched off. */
export class EndpointStore {
  readonly #db: Kysely<EndpointTables>;
  readonly #clock: Clock;

  constructor({ store, clock }: { store: Store<EndpointTables>; clock: Clock }) {
    this.#db = store.db;
    this.#clock = clock;
  }

  /** In the order in which they are tried. */
  rows(): Promise<MinerEndpointRow[]> {
    return this.#db.selectFrom('miner_endpoints').selectAll().orderBy('position').execute();
  }

  /** Ids of the built-in endpoints that are switched off. */
  async switchedOff(): Promise<Set<string>> {
    const rows = await this.#db.selectFrom('miners_switched_off').selectAll().execute();
    return new Set(rows.map(({ id }) => id));
  }

  async switchBuiltIn(id: string, on: boolean): Promise<void> {
    if (on) await this.#db.deleteFrom('miners_switched_off').where('id', '=', id).execute();
    else
      await this.#db
        .insertInto('miners_switched_off')
        .values({ id })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
  }

  /** Puts it last. */
  async add({ name, kind, url, keyStyle, pinnedKey, enabled }: NewMiner): Promise<MinerEndpointRow> {
    return this.#db.transaction().execute(async (db) => {
      const { last } = await db
        .selectFrom('miner_endpoints')
        .select(({ fn }) => fn.max('position').as('last'))
        .executeTakeFirstOrThrow();
      const row: MinerEndpointRow = {
        id: randomUUID(),
        name,
        kind,
        url,
        enabled: enabled ? 1 : 0,
        position: (last ?? -1) + 1,
        public_key: pinnedKey,
        created_at: this.#clock.now(),
        key_style: keyStyle,
      };
      await db.insertInto('miner_endpoints').values(row).execute();
      return row;
    });
  }

  /** @throws PlanchetError `not-found` */
  async update({ id, name, url, keyStyle, pinnedKey, enabled }: MinerChange): Promise<MinerEndpointRow> {
    const row = await this.#db
      .updateTable('miner_endpoints')
      .set({
        // SQLite takes no empty list of changes
        id,
        ...(name !== undefined && { name }),
        ...(url !== undefined && { url }),
        ...(keyStyle !== undefined && { key_style: keyStyle }),
        ...(pinnedKey !== undefined && { public_key: pinnedKey }),
        ...(enabled !== undefined && { enabled: enabled ? 1 : 0 }),
      })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) throw new PlanchetError('merchant.miner-unknown', { id });
    return row;
  }

  /** Puts a row back that was removed. */
  async putBack(row: MinerEndpointRow): Promise<void> {
    await this.#db.insertInto('miner_endpoints').values(row).execute();
  }

  async remove(id: string): Promise<void> {
    await this.#db.deleteFrom('miner_endpoints').where('id', '=', id).execute();
  }

  /** @throws PlanchetError `conflict` if the ids are not those of all endpoints, each once; nothing is changed then */
  async reorder(ids: readonly string[]): Promise<void> {
    await this.#db.transaction().execute(async (db) => {
      const rows = await db.selectFrom('miner_endpoints').select('id').execute();
      const isComplete = rows.length === ids.length && rows.every(({ id }) => ids.includes(id));
      if (!isComplete) throw new PlanchetError('miners.order-incomplete');
      for (const [position, id] of ids.entries())
        await db.updateTable('miner_endpoints').set({ position }).where('id', '=', id).execute();
    });
  }
}
