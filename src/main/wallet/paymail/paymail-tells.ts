import type { Logger } from 'pino';
import { fromHex } from '../../../chain/index.ts';
import { type Failure, type PaymailReceiver, toFailure, type WalletSend } from '../../../contract/index.ts';
import { backOffMs } from '../../async/back-off.ts';
import { leftUntil } from '../../async/left-until.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import type { WalletTables } from '../tables.ts';
import type { Paymails } from './paymails.ts';

const AGAIN = { firstMs: 15_000, longestMs: 3_600_000 };
/** After so many attempts, which take a week, a host is not asked any more. Time during which the machine slept does not count. */
export const MOST_ATTEMPTS = 175;

type Row = WalletTables['wallet_paymail_tells'];

export interface PaymailTellsOptions {
  /** The account whose payments these are. */
  readonly scope: string;
  readonly store: Store<WalletTables>;
  readonly clock: Pick<Clock, 'now'>;
  readonly paymails: Pick<Paymails, 'tell'>;
  readonly logger: Logger;
  /** Called after a host was told, or not. */
  readonly changed: () => void;
}

/** Hosts of paymail addresses that have not been handed the transactions that pay them: noted before it is sent, tried until each took it. */
export class PaymailTells {
  readonly #options: PaymailTellsOptions;

  constructor(options: PaymailTellsOptions) {
    this.#options = options;
  }

  /** Notes whom to tell of a payment, before it leaves this process. Noted again, it stays one. */
  async note(sendId: string, receivers: readonly PaymailReceiver[]): Promise<void> {
    const { store, scope, clock } = this.#options;
    for (const [position, receiver] of receivers.entries())
      await store.db
        .insertInto('wallet_paymail_tells')
        .values({
          network: scope,
          send_id: sendId,
          position,
          receiver: JSON.stringify(receiver),
          attempts: 0,
          noted_at: clock.now(),
          next_at: clock.now(),
          failure: null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
  }

  /** The hosts that were not told of a payment, and why. */
  async of(sendId: string): Promise<NonNullable<WalletSend['untold']>> {
    const rows = await this.#rows().where('send_id', '=', sendId).orderBy('position').execute();
    return rows.map((row) => ({
      paymail: (JSON.parse(row.receiver) as PaymailReceiver).paymail,
      failure: row.failure === null ? null : (JSON.parse(row.failure) as Failure),
      isOver: isOver(row),
    }));
  }

  /** A paymail address whose host is still to be told; undefined where there is none. @param sentOf as in {@link work} */
  async untold(sentOf: (sendId: string) => Promise<string | undefined>): Promise<string | undefined> {
    for (const row of await this.#open())
      if ((await sentOf(row.send_id)) !== undefined) return (JSON.parse(row.receiver) as PaymailReceiver).paymail;
    return undefined;
  }

  /**
   * Tells those whose turn it is, all at once: one that does not answer keeps no other waiting.
   * @param sentOf the signed transaction (hex) of a payment that the network has; undefined for any other
   * @returns milliseconds until the next attempt; undefined where none is left
   */
  async work(
    sentOf: (sendId: string) => Promise<string | undefined>,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { clock } = this.#options;
    const times = await Promise.all(
      (await this.#open()).map(async (row) => {
        const rawTx = await sentOf(row.send_id);
        if (rawTx === undefined) return undefined;
        const left = leftUntil(Number(row.next_at), clock.now(), backOffMs(AGAIN, row.attempts));
        return left === 0 ? this.#tell(row, rawTx, signal) : clock.now() + left;
      }),
    );
    const next = Math.min(...times.filter((time) => time !== undefined));
    return Number.isFinite(next) ? Math.max(0, next - clock.now()) : undefined;
  }

  /** @returns when it is tried again; undefined where it is done, or was ended by the signal */
  async #tell(row: Row, rawTx: string, signal: AbortSignal): Promise<number | undefined> {
    const { paymails, clock, logger, store, changed } = this.#options;
    const receiver = JSON.parse(row.receiver) as PaymailReceiver;
    const here = { send_id: row.send_id, position: row.position };
    try {
      await paymails.tell(receiver, fromHex(rawTx), signal);
      await store.db
        .deleteFrom('wallet_paymail_tells')
        .where((is) => is.and(here))
        .execute();
      changed();
      return undefined;
    } catch (error) {
      if (signal.aborted) return undefined;
      const attempts = row.attempts + 1;
      const nextAt = clock.now() + backOffMs(AGAIN, attempts);
      if (attempts === 1) logger.warn({ err: error, send: row.send_id }, 'the host of a paymail was not told');
      const failure = JSON.stringify(toFailure(error));
      const values = { attempts, next_at: nextAt, failure };
      await store.db
        .updateTable('wallet_paymail_tells')
        .set(values)
        .where((is) => is.and(here))
        .execute();
      changed();
      return isOver({ attempts }) ? undefined : nextAt;
    }
  }

  async #open(): Promise<Row[]> {
    return (await this.#rows().execute()).filter((row) => !isOver(row));
  }

  #rows() {
    const { store, scope } = this.#options;
    return store.db.selectFrom('wallet_paymail_tells').selectAll().where('network', '=', scope);
  }
}

/** Whether a host is not asked any more. */
function isOver({ attempts }: Pick<Row, 'attempts'>): boolean {
  return attempts >= MOST_ATTEMPTS;
}
