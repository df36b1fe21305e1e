import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import {
  type Contract,
  type GatewayKey,
  type NewGatewayKey,
  type PairedOrigin,
  PlanchetError,
  type Serves,
  USUAL_BODY_BYTES,
} from '../../../contract/index.ts';
import type { Asker } from '../../async/asker.ts';
import { isOver } from '../../async/left-until.ts';
import { sameSecret } from '../../local-server.ts';
import type { Clock } from '../../ports/clock.ts';
import { findBroadcastMethod, findMethod } from '../methods/method-registry.ts';
import type { GatewayTables } from '../tables.ts';
import { UsageByKey } from './key-usage.ts';

/** Interval at which the last use of a key is saved. */
const NOTE_USE_MS = 60_000;
const MAX_KEYS = 1_000;
const MAX_ORIGINS = 100;
/** How long a revoked key or an ended pairing can be restored. The page offers it while its view is open. */
const RESTORABLE_MS = 86_400_000;

type KeyRow = GatewayTables['gateway_keys'];

export interface Client {
  /** Name in the traffic. */
  readonly name: string;
  /** Id of its key; undefined for the user and the cookie. */
  readonly keyId?: string;
  /** Why the client may not call a command; undefined if it may. */
  mayCall(method: string): string | undefined;
  /** Uses one call of the client's rate and day; false if either is used up. */
  take(): boolean;
  /** Counts what came of a call that was taken. @param status of HTTP. @param bytes of the answer. @param method left out where it was not read */
  count?(status: number, bytes: number, method?: string): void;
  /** Why {@link take} refused, and the seconds after which to try again; undefined for the rate. */
  refusal?(): { readonly text: string; readonly seconds: number } | undefined;
  /** Most bytes of a request body; undefined for the limit of the port. */
  readonly bodyBytes?: number;
  stillValid(): boolean;
}

/** The refusal for a client whose rate or day is used up. */
export function tooOften(client: Client): { readonly text: string; readonly seconds: number } {
  const text = `${client.name} calls more often than its key allows. Wait a second, or give it a key with a higher rate under Gateway, Keys.`;
  return client.refusal?.() ?? { text, seconds: 1 };
}

/** Fraction of a key's daily calls at which the user is notified. */
const NEAR = 0.8;

/** Named keys and paired origins in the application's database. All of them are also in memory, because every request needs them. */
export class ApiKeyStore implements Serves<Contract['gateway']['keys']> {
  readonly #db: Kysely<GatewayTables>;
  readonly #clock: Clock;
  readonly #keys = new Map<string, KeyRow>();
  readonly #origins = new Map<string, PairedOrigin>();
  readonly #unpaired = new Map<string, { paired: PairedOrigin; at: number }>();
  readonly #buckets = new Map<string, { left: number; at: number }>();
  readonly #usage: UsageByKey;
  /** What public services were asked for each client, by id of its key. */
  askers: () => readonly Readonly<Pick<Asker, 'name' | 'asked' | 'waiting'>>[] = () => [];
  /** Called when a key has used most, or all, of its daily calls. */
  onBudget: (key: {
    readonly id: string;
    readonly name: string;
    readonly calls: number;
    readonly limit: number;
  }) => void = () => undefined;

  private constructor(db: Kysely<GatewayTables>, clock: Clock, usage: UsageByKey) {
    this.#db = db;
    this.#clock = clock;
    this.#usage = usage;
  }

  /** Saves what was counted. */
  close(): Promise<void> {
    return this.#usage.save();
  }

  static async open(db: Kysely<GatewayTables>, clock: Clock): Promise<ApiKeyStore> {
    const keyStore = new ApiKeyStore(db, clock, await UsageByKey.open(db, clock));
    for (const row of await db.selectFrom('gateway_keys').selectAll().execute()) keyStore.#keys.set(row.id, row);
    for (const row of await db.selectFrom('gateway_origins').selectAll().execute()) {
      const { origin, created_at: createdAt, expires_at: expiresAt, key_id: keyId } = row;
      keyStore.#origins.set(origin, { origin, createdAt, expiresAt, keyId });
    }
    return keyStore;
  }

