import type { Logger } from 'pino';
import { parseDuration } from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SettingsView } from '../../ports/settings.ts';

/** How often the idle time is looked at. */
const CHECK_MS = 5_000;

export interface IdleLockOptions {
  clock: Clock;
  settings: Pick<SettingsView, 'current'>;
  logger: Logger;
  isOpen: () => boolean;
  /** Whether a job needs the keys now: the wallet stays open for its length. */
  isBusy: () => boolean;
  lock: () => Promise<unknown>;
}

/** A wallet that was opened for a job is locked again where none begins for so long. */
const JOB_BEGINS_MS = 60_000;

/** Locks the wallet where nobody used it for as long as the setting says; `0` never locks it. */
export class IdleLock {
  readonly #options: IdleLockOptions;
  #lastUse: number;
  #cancel: (() => void) | undefined;
  /** Set where the wallet locks as soon as no job needs it; until then, when one must have begun. */
  #afterJob: { waitsUntil: number } | undefined;

  constructor(options: IdleLockOptions) {
    this.#options = options;
    this.#lastUse = options.clock.now();
  }

  start(): void {
    this.used();
    this.#cancel ??= this.#options.clock.after(CHECK_MS, () => this.#check());
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** A person did something with the wallet. */
  used(): void {
    this.#lastUse = this.#options.clock.now();
  }

  /** The wallet was opened for a job: it locks again once no job needs it. */
  forJob(): void {
    this.#afterJob = { waitsUntil: this.#options.clock.now() + JOB_BEGINS_MS };
  }

  /** The computer goes to sleep: the wallet locks, at once or when the job that needs it has ended. */
  async sleep(): Promise<void> {
    const { isOpen, isBusy } = this.#options;
    if (!isOpen()) return;
    if (isBusy()) this.#afterJob = { waitsUntil: 0 };
    else await this.#lock();
  }

  async #lock(): Promise<void> {
    const { lock, logger } = this.#options;
    this.#afterJob = undefined;
    await lock().catch((error: unknown) => logger.warn({ err: error }, 'The wallet could not be locked.'));
  }

  #check(): void {
    const { clock, settings, isOpen, isBusy } = this.#options;
    const limit = parseDuration(settings.current().walletLockAfter) ?? 0;
    const now = clock.now();
    // a clock that was put back begins the waits anew
    this.#lastUse = Math.min(this.#lastUse, now);
    const after = this.#afterJob;
    if (after) after.waitsUntil = isBusy() ? 0 : Math.min(after.waitsUntil, now + JOB_BEGINS_MS);
    if (!isOpen()) this.#afterJob = undefined;
    else if (after && !isBusy() && now >= after.waitsUntil) void this.#lock();
    if (limit === 0 || !isOpen() || isBusy()) this.used();
    else if (now - this.#lastUse >= limit) void this.#lock();
    this.#cancel = clock.after(CHECK_MS, () => this.#check());
  }
}
