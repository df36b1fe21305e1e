import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import {
  type GatewayKey,
  type NewGatewayKey,
  type PairedOrigin,
  PlanchetError,
  USUAL_BODY_BYTES,
} from '../../../contract/index.ts';
import { sameSecret } from '../../local-server.ts';
import type { Clock } from '../../ports/clock.ts';
import { parametersOf } from '../methods/method-registry.ts';
import type { GatewayTables } from '../tables.ts';

/** When a key was used last is written down this often. */
const NOTE_USE_MS = 60_000;
const MAX_KEYS = 1_000;
const MAX_ORIGINS = 100;

type KeyRow = GatewayTables['gateway_keys'];

/** A client the gateway knows. */
export interface Client {
  /** As traffic shows it. */
  readonly name: string;
  /** Why the client may not call a command; undefined where it may. */
  mayCall(method: string): string | undefined;
  /** Takes one call from the client's rate; false where it is used up. */
  take(): boolean;
  /** Bytes a body of the client's may have; undefined for as many as the port takes. */
  readonly bodyBytes?: number;
  /** Whether the client is still let in. */
  stillValid(): boolean;
}

/** What a client is told whose rate is used up. */
export function tooOften({ name }: Client): string {
  return `${name} calls more often than its key allows. Wait a second, or give it a key with a higher rate under Gateway, Keys.`;
}

/** Named keys and paired origins, in the application's database. All of it also stands in memory: every request asks. */
export class ApiKeyStore {
  readonly #db: Kysely<GatewayTables>;
  readonly #clock: Clock;
  readonly #keys = new Map<string, KeyRow>();
  readonly #origins = new Map<string, PairedOrigin>();
  readonly #buckets = new Map<string, { left: number; at: number }>();