  list(): GatewayKey[] {
    return [...this.#keys.values()].map((row) => this.#keyOf(row)).sort((a, b) => b.createdAt - a.createdAt);
  }

  /**
   * Creates a key. Its secret is returned only here, and only its salted hash is stored.
   * @throws PlanchetError `invalid-input` for an unknown command or an end in the past; `conflict` for a name in use
   */
  async create(wanted: NewGatewayKey): Promise<{ key: GatewayKey; username: string; password: string }> {
    const now = this.#clock.now();
    const unknown = wanted.methods?.find(
      (method) => findMethod(method) === undefined && findBroadcastMethod(method) === undefined,
    );
    if (unknown !== undefined) {
      throw new PlanchetError('gateway.method-unknown', { method: unknown }, { detail: { field: 'methods' } });
    }
    if (wanted.expiresAt !== null && wanted.expiresAt <= now) {
      throw new PlanchetError('gateway.key-expired', {}, { detail: { field: 'expiresAt' } });
    }
    this.#requireFree(wanted.name);
    const { password, salt, hash } = newSecret();
    const row: KeyRow = {
      id: `key-${randomUUID().slice(0, 13)}`,
      name: wanted.name,
      salt,
      hash,
      methods: wanted.methods === null ? null : JSON.stringify([...new Set(wanted.methods)]),
      rate: wanted.rate,
      body_bytes: wanted.bodyBytes,
      created_at: now,
      expires_at: wanted.expiresAt,
      revoked_at: null,
      last_used_at: null,
      daily_calls: wanted.dailyCalls ?? null,
      last_method: null,
    };
    // In memory first, so that nothing else gets its name meanwhile. Nobody has its secret yet.
    this.#keys.set(row.id, row);
    try {
      await this.#db.insertInto('gateway_keys').values(row).execute();
    } catch (error) {
      this.#keys.delete(row.id);
      throw error;
    }
    return { key: this.#keyOf(row), username: row.id, password };
  }

  /** Revokes a key at once, also for open connections. @throws PlanchetError `not-found` */
  async revoke({ id }: { id: string }): Promise<GatewayKey> {
    const row = this.#keys.get(id);
    if (row === undefined) throw new PlanchetError('gateway.key-missing');
    const revoked_at = row.revoked_at ?? this.#clock.now();
    // In memory first, so that the key is refused while the disk is written; on disk each time, since an earlier write may have failed.
    row.revoked_at = revoked_at;
    await this.#db.updateTable('gateway_keys').set({ revoked_at }).where('id', '=', id).execute();
    return this.#keyOf(row);
  }

  /**
   * Gives a key another secret. The one before is refused at once, also on open connections.
   * @throws PlanchetError `not-found` for a key that is revoked or has expired
   */
  async rotate({ id }: { id: string }): Promise<{ key: GatewayKey; username: string; password: string }> {
    const row = this.#keys.get(id);
    if (row === undefined || !this.#isValid(row)) throw new PlanchetError('gateway.key-missing');
    const { password, salt, hash } = newSecret();
    // On disk first: a secret that is handed over has to work after a restart as well.
    await this.#db.updateTable('gateway_keys').set({ salt, hash }).where('id', '=', id).execute();
    row.salt = salt;
    row.hash = hash;
    return { key: this.#keyOf(row), username: id, password };
  }

  /**
   * Makes a key work again that was revoked a moment ago.
   * @throws PlanchetError `not-found` if that was too long ago, `conflict` if its name is in use by now
   */
  async restore({ id }: { id: string }): Promise<GatewayKey> {
    const row = this.#keys.get(id);
    if (!row?.revoked_at || row.revoked_at < this.#clock.now() - RESTORABLE_MS) {
      throw new PlanchetError('gateway.withdrawn-too-long');
    }
    this.#requireFree(row.name);
    const { revoked_at } = row;
    row.revoked_at = null;
    try {
      await this.#db.updateTable('gateway_keys').set({ revoked_at: null }).where('id', '=', id).execute();
    } catch (error) {
      row.revoked_at = revoked_at;
      throw error;
    }
    return this.#keyOf(row);
  }

  /** The client of a user name and password; undefined if they are wrong. */
  find(username: string, password: string): Client | undefined {
    const row = this.#keys.get(username);
    // Always compared, so that the time does not reveal which keys exist.
    const same = sameSecret(hashOf(row?.salt ?? '', password), row?.hash ?? '');
    if (row === undefined || !same || !this.#isValid(row)) return undefined;
    const { hash } = row;
    const methods = row.methods === null ? undefined : new Set(JSON.parse(row.methods) as string[]);
    return {
      name: row.name,
      keyId: row.id,
      mayCall: (method) =>
        methods === undefined || methods.has(method)
          ? undefined
          : `The key "${row.name}" may not call ${method}. Make one that may under Gateway, Keys.`,
      take: () => {
        this.#noteUse(row);
        if (this.#isUsedUp(row) || (row.rate !== null && !this.#takeFrom(row.id, row.rate))) return false;
        // counted before it is answered: calls that are in flight together pass no limit
        const calls = this.#usage.take(row.id);
        const limit = row.daily_calls;
        if (limit !== null && (calls === limit || calls === Math.ceil(limit * NEAR)))
          this.onBudget({ id: row.id, name: row.name, calls, limit });
        return true;
      },
      count: (status, bytes, method = '') => {
        this.#usage.note(row.id, status !== 200, bytes, method);
      },
      refusal: () =>
        this.#isUsedUp(row)
          ? {
              text: `The key "${row.name}" has made the ${row.daily_calls} calls that it may make in a day (UTC). Wait for the next one, or make a key that may make more under Gateway, Keys.`,
              seconds: this.#usage.secondsLeft,
            }
          : undefined,
      bodyBytes: row.body_bytes ?? USUAL_BODY_BYTES,
      stillValid: () => row.hash === hash && this.#isValid(row),
    };
  }

  origins(): PairedOrigin[] {
    return [...this.#origins.values()];
  }

  isPaired(origin: string): boolean {
    const paired = this.#origins.get(origin);
    return paired !== undefined && (paired.expiresAt === null || paired.expiresAt > this.#clock.now());
  }

  /**
   * Allows pages of an origin. They still need a credential.
   * @throws PlanchetError `invalid-input` if the text is not the exact origin of a web page
   */
  async pair(origin: string): Promise<PairedOrigin> {
    const known = this.#origins.get(origin);
    if (known !== undefined && this.isPaired(origin)) return known;
    return this.#insert({ origin, createdAt: this.#clock.now(), expiresAt: null, keyId: null });
  }

  /**
   * Allows pages of an origin and creates a key for them. It replaces an earlier pairing.
   * @throws PlanchetError as {@link pair} and {@link create}
   */
  async admit(
    origin: string,
    { methods, expiresAt }: Pick<NewGatewayKey, 'methods' | 'expiresAt'>,
  ): Promise<{ paired: PairedOrigin; username: string; password: string }> {
    requireOrigin(origin);
    await this.unpair(origin);
    this.#requireRoom();
    const wanted = { name: origin, methods, rate: null, bodyBytes: null, expiresAt };
    const { key, username, password } = await this.create(wanted);
    try {
      const paired = await this.#insert({ origin, createdAt: key.createdAt, expiresAt, keyId: key.id });
      return { paired, username, password };
    } catch (error) {
      // Nobody has its secret, and it would keep the name from the next try.
      await this.revoke(key).catch(() => undefined);
      throw error;
    }
  }

  /** Ends a pairing, its key at once. Listed until it is gone from the disk, it can be ended again. @param restorable what can be restored */
  async unpair(origin: string, restorable = this.#origins.get(origin)): Promise<void> {
    const keyId = this.#origins.get(origin)?.keyId;
    if (keyId) await this.revoke({ id: keyId });
    await this.#db.deleteFrom('gateway_origins').where('origin', '=', origin).execute();
    this.#origins.delete(origin);
    if (restorable !== undefined) this.#unpaired.set(origin, { paired: restorable, at: this.#clock.now() });
  }

  /**
   * Pairs an origin again as it was, with its key, if it was unpaired a moment ago.
   * @throws PlanchetError `not-found` if that was too long ago or it is paired again
   */
  async restorePairing(origin: string): Promise<PairedOrigin> {
    const unpaired = this.#unpaired.get(origin);
    if (!unpaired || unpaired.at < this.#clock.now() - RESTORABLE_MS || this.#origins.has(origin)) {
      throw new PlanchetError('gateway.withdrawn-too-long');
    }
    const { paired } = unpaired;
    // Where its key cannot come back or the disk is full, it can be tried again; its key may be back by then.
    if (paired.keyId !== null && this.#keys.get(paired.keyId)?.revoked_at !== null)
      await this.restore({ id: paired.keyId });
    await this.#insert(paired);
    this.#unpaired.delete(origin);
    return paired;
  }

  async #insert(paired: PairedOrigin): Promise<PairedOrigin> {
    const { origin, createdAt, expiresAt, keyId } = paired;
    requireOrigin(origin);
    this.#requireRoom();
    const row = { origin, created_at: createdAt, expires_at: expiresAt, key_id: keyId };
    await this.#db.replaceInto('gateway_origins').values(row).execute();
    this.#origins.set(origin, paired);
    return paired;
  }

  /** @throws PlanchetError `conflict` for a name in use, or too many keys */
  #requireFree(name: string): void {
    const active = [...this.#keys.values()].filter((row) => row.revoked_at === null);
    if (active.some((row) => row.name === name)) throw new PlanchetError('gateway.key-name-taken', { name });
    if (active.length >= MAX_KEYS) throw new PlanchetError('gateway.too-many-keys', { limit: MAX_KEYS });
  }

  #requireRoom(): void {
    if (this.#origins.size < MAX_ORIGINS) return;
    throw new PlanchetError('gateway.too-many-origins', { limit: MAX_ORIGINS });
  }

  #isValid({ revoked_at, expires_at }: KeyRow): boolean {
    return revoked_at === null && (expires_at === null || expires_at > this.#clock.now());
  }

  /** Token bucket: it holds the calls of one second and refills steadily. */
  #takeFrom(id: string, rate: number): boolean {
    const now = this.#clock.now();
    const bucket = this.#buckets.get(id) ?? { left: rate, at: now };
    this.#buckets.set(id, bucket);
    // A clock that was put back refills nothing, and counts from there.
    const passed = Math.max(0, now - bucket.at);
    bucket.left = Math.min(rate, bucket.left + (passed / 1_000) * rate);
    bucket.at = now;
    if (bucket.left < 1) return false;
    bucket.left -= 1;
    return true;
  }

  #isUsedUp({ id, daily_calls: limit }: KeyRow): boolean {
    return limit !== null && this.#usage.today(id).calls >= limit;
  }

  #keyOf(row: KeyRow): GatewayKey {
    const askers = this.askers();
    const total = askers.reduce((sum, { asked }) => sum + asked, 0);
    const { asked, waiting } = askers.find(({ name }) => name === row.id) ?? { asked: 0, waiting: 0 };
    return {
      id: row.id,
      name: row.name,
      methods: row.methods === null ? null : (JSON.parse(row.methods) as string[]),
      rate: row.rate,
      bodyBytes: row.body_bytes,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      revokedAt: row.revoked_at,
      lastUsedAt: row.last_used_at,
      lastMethod: this.#usage.lastMethod(row.id),
      dailyCalls: row.daily_calls,
      today: this.#usage.today(row.id),
      month: this.#usage.month(row.id),
      publicRequests: { asked, share: total === 0 ? null : asked / total, waiting },
    };
  }

  #noteUse(row: KeyRow): void {
    const now = this.#clock.now();
    if (row.last_used_at !== null && !isOver(NOTE_USE_MS, row.last_used_at, now)) return;
    row.last_used_at = now;
    // If this fails, the next use is saved.
    this.#db
      .updateTable('gateway_keys')
      .set({ last_used_at: now })
      .where('id', '=', row.id)
      .execute()
      .catch(() => {});
  }
}

function newSecret(): { password: string; salt: string; hash: string } {
  const password = randomBytes(32).toString('base64url');
  const salt = randomBytes(16).toString('hex');
  return { password, salt, hash: hashOf(salt, password) };
}

function hashOf(salt: string, secret: string): string {
  return createHash('sha256').update(`${salt}:${secret}`).digest('hex');
}

function requireOrigin(origin: string): void {
  if (isExactOrigin(origin)) return;
  throw new PlanchetError('gateway.origin-invalid', { origin }, { detail: { field: 'origin' } });
}

/** Whether a text is the origin of a web page, as browsers write it. */
export function isExactOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return (url.protocol === 'https:' || url.protocol === 'http:') && url.origin === text;
}
