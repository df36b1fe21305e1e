import type { Logger } from 'pino';
import { parseDuration } from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SettingsView } from '../../ports/settings.ts';

/** How often the idle time is looked at. */
const CHECK_MS = 5_000;

export interface IdleLockOptions {
  clock: Clock;
  /** Has `walletLockAfter`. */
  settings: Pick<SettingsView, 'current'>;
  logger: Logger;
  isOpen: () => boolean;
  /** Whether a job needs the keys now: the wallet stays open for its length. */
  isBusy: () => boolean;
  lock: () => Promise<unknown>;
}

/** Locks the wallet where nobody used it for as long as the setting says; `0` never locks it. */
export class IdleLock {
  readonly #options: IdleLockOptions;
  #lastUse: number;
  #cancel: (() => void) | undefined;

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

  #check(): void {
    const { clock, settings, isOpen, isBusy, lock, logger } = this.#options;
    const limit = parseDuration(settings.current().walletLockAfter) ?? 0;
    if (limit === 0 || !isOpen() || isBusy()) this.used();
    else if (clock.now() - this.#lastUse >= limit) {
      void lock().catch((error: unknown) => logger.warn({ err: error }, 'The wallet could not be locked.'));
    }
    this.#cancel = clock.after(CHECK_MS, () => this.#check());
  }
}