  private constructor(db: Kysely<GatewayTables>, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  static async open(db: Kysely<GatewayTables>, clock: Clock): Promise<ApiKeyStore> {
    const book = new ApiKeyStore(db, clock);
    for (const row of await db.selectFrom('gateway_keys').selectAll().execute()) book.#keys.set(row.id, row);
    for (const row of await db.selectFrom('gateway_origins').selectAll().execute()) {
      const { origin, created_at: createdAt, expires_at: expiresAt, key_id: keyId } = row;
      book.#origins.set(origin, { origin, createdAt, expiresAt, keyId });
    }
    return book;
  }

  keys(): GatewayKey[] {
    return [...this.#keys.values()].map(keyOf).sort((a, b) => b.createdAt - a.createdAt);
  }

  /**
   * Makes a key; its secret is told this once and only its salted hash is kept.
   * @throws PlanchetError `invalid-input` for a command there is none of, or an end in the past; `conflict` for a name in use
   */
  async create(wanted: NewGatewayKey): Promise<{ key: GatewayKey; username: string; password: string }> {
    const now = this.#clock.now();
    const unknown = wanted.methods?.find((method) => parametersOf(method) === undefined);
    if (unknown !== undefined) {
      throw new PlanchetError('gateway.method-unknown', { method: unknown }, { detail: { field: 'methods' } });
    }
    if (wanted.expiresAt !== null && wanted.expiresAt <= now) {
      throw new PlanchetError('gateway.key-expired', {}, { detail: { field: 'expiresAt' } });
    }
    const active = [...this.#keys.values()].filter((row) => row.revoked_at === null);
    if (active.some(({ name }) => name === wanted.name)) {
      throw new PlanchetError('gateway.key-name-taken', { name: wanted.name });
    }
    if (active.length >= MAX_KEYS) {
      throw new PlanchetError('gateway.too-many-keys', { limit: MAX_KEYS });
    }
    const password = randomBytes(32).toString('base64url');
    const salt = randomBytes(16).toString('hex');
    const row: KeyRow = {
      id: `key-${randomUUID().slice(0, 13)}`,
      name: wanted.name,
      salt,
      hash: hashOf(salt, password),
      methods: wanted.methods === null ? null : JSON.stringify([...new Set(wanted.methods)]),
      rate: wanted.rate,
      body_bytes: wanted.bodyBytes,
      created_at: now,
      expires_at: wanted.expiresAt,
      revoked_at: null,
      last_used_at: null,
    };
    await this.#db.insertInto('gateway_keys').values(row).execute();
    this.#keys.set(row.id, row);
    return { key: keyOf(row), username: row.id, password };
  }

  /** Ends a key at once, for connections that are open too. @throws PlanchetError `not-found` */
  async revoke(id: string): Promise<GatewayKey> {
    const row = this.#keys.get(id);
    if (row === undefined) throw new PlanchetError('gateway.key-missing');
    if (row.revoked_at === null) {
      // In memory first: nobody is let in while the disk is written.
      row.revoked_at = this.#clock.now();
      const { revoked_at } = row;
      await this.#db.updateTable('gateway_keys').set({ revoked_at }).where('id', '=', id).execute();
    }
    return keyOf(row);
  }

  /** The client a user name and password belong to. */
  find(username: string, password: string): Client | undefined {
    const row = this.#keys.get(username);
    // Compared in any case, so that the time does not tell which keys there are.
    const same = sameSecret(hashOf(row?.salt ?? '', password), row?.hash ?? '');
    if (row === undefined || !same || !this.#isValid(row)) return undefined;
    const methods = row.methods === null ? undefined : new Set(JSON.parse(row.methods) as string[]);
    return {
      name: row.name,
      mayCall: (method) =>
        methods === undefined || methods.has(method)
          ? undefined
          : `The key "${row.name}" may not call ${method}. Make one that may under Gateway, Keys.`,
      take: () => {
        this.#noteUse(row);
        return row.rate === null || this.#takeFrom(row.id, row.rate);
      },
      bodyBytes: row.body_bytes ?? USUAL_BODY_BYTES,
      stillValid: () => this.#isValid(row),
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
   * Lets the pages of an origin in, for who has a credential as well.
   * @throws PlanchetError `invalid-input` where the text is no exact origin of a web page
   */
  async pair(origin: string): Promise<PairedOrigin> {
    const known = this.#origins.get(origin);
    if (known !== undefined && this.isPaired(origin)) return known;
    return this.#insert({ origin, createdAt: this.#clock.now(), expiresAt: null, keyId: null });
  }

  /**
   * Lets the pages of an origin in and makes a key for them, in place of an earlier pairing.
   * @throws PlanchetError as {@link pair} and {@link create}
   */
  async admit(
    origin: string,
    { methods, expiresAt }: Pick<NewGatewayKey, 'methods' | 'expiresAt'>,
  ): Promise<{ paired: PairedOrigin; username: string; password: string }> {
    requireOrigin(origin);
    await this.unpair(origin);
    this.#requireRoom();
    const { key, username, password } = await this.create({
      name: origin,
      methods,
      rate: null,
      bodyBytes: null,
      expiresAt,
    });
    const paired = await this.#insert({ origin, createdAt: key.createdAt, expiresAt, keyId: key.id });
    return { paired, username, password };
  }

  /** Ends a pairing at once, with the key that was made for it. */
  async unpair(origin: string): Promise<void> {
    const paired = this.#origins.get(origin);
    this.#origins.delete(origin);
    if (paired?.keyId) await this.revoke(paired.keyId);
    await this.#db.deleteFrom('gateway_origins').where('origin', '=', origin).execute();
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

  #requireRoom(): void {
    if (this.#origins.size < MAX_ORIGINS) return;
    throw new PlanchetError('gateway.too-many-origins', { limit: MAX_ORIGINS });
  }

  #isValid({ revoked_at, expires_at }: KeyRow): boolean {
    return revoked_at === null && (expires_at === null || expires_at > this.#clock.now());
  }

  /** As many calls at once as a second allows; they come back one by one. */
  #takeFrom(id: string, rate: number): boolean {
    const now = this.#clock.now();
    const bucket = this.#buckets.get(id) ?? { left: rate, at: now };
    this.#buckets.set(id, bucket);
    bucket.left = Math.min(rate, bucket.left + ((now - bucket.at) / 1_000) * rate);
    bucket.at = now;
    if (bucket.left < 1) return false;
    bucket.left -= 1;
    return true;
  }

  #noteUse(row: KeyRow): void {
    const now = this.#clock.now();
    if (row.last_used_at !== null && now - row.last_used_at < NOTE_USE_MS) return;
    row.last_used_at = now;
    // Lost, it is written at the next use.
    this.#db
      .updateTable('gateway_keys')
      .set({ last_used_at: now })
      .where('id', '=', row.id)
      .execute()
      .catch(() => {});
  }
}

function hashOf(salt: string, secret: string): string {
  return createHash('sha256').update(`${salt}:${secret}`).digest('hex');
}

function keyOf(row: KeyRow): GatewayKey {
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
  };
}

function requireOrigin(origin: string): void {
  if (isExactOrigin(origin)) return;
  throw new PlanchetError('gateway.origin-invalid', { origin }, { detail: { field: 'origin' } });
}

/** Whether a text is the origin of a web page, as browsers write it. */
export function isExactOrigin(text: string): boolean {
  try {
    const url = new URL(text);
    return (url.protocol === 'https:' || url.protocol === 'http:') && url.origin === text;
  } catch {
    return false;
  }
}
