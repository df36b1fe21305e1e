import { randomUUID } from 'node:crypto';
import {
  type PairedOrigin,
  type PairingDecision,
  type PairingRequest,
  PlanchetError,
} from '../../../contract/index.ts';
import { BackOffs } from '../../async/back-off.ts';
import { isOver } from '../../async/left-until.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ApiKeyStore } from './api-key-store.ts';

/** How long a page waits for the user. */
const WAIT_MS = 120_000;
/** Most pending requests of different pages. */
const MAX_WAITING = 3;
/** Time until a refused page may ask again. It doubles with each refusal, up to the maximum. */
const BACK_OFF = { firstMs: 60_000, longestMs: 3_600_000 };
/** After this many refusals of any pages, no page may ask for a while, because one site can use any number of origins. */
const MOST_REFUSALS = 5;
const REFUSALS_MS = 600_000;
const MAX_REMEMBERED = 1_000;

/** Outcome of a page's request. */
export type PairingOutcome =
  | { readonly granted: { readonly paired: PairedOrigin; readonly username: string; readonly password: string } }
  | { readonly refused: string; readonly status: 403 | 429; readonly retryAfter?: number };

export interface PairingRequestsOptions {
  keyStore: ApiKeyStore;
  clock: Clock;
  /** Called with all pending requests whenever they change. */
  onChange: (waiting: PairingRequest[]) => void;
}

interface Waiting {
  readonly request: PairingRequest;
  /** @returns false if it had ended before */
  readonly end: (outcome: PairingOutcome) => boolean;
  /** It was let in, which is being saved. */
  isDecided: boolean;
}

/**
 * Pairing requests of web pages, which the user decides on. A page cannot insist: it may have one request at a time, and each refusal or
 * unanswered request makes it wait longer for the next.
 */
export class PairingRequests {
  readonly #options: PairingRequestsOptions;
  readonly #waiting = new Map<string, Waiting>();
  readonly #backOffs = new BackOffs(BACK_OFF, MAX_REMEMBERED);
  #refusals: number[] = [];

  constructor(options: PairingRequestsOptions) {
    this.#options = options;
  }

  /** Undecided requests, oldest first. */
  waiting(): PairingRequest[] {
    return [...this.#waiting.values()].map(({ request }) => request);
  }

  /**
   * Shows a page's request to the user and waits for the decision.
   * @param origin exact, as sent by the browser
   * @param code the code that the page shows, for the user to compare
   * @param signal withdraws the request
   */
  async ask(origin: string, code: string | null, signal: AbortSignal): Promise<PairingOutcome> {
    const { clock } = this.#options;
    const now = clock.now();
    const refused = this.#refusalOf(origin, now);
    if (refused !== undefined) return refused;
    const id = randomUUID();
    const request: PairingRequest = { id, origin, code, askedAt: now, expiresAt: now + WAIT_MS };
    return new Promise((resolve) => {
      const cancel = clock.after(WAIT_MS, () => {
        this.#backOff(origin);
        end({ refused: 'Nobody decided about this page in time.', status: 403 });
      });
      const withdraw = (): void => void end({ refused: 'The request was withdrawn.', status: 403 });
      const end = (outcome: PairingOutcome): boolean => {
        if (!this.#waiting.delete(id)) return false;
        cancel();
        signal.removeEventListener('abort', withdraw);
        this.#tell();
        resolve(outcome);
        return true;
      };
      this.#waiting.set(id, { request, end, isDecided: false });
      if (signal.aborted) return withdraw();
      signal.addEventListener('abort', withdraw, { once: true });
      this.#tell();
    });
  }

  /**
   * Carries out the user's decision. An accepted page gets its own key, which ends with the pairing.
   * @throws PlanchetError `not-found` if the request is gone or decided, `invalid-input` for an unknown command or an end in the past
   */
  async decide({ id, allow, methods, expiresAt }: PairingDecision): Promise<void> {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined || waiting.isDecided) throw new PlanchetError('gateway.pairing-gone');
    const { origin } = waiting.request;
    if (!allow) {
      this.#backOff(origin);
      waiting.end({ refused: 'The person at this machine did not let this page in.', status: 403 });
      return;
    }
    const { keyStore } = this.#options;
    const before = keyStore.origins().find((paired) => paired.origin === origin);
    waiting.isDecided = true;
    try {
      const granted = await keyStore.admit(origin, { methods, expiresAt });
      // The page left or was refused meanwhile, and will not learn its key.
      if (!waiting.end({ granted })) throw new PlanchetError('gateway.pairing-gone');
    } catch (error) {
      await keyStore.unpair(origin, before);
      if (before !== undefined) await keyStore.restorePairing(origin);
      throw error;
    } finally {
      waiting.isDecided = false;
    }
    this.#backOffs.letIn(origin);
  }

  /** Refuses all pending requests. */
  close(): void {
    for (const { end } of [...this.#waiting.values()]) end({ refused: 'The gateway is stopping.', status: 403 });
  }

  #refusalOf(origin: string, now: number): PairingOutcome | undefined {
    this.#refusals = this.#refusals.filter((at) => !isOver(REFUSALS_MS, at, now));
    const oldest = this.#refusals.at(-MOST_REFUSALS);
    if (oldest !== undefined) return tooOften(oldest + REFUSALS_MS - now);
    const left = this.#backOffs.left(origin, now);
    if (left > 0) return tooOften(left);
    const waiting = this.waiting();
    const again = waiting.some((request) => request.origin === origin);
    if (!again && waiting.length < MAX_WAITING) return undefined;
    return tooOften(Math.min(...waiting.map(({ expiresAt }) => expiresAt)) - now);
  }

  #backOff(origin: string): void {
    const now = this.#options.clock.now();
    this.#backOffs.turnedAway(origin, now);
    this.#refusals.push(now);
  }

  #tell(): void {
    this.#options.onChange(this.waiting());
  }
}

function tooOften(milliseconds: number): PairingOutcome {
  const refused = 'This page may not ask again yet.';
  return { refused, status: 429, retryAfter: Math.max(1, Math.ceil(milliseconds / 1_000)) };
}
