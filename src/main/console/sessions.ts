import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../ports/clock.ts';

const TOKEN_LIFE_MS = 600_000;
/** A session expires after this long without use. */
const SESSION_IDLE_MS = 7 * 86_400_000;
const MAX_OPEN_TOKENS = 64;
const MAX_SESSIONS = 64;

/**
 * One-time tokens and the sessions they are exchanged for. Only hashes are stored, so neither a memory dump nor the time of a comparison
 * reveals a token.
 */
export class Sessions {
  readonly #clock: Clock;
  /** Hash of a token → when it expires. */
  readonly #tokens = new Map<string, number>();
  /** Hash of a session's secret → when it was last used. */
  readonly #sessions = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param lasting valid until used, for the link printed at the start; any other token expires after ten minutes */
  createToken(lasting: boolean): string {
    const token = newSecret();
    makeRoom(this.#tokens, MAX_OPEN_TOKENS);
    this.#tokens.set(hashOf(token), lasting ? Number.POSITIVE_INFINITY : this.#clock.now() + TOKEN_LIFE_MS);
    return token;
  }

  /** Redeems a token once. @returns the secret of a new session, or undefined where the token is not valid */
  redeem(token: string): string | undefined {
    const hash = hashOf(token);
    const expires = this.#tokens.get(hash);
    this.#tokens.delete(hash);
    if (expires === undefined || expires <= this.#clock.now()) return undefined;
    const secret = newSecret();
    makeRoom(this.#sessions, MAX_SESSIONS);
    this.#sessions.set(hashOf(secret), this.#clock.now());
    return secret;
  }

  /** Whether the secret belongs to a live session. Using a session prolongs it. */
  isValid(secret: string): boolean {
    const hash = hashOf(secret);
    const used = this.#sessions.get(hash);
    if (used === undefined) return false;
    // Deleted and set again, so that the map is ordered by last use.
    this.#sessions.delete(hash);
    if (used + SESSION_IDLE_MS <= this.#clock.now()) return false;
    this.#sessions.set(hash, this.#clock.now());
    return true;
  }
}

/**
 * A token bucket that limits failed attempts. It slows down guessing; a right credential is never limited.
 */
export class FailureLimit {
  readonly #clock: Clock;
  readonly #burst: number;
  readonly #perSecond: number;
  #level: number;
  #at: number;

  constructor(clock: Clock, { burst, perSecond }: { burst: number; perSecond: number }) {
    this.#clock = clock;
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#level = burst;
    this.#at = clock.now();
  }

  /** Counts one failure. @returns whether it is still within the limit */
  take(): boolean {
    const now = this.#clock.now();
    this.#level = Math.min(this.#burst, this.#level + (Math.max(0, now - this.#at) / 1_000) * this.#perSecond);
    this.#at = now;
    if (this.#level < 1) return false;
    this.#level -= 1;
    return true;
  }
}

function makeRoom(map: Map<string, unknown>, limit: number): void {
  while (map.size >= limit) map.delete(map.keys().next().value as string);
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64');
}
