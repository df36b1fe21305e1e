import { chunks } from '../../chunks.ts';
import { CallbackClient } from '../merchant/callbacks/callback-client.ts';
import { DueLoop } from '../merchant/callbacks/due-loop.ts';
import type { SandboxParts } from '../parts.ts';
import type { ArcCallbacksTable, ArcWatchesTable } from './tables.ts';

/** Maximum messages in one request. */
const BATCH_MESSAGES = 50;
/** Maximum messages loaded at once. */
const LOADED = 1_000;
/** Maximum concurrent requests to one receiver, each about another transaction. */
const AT_ONCE = 8;
/** Delivered messages removed in one write. After a crash before it they are sent again. */
const REMOVED_TOGETHER = 100;
const TIMEOUT_MS = 5_000;
const MAX_ATTEMPTS = 10;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 24 * 3_600_000;

type Row = Pick<ArcCallbacksTable, 'sequence' | 'message' | 'attempts'> &
  Pick<ArcWatchesTable, 'url' | 'token' | 'batch'>;

type ArcDeliveryOptions = Pick<SandboxParts, 'db' | 'clock' | 'logger' | 'settings' | 'faults'>;

/**
 * Delivers the callbacks of ARC, with ten attempts within 24 hours. Messages about one transaction are sent in order: a failed one delays
 * the next. A message leaves the queue when its receiver answers 2xx.
 */
export class ArcDelivery {
  readonly #options: ArcDeliveryOptions;
  readonly #client: CallbackClient;
  /** Receivers with a running delivery. */
  readonly #busy = new Set<string>();
  readonly #loop: DueLoop;

  constructor(options: ArcDeliveryOptions) {
    this.#options = options;
    this.#client = new CallbackClient(options, AT_ONCE);
    this.#loop = new DueLoop({ ...options, look: () => this.#look() });
  }

  /** Checks for due messages, now and whenever the next one is due. */
  wake(): void {
    this.#loop.wake();
  }

  /** Aborts deliveries; the next start sends them again. */
  async close(): Promise<void> {
    this.#client.stop();
    await this.#loop.stop();
    await this.#client.close();
  }

  async #look(): Promise<number | undefined> {
    const receivers = Map.groupBy(await this.#due(), ({ url, token, batch }) => JSON.stringify([url, token, batch]));
    for (const [receiver, rows] of receivers) {
      if (this.#busy.has(receiver)) continue;
      this.#busy.add(receiver);
      this.#loop.run(this.#sendAll(rows).finally(() => this.#busy.delete(receiver)));
    }
    return this.#next();
  }

  /** Due messages, the oldest one of each transaction and receiver. */
  async #due(): Promise<Row[]> {
    const { db, clock } = this.#options;
    return db
      .selectFrom('arc_callbacks as c')
      .innerJoin('arc_watches as w', 'w.uid', 'c.watch_uid')
      .select(['c.sequence', 'c.message', 'c.attempts', 'w.url', 'w.token', 'w.batch'])
      .where('c.state', '=', 'waiting')
      .where('c.next_at', '<=', clock.now())
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('arc_callbacks as earlier')
              .select('earlier.sequence')
              .whereRef('earlier.watch_uid', '=', 'c.watch_uid')
              .where('earlier.state', '=', 'waiting')
              .whereRef('earlier.sequence', '<', 'c.sequence'),
          ),
        ),
      )
      .orderBy('c.sequence')
      .limit(LOADED)
      .execute();
  }

  /** When the next message that is not due yet becomes due. */
  async #next(): Promise<number | undefined> {
    const { db, clock } = this.#options;
    const row = await db
      .selectFrom('arc_callbacks')
      .select((eb) => eb.fn.min('next_at').as('at'))
      .where('state', '=', 'waiting')
      .where('next_at', '>', clock.now())
      .executeTakeFirst();
    return row?.at == null ? undefined : Number(row.at);
  }

  /** Sends messages to one receiver. @param rows each about another transaction */
  async #sendAll(rows: readonly Row[]): Promise<void> {
    const requests = [...chunks(rows, rows[0]?.batch === 1 ? BATCH_MESSAGES : 1)];
    let delivered: number[] = [];
    const worker = async (): Promise<void> => {
      for (let next = requests.shift(); next !== undefined && !this.#client.stopped; next = requests.shift()) {
        if (!(await this.#send(next))) continue;
        for (const { sequence } of next) delivered.push(sequence);
        if (delivered.length < REMOVED_TOGETHER) continue;
        const some = delivered;
        delivered = [];
        await this.#remove(some);
      }
    };
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
    } finally {
      await this.#remove(delivered);
    }
  }

  async #remove(sequences: readonly number[]): Promise<void> {
    if (sequences.length === 0) return;
    await this.#options.db.deleteFrom('arc_callbacks').where('sequence', 'in', sequences).execute();
  }

  /** @returns whether the messages are done */
  async #send(rows: readonly Row[]): Promise<boolean> {
    const failure = this.#options.faults.take('callbacks-lost') === undefined ? await this.#post(rows) : undefined;
    if (failure === undefined) return true;
    if (!this.#client.stopped) for (const row of rows) await this.#failed(row, failure.text);
    return false;
  }

  #post(rows: readonly Row[]): ReturnType<CallbackClient['post']> {
    const { url, token, batch } = rows[0] as Row;
    const messages = rows.map(({ message }) => message);
    return this.#client.post({
      url,
      headers: {
        'content-type': 'application/json',
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      },
      body: batch === 1 ? `{"count":${messages.length},"callbacks":[${messages.join(',')}]}` : (messages[0] as string),
      timeoutMs: TIMEOUT_MS,
    });
  }

  async #failed({ sequence, attempts, url }: Row, text: string): Promise<void> {
    const { db, clock, logger } = this.#options;
    const isLast = attempts + 1 >= MAX_ATTEMPTS;
    if (isLast) logger.warn({ origin: new URL(url).origin, error: text }, 'a callback of ARC was given up');
    await db
      .updateTable('arc_callbacks')
      .set({
        attempts: attempts + 1,
        next_at: clock.now() + retryMs(attempts + 1),
        last_error: text.slice(0, 300),
        state: isLast ? 'given-up' : 'waiting',
      })
      .where('sequence', '=', sequence)
      .execute();
  }
}

/** One second, then four times as long each: the ten attempts span 24 hours. */
function retryMs(attempts: number): number {
  return Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 4 ** (attempts - 1));
}
