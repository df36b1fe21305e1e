import type { Kysely } from 'kysely';
import type { KeyUsage } from '../../../contract/index.ts';
import { Sequencer } from '../../async/sequencer.ts';
import type { Clock } from '../../ports/clock.ts';
import type { GatewayTables } from '../tables.ts';

const DAY_MS = 86_400_000;
/** Days that are kept. */
const DAYS = 30;
/** How long counts stay in memory alone. A crash loses the counts of one minute. */
const SAVE_MS = 60_000;

/** Characters of a command that are kept: it is what a client wrote. */
const MOST_METHOD = 64;

const none: KeyUsage = { calls: 0, errors: 0, bytes: 0 };

/** What each key was used for on each of the last days (UTC), and the command that it called last. */
export class UsageByKey {
  readonly #db: Kysely<GatewayTables>;
  readonly #clock: Clock;
  /** Key by key, day by day. */
  readonly #counted = new Map<string, Map<number, KeyUsage>>();
  readonly #methods = new Map<string, string>();
  readonly #unsaved = new Set<string>();
  readonly #saving = new Sequencer();
  #cancel: (() => void) | undefined;

  private constructor(db: Kysely<GatewayTables>, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  static async open(db: Kysely<GatewayTables>, clock: Clock): Promise<UsageByKey> {
    const usage = new UsageByKey(db, clock);
    for (const { key_id: id, day, calls, errors, bytes } of await db.selectFrom('gateway_usage').selectAll().execute())
      usage.#daysOf(id).set(day, { calls: Number(calls), errors: Number(errors), bytes: Number(bytes) });
    for (const { id, last_method: method } of await db
      .selectFrom('gateway_keys')
      .select(['id', 'last_method'])
      .execute())
      if (method !== null) usage.#methods.set(id, method);
    return usage;
  }

  /** Seconds until the next day begins. */
  get secondsLeft(): number {
    return Math.ceil((DAY_MS - (this.#clock.now() % DAY_MS)) / 1_000);
  }

  /** Counts a call that begins. @returns the calls of its key today, this one among them */
  take(id: string): number {
    return this.#add(id, { calls: 1, errors: 0, bytes: 0 }).calls;
  }

  /** Counts what came of a call. @param bytes of the answer. @param method empty where it was not read */
  note(id: string, hasFailed: boolean, bytes: number, method: string): void {
    if (method !== '') this.#methods.set(id, method.slice(0, MOST_METHOD));
    this.#add(id, { calls: 0, errors: hasFailed ? 1 : 0, bytes });
  }

  #add(id: string, more: KeyUsage): KeyUsage {
    const day = this.#today();
    const days = this.#daysOf(id);
    if (!days.has(day)) for (const old of days.keys()) if (old <= day - DAYS) days.delete(old);
    const sum = sumOf(days.get(day) ?? none, more);
    days.set(day, sum);
    this.#unsaved.add(id);
    this.#cancel ??= this.#clock.after(SAVE_MS, () => {
      this.#cancel = undefined;
      void this.save();
    });
    return sum;
  }

  today(id: string): KeyUsage {
    return this.#counted.get(id)?.get(this.#today()) ?? none;
  }

  /** Null before the first call. */
  lastMethod(id: string): string | null {
    return this.#methods.get(id) ?? null;
  }

  /** Of the last thirty days, today among them. */
  month(id: string): KeyUsage {
    let sum = none;
    for (const [day, used] of this.#counted.get(id) ?? []) if (day > this.#today() - DAYS) sum = sumOf(sum, used);
    return sum;
  }

  /** Saves what was counted. A failure is tried again with the next count. */
  async save(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    await this.#saving.run(() => this.#write()).catch(() => undefined);
  }

  async #write(): Promise<void> {
    const ids = [...this.#unsaved];
    if (ids.length === 0) return;
    this.#unsaved.clear();
    const day = this.#today();
    try {
      await this.#db.transaction().execute(async (tx) => {
        await tx
          .deleteFrom('gateway_usage')
          .where('day', '<=', day - DAYS)
          .execute();
        for (const id of ids) {
          const last_method = this.lastMethod(id);
          await tx.updateTable('gateway_keys').set({ last_method }).where('id', '=', id).execute();
          for (const [at, figures] of this.#daysOf(id))
            if (at >= day - 1)
              await tx
                .replaceInto('gateway_usage')
                .values({ key_id: id, day: at, ...figures })
                .execute();
        }
      });
    } catch (error) {
      for (const id of ids) this.#unsaved.add(id);
      throw error;
    }
  }

  #today(): number {
    return Math.floor(this.#clock.now() / DAY_MS);
  }

  #daysOf(id: string): Map<number, KeyUsage> {
    const days = this.#counted.get(id) ?? new Map<number, KeyUsage>();
    this.#counted.set(id, days);
    return days;
  }
}

function sumOf(a: KeyUsage, b: KeyUsage): KeyUsage {
  return { calls: a.calls + b.calls, errors: a.errors + b.errors, bytes: a.bytes + b.bytes };
}
