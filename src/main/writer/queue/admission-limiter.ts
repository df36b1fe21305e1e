import { statfs } from 'node:fs/promises';
import type { Clock } from '../../ports/clock.ts';
import type { SettingsView } from '../../ports/settings.ts';
import type { AcceptLog } from '../acceptance/accept-log.ts';
import { WriteError, writeCodes } from '../write-errors.ts';
import type { WriteQueue } from './queue.ts';
import { openCounts } from './queue-figures.ts';

/** Bytes of bodies that may be in memory at once, on their way in or to the disk. */
const MAX_BYTES_IN_FLIGHT = 134_217_728;
const COUNT_EVERY_MS = 2_000;
const DISK_EVERY_MS = 1_000;
/** Counting may take at most one part in so many of the time. */
const COUNT_SHARE = 50;

export interface AdmissionLimiterOptions {
  queue: WriteQueue;
  log: AcceptLog;
  settings: SettingsView;
  clock: Clock;
  /** Folder whose disk holds the queue. */
  dataDir: string;
}

/** Refuses documents (429) before memory or the disk runs out, and while the queue is at its limit. */
export class AdmissionLimiter {
  readonly #options: AdmissionLimiterOptions;
  #inFlight = 0;
  #queued = 0;
  #countAt = Number.NEGATIVE_INFINITY;
  #counting = false;
  #free = Number.POSITIVE_INFINITY;
  #diskAt = Number.NEGATIVE_INFINITY;

  constructor(options: AdmissionLimiterOptions) {
    this.#options = options;
  }

  /** Measures the disk and the queue once, so that the first document is held to real figures. */
  async measure(): Promise<void> {
    await Promise.all([this.#count(), this.#measureDisk()]);
  }

  /**
   * Makes room for a body.
   * @param bytes what it may hold
   * @returns what gives the room back
   * @throws WriteError 429 with Retry-After
   */
  admit(bytes: number): () => void {
    this.refuseIfFull();
    if (this.#inFlight + bytes + this.#options.log.waitingBytes > MAX_BYTES_IN_FLIGHT)
      throw new WriteError(writeCodes.busy, 'write-api.busy-accepting', {}, { detail: { retryAfter: 1 } });
    this.#inFlight += bytes;
    let inside = true;
    return () => {
      if (inside) this.#inFlight -= bytes;
      inside = false;
    };
  }

  /** @throws WriteError 429 with Retry-After */
  refuseIfFull(): void {
    const { settings, clock } = this.#options;
    const { writerQueueLimit, writerMinFreeDisk } = settings.current();
    const now = clock.now();
    if (now >= this.#countAt) void this.#count();
    if (now - this.#diskAt >= DISK_EVERY_MS) void this.#measureDisk();
    if (this.#free < writerMinFreeDisk)
      throw new WriteError(writeCodes.busy, 'write-api.busy-disk', {}, { detail: { retryAfter: 60 } });
    const count = this.#queued;
    if (count >= writerQueueLimit)
      throw new WriteError(writeCodes.busy, 'write-api.busy-queue', { count }, { detail: { retryAfter: 5 } });
  }

  documentAccepted(): void {
    this.#queued += 1;
  }

  async #count(): Promise<void> {
    if (this.#counting) return;
    this.#counting = true;
    const { queue, clock } = this.#options;
    const started = performance.now();
    try {
      const { accepted = 0, funded = 0, signed = 0 } = await openCounts(queue);
      this.#queued = accepted + funded + signed;
    } catch {
      // The journal cannot be read: accepting fails by itself and says why.
    } finally {
      this.#counting = false;
      this.#countAt = clock.now() + Math.max(COUNT_EVERY_MS, (performance.now() - started) * COUNT_SHARE);
    }
  }

  async #measureDisk(): Promise<void> {
    this.#diskAt = this.#options.clock.now();
    const found = await statfs(this.#options.dataDir).catch(() => undefined);
    if (found !== undefined) this.#free = found.bavail * found.bsize;
  }
}
