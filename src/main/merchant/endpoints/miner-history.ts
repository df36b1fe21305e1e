import type { MinerHour, MinerQuote, minerHistoryContract, PastQuote, Serves } from '../../../contract/index.ts';
import { Sequencer } from '../../async/sequencer.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import type { EndpointTables, HourRow } from './tables.ts';

const HOUR_MS = 3_600_000;
/** Different offers that are kept of one miner. */
const MAX_QUOTES = 1_000;
/** How long figures of requests are kept. */
const HOURS_KEPT_MS = 90 * 24 * HOUR_MS;
/** Figures of requests reach the disk this late, in one transaction. */
const WRITE_AFTER_MS = 10_000;

type Offer = Omit<PastQuote, 'from' | 'until'>;

export interface MinerHistoryOptions {
  store: Store<EndpointTables>;
  clock: Clock;
  /** Called where something could not be stored. History is not worth failing a request for. */
  failed: (error: unknown) => void;
}

/** What miners offered and how their requests went, on disk and bounded. */
export class MinerHistory implements Serves<typeof minerHistoryContract> {
  readonly #options: MinerHistoryOptions;
  /** Requests that are not on disk yet, by miner and hour. */
  #unwritten = new Map<string, HourRow>();
  #cancelWrite: (() => void) | undefined;
  /** Writes go one after the other. */
  readonly #writing = new Sequencer();

  constructor(options: MinerHistoryOptions) {
    this.#options = options;
  }

  /** Notes an offer: a new line where it differs from the last one, else that one lasts longer. */
  quoted(minerId: string, { standard, data, relay, policies, apiVersion, at }: MinerQuote): void {
    const offer = JSON.stringify({ standard, data, relay, policies, apiVersion } satisfies Offer);
    this.#write(async () => {
      await this.#options.store.db.transaction().execute(async (db) => {
        const last = await db
          .selectFrom('miner_quotes')
          .select(['id', 'offer'])
          .where('miner_id', '=', minerId)
          .orderBy('id', 'desc')
          .executeTakeFirst();
        if (last?.offer === offer) {
          await db.updateTable('miner_quotes').set({ last_at: at }).where('id', '=', last.id).execute();
          return;
        }
        await db.insertInto('miner_quotes').values({ miner_id: minerId, first_at: at, last_at: at, offer }).execute();
        const old = db
          .selectFrom('miner_quotes')
          .select('id')
          .where('miner_id', '=', minerId)
          .orderBy('id', 'desc')
          .limit(-1)
          .offset(MAX_QUOTES);
        await db.deleteFrom('miner_quotes').where('id', 'in', old).execute();
      });
    });
  }

  /** Counts a request. @param ms how long it took */
  requested(minerId: string, { succeeded, ms }: { succeeded: boolean; ms: number }): void {
    const { clock } = this.#options;
    const at = Math.floor(clock.now() / HOUR_MS) * HOUR_MS;
    const key = `${minerId} ${at}`;
    let row = this.#unwritten.get(key);
    if (row === undefined) {
      row = { miner_id: minerId, at, succeeded: 0, failed: 0, total_ms: 0, slowest_ms: 0 };
      this.#unwritten.set(key, row);
    }
    if (succeeded) row.succeeded++;
    else row.failed++;
    row.total_ms += ms;
    row.slowest_ms = Math.max(row.slowest_ms, ms);
    this.#cancelWrite ??= clock.after(WRITE_AFTER_MS, () => this.#writeHours());
  }

  /** @param since the time from which on an offer counts, in milliseconds since 1970 */
  async quotes({ id, since }: { id: string; since: number }): Promise<PastQuote[]> {
    await this.#writing.idle();
    const rows = await this.#options.store.db
      .selectFrom('miner_quotes')
      .selectAll()
      .where('miner_id', '=', id)
      .where('last_at', '>=', since)
      .orderBy('id')
      .execute();
    return rows.map(({ first_at, last_at, offer }) => ({
      ...(JSON.parse(offer) as Offer),
      from: Number(first_at),
      until: Number(last_at),
    }));
  }

  /** @param since the time from which on an hour counts, in milliseconds since 1970 */
  async hours({ id, since }: { id: string; since: number }): Promise<MinerHour[]> {
    await this.#flush();
    const rows = await this.#options.store.db
      .selectFrom('miner_hours')
      .selectAll()
      .where('miner_id', '=', id)
      .where('at', '>', since - HOUR_MS)
      .orderBy('at')
      .execute();
    return rows.map(({ at, succeeded, failed, total_ms, slowest_ms }) => ({
      at: Number(at),
      succeeded,
      failed,
      meanMs: total_ms / (succeeded + failed),
      slowestMs: slowest_ms,
    }));
  }

  /** Forgets the endpoints that are no longer there. One that was just removed may come back until the next start. */
  async keepOnly(minerIds: readonly string[]): Promise<void> {
    const { db } = this.#options.store;
    await db.deleteFrom('miner_quotes').where('miner_id', 'not in', minerIds).execute();
    await db.deleteFrom('miner_hours').where('miner_id', 'not in', minerIds).execute();
  }

  /** Resolves when everything is on disk. */
  async close(): Promise<void> {
    await this.#flush();
  }

  #flush(): Promise<void> {
    this.#writeHours();
    return this.#writing.idle();
  }

  #writeHours(): void {
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    if (this.#unwritten.size === 0) return;
    const rows = [...this.#unwritten.values()];
    this.#unwritten = new Map();
    const { store, clock } = this.#options;
    this.#write(async () => {
      await store.db.transaction().execute(async (db) => {
        for (const row of rows) {
          await db
            .insertInto('miner_hours')
            .values(row)
            .onConflict((conflict) =>
              conflict.columns(['miner_id', 'at']).doUpdateSet((values) => ({
                succeeded: values('miner_hours.succeeded', '+', row.succeeded),
                failed: values('miner_hours.failed', '+', row.failed),
                total_ms: values('miner_hours.total_ms', '+', row.total_ms),
                slowest_ms: values.fn('max', ['miner_hours.slowest_ms', 'excluded.slowest_ms']),
              })),
            )
            .execute();
        }
        const oldest = clock.now() - HOURS_KEPT_MS;
        await db.deleteFrom('miner_hours').where('at', '<', oldest).execute();
      });
    });
  }

  #write(work: () => Promise<void>): void {
    void this.#writing.run(work).catch(this.#options.failed);
  }
}
