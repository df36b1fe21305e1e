import type { Logger } from 'pino';
import type { MinerQuote } from '../../../contract/index.ts';
import { backOffMs } from '../../async/back-off.ts';
import { leftUntil } from '../../async/left-until.ts';
import type { Clock } from '../../ports/clock.ts';
import { validFor } from '../protocols/quote-validity.ts';
import type { MonitoredEndpoint } from './monitored-endpoint.ts';

/** A quote is read again when a tenth of its time is left, but not earlier than this before its end. */
const LONGEST_MARGIN_MS = 60_000;
/** Between two checks. */
const SHORTEST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 60_000;
/** Before the next reading of a quote that nobody asked for, and after a failure; doubled each time. */
const PAUSE = { firstMs: 600_000, longestMs: 6 * 3_600_000 };

export interface QuoteRenewalOptions {
  miners: { usable(): MonitoredEndpoint[] };
  clock: Clock;
  logger: Logger;
}

interface Pace {
  /** Readings in a row that failed. */
  failures: number;
  /** Readings in a row whose quote nobody asked for. */
  unused: number;
  /** Nothing is read before this time. */
  until: number;
}

/**
 * Reads the quotes of miners in use again shortly before they expire, so that no submission waits for one. A miner that is switched off or
 * was never asked is left alone, one whose quotes nobody uses is asked less and less often, and one that fails as well.
 */
export class QuoteRenewal {
  readonly #options: QuoteRenewalOptions;
  #paces = new Map<string, Pace>();
  #cancel: (() => void) | undefined;
  #isRunning = false;

  constructor(options: QuoteRenewalOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#wait(SHORTEST_WAIT_MS);
  }

  stop(): void {
    this.#isRunning = false;
    this.#cancel?.();
  }

  /** Reads what is about to expire. Never rejects. */
  async look(): Promise<void> {
    const usable = this.#options.miners.usable();
    const ids = new Set(usable.map(({ id }) => id));
    this.#paces = new Map([...this.#paces].filter(([id]) => ids.has(id)));
    await Promise.all(usable.map((miner) => this.#renew(miner)));
    if (this.#isRunning) this.#wait(this.#nextWait(usable));
  }

  async #renew(miner: MonitoredEndpoint): Promise<void> {
    const { clock, logger } = this.#options;
    const { offer } = miner;
    const now = clock.now();
    const pace = this.#paces.get(miner.id) ?? { failures: 0, unused: 0, until: 0 };
    if (offer === null) return;
    if (offer.used && pace.failures === 0) pace.until = 0;
    const margin = marginOf(offer.quote);
    if (validFor(offer.quote, now) > margin || leftUntil(pace.until, now, PAUSE.longestMs) > 0) return;
    this.#paces.set(miner.id, pace);
    try {
      await miner.renew(margin);
      pace.failures = 0;
      pace.unused = offer.used ? 0 : pace.unused + 1;
    } catch (error) {
      logger.debug({ err: error, miner: miner.name }, 'a quote could not be read before it expires');
      pace.failures += 1;
    }
    const steps = pace.failures + pace.unused;
    pace.until = steps === 0 ? 0 : now + backOffMs(PAUSE, steps);
  }

  #nextWait(miners: readonly MonitoredEndpoint[]): number {
    const now = this.#options.clock.now();
    const times = miners.flatMap(({ offer }) =>
      offer === null ? [] : [offer.quote.expiresAt - marginOf(offer.quote)],
    );
    return Math.max(SHORTEST_WAIT_MS, Math.min(LONGEST_WAIT_MS, ...times.map((time) => time - now)));
  }

  #wait(ms: number): void {
    // If it was stopped and started again during a check, a timer is already set.
    this.#cancel?.();
    this.#cancel = this.#options.clock.after(ms, () => void this.look());
  }
}

function marginOf({ at, expiresAt }: MinerQuote): number {
  return Math.min(LONGEST_MARGIN_MS, (expiresAt - at) / 10);
}
