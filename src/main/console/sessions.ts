import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Session } from '../../contract/index.ts';
import { leftUntil } from '../async/left-until.ts';
import type { Clock } from '../ports/clock.ts';

const TOKEN_LIFE_MS = 600_000;
/** A session expires after this long without use. */
const SESSION_IDLE_MS = 7 * 86_400_000;
/** However much it is used, a new link is needed after this. */
const SESSION_LIFE_MS = 30 * 86_400_000;
const CORRECTED_MS = 600_000;
const MAX_OPEN_TOKENS = 64;
const MAX_SESSIONS = 64;
const FAILURES_AT_ONCE = 20;
const FAILURES_A_SECOND = 0.5;

interface Kept {
  /** Public name. */
  readonly id: string;
  readonly browser: string;
  readonly since: number;
  lastSeen: number;
}

/**
 * One-time tokens and the sessions they are exchanged for. Only hashes are stored, so neither a memory dump nor the time of a comparison
 * reveals a token.
 */
export class Sessions {
  /** Called with the id of each session that ended: by a person, for a newer one, or in time. */
  onEnd: (id: string) => void = () => undefined;
  readonly #clock: Clock;
  /** By the hash of a token. */
  readonly #tokens = new Map<string, { readonly until: number; readonly lifeMs: number }>();
  /** By the hash of the session's secret, the longest unused first. */
  readonly #sessions = new Map<string, Kept>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param lasting valid until used, for the link printed at the start; any other token expires after ten minutes */
  createToken(lasting: boolean): string {
    const token = newSecret();
    makeRoom(this.#tokens, MAX_OPEN_TOKENS);
    const lifeMs = lasting ? Number.POSITIVE_INFINITY : TOKEN_LIFE_MS;
    this.#tokens.set(hashOf(token), { until: this.#clock.now() + lifeMs, lifeMs });
    return token;
  }

  /**
   * Redeems a token once. The session has a secret of its own, whatever the browser sent before; one it was signed in with ends.
   * @param from what is known of the browser: its `User-Agent`, and secrets of sessions that it sent
   * @returns the secret of a new session, or undefined where the token is not valid
   */
  redeem(
    token: string,
    from: { userAgent?: string | undefined; secrets?: readonly string[] } = {},
  ): string | undefined {
    const hash = hashOf(token);
    const kept = this.#tokens.get(hash);
    this.#tokens.delete(hash);
    const now = this.#clock.now();
    if (kept === undefined || leftUntil(kept.until, now, kept.lifeMs) === 0) return undefined;
    for (const before of from.secrets ?? []) {
      const earlier = this.#sessions.get(hashOf(before));
      if (earlier !== undefined) this.end(earlier.id);
    }
    const secret = newSecret();
    const [oldest] = this.#sessions.values();
    if (oldest !== undefined && this.#sessions.size >= MAX_SESSIONS) this.end(oldest.id);
    const session = { id: randomUUID(), browser: browserOf(from.userAgent ?? ''), since: now, lastSeen: now };
    this.#sessions.set(hashOf(secret), session);
    this.#endInTime(session);
    return secret;
  }

  /** The id of the live session of a secret. Using a session prolongs it, up to its longest life. */
  find(secret: string): string | undefined {
    const hash = hashOf(secret);
    const kept = this.#sessions.get(hash);
    if (kept === undefined) return undefined;
    const now = this.#clock.now();
    if (hasEnded(kept, now)) {
      this.end(kept.id);
      return undefined;
    }
    // Deleted and set again, so that the map is ordered by last use.
    this.#sessions.delete(hash);
    kept.lastSeen = now;
    this.#sessions.set(hash, kept);
    return kept.id;
  }

  /** Live sessions, the last used first. */
  list(): Session[] {
    const now = this.#clock.now();
    const live = [...this.#sessions.values()].filter((kept) => !hasEnded(kept, now));
    return live.map((kept) => ({ ...kept, expiresAt: expiryOf(kept) })).toReversed();
  }

  /** @returns whether there was one */
  end(id: string): boolean {
    for (const [hash, kept] of this.#sessions) {
      if (kept.id !== id) continue;
      this.#sessions.delete(hash);
      this.onEnd(id);
      return true;
    }
    return false;
  }

  /** Ends all sessions but one, and makes unused links invalid. @returns how many were ended */
  endOthers(id: string | undefined): number {
    this.#tokens.clear();
    return this.list().filter((one) => one.id !== id && this.end(one.id)).length;
  }

  /** What a session is being sent ends with it, also where nothing more is asked in it. */
  #endInTime(session: Kept): void {
    this.#clock.after(expiryOf(session) - this.#clock.now(), () => {
      if (hasEnded(session, this.#clock.now())) this.end(session.id);
      else this.#endInTime(session);
    });
  }
}

/** A clock that was set back to before the session began cannot tell its age. Corrections of a clock are smaller than {@link CORRECTED_MS}. */
function hasEnded(kept: Kept, now: number): boolean {
  return now < kept.since - CORRECTED_MS || expiryOf(kept) <= now;
}

function expiryOf({ since, lastSeen }: Kept): number {
  return Math.min(lastSeen + SESSION_IDLE_MS, since + SESSION_LIFE_MS);
}

const browsers = [
  [/\bEdg\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  // Without a window it calls itself HeadlessChrome.
  [/(?:\b|Headless)Chrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const;
const machines = [
  [/Windows/, 'Windows'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS X/, 'macOS'],
  [/Android/, 'Android'],
  [/Linux/, 'Linux'],
] as const;

/** Only words of this table: the header is anybody's text. */
function browserOf(userAgent: string): string {
  const named = (table: readonly (readonly [RegExp, string])[]): string | undefined =>
    table.find(([pattern]) => pattern.test(userAgent))?.[1];
  const [browser, machine] = [named(browsers), named(machines)];
  return browser === undefined ? '' : machine === undefined ? browser : `${browser} (${machine})`;
}

/** A token bucket that limits failed attempts. It slows down guessing; a right credential is never limited. */
export class FailureLimit {
  readonly #clock: Clock;
  #level = FAILURES_AT_ONCE;
  #at: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#at = clock.now();
  }

  /** Counts one failure. @returns whether it is still within the limit */
  take(): boolean {
    const now = this.#clock.now();
    const regained = (Math.max(0, now - this.#at) / 1_000) * FAILURES_A_SECOND;
    this.#level = Math.min(FAILURES_AT_ONCE, this.#level + regained);
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
