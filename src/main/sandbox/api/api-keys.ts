import { createHash, randomBytes, randomInt } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Clock } from '../../ports/clock.ts';
import type { TokenTables } from '../tables.ts';

export interface KeyOwner {
  /** SHA-256 of the key in hex, as stored in the database. */
  readonly keyHash: string;
  readonly userUid: string;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const KEY_LETTERS = 26;

/** `sandboxnet_` and 26 random lower-case letters (122 bits), like the keys of the real service. */
export function newApiKey(): string {
  return `sandboxnet_${Array.from({ length: KEY_LETTERS }, () => LETTERS[randomInt(LETTERS.length)]).join('')}`;
}

/** The sandbox's API keys and their users. */
export class ApiKeys {
  readonly #db: Kysely<TokenTables>;
  readonly #clock: Clock;
  readonly #owners: Map<string, KeyOwner>;

  static async open(db: Kysely<TokenTables>, clock: Clock): Promise<ApiKeys> {
    const rows = await db.selectFrom('token_keys').selectAll().orderBy('created_at').execute();
    const owners = rows.map(({ key_hash: keyHash, user_uid: userUid }) => [keyHash, { keyHash, userUid }] as const);
    return new ApiKeys(db, clock, new Map(owners));
  }

  private constructor(db: Kysely<TokenTables>, clock: Clock, owners: Map<string, KeyOwner>) {
    this.#db = db;
    this.#clock = clock;
    this.#owners = owners;
  }

  /** Finds the owner of a key. Keys are compared by digest, so the time it takes reveals nothing about a key. */
  find(key: string): KeyOwner | undefined {
    return this.#owners.get(hashOf(key));
  }

  /** Registers a key. An existing key keeps its user. @param userUid defaults to a new user */
  async add(key: string, userUid: string = randomBytes(16).toString('hex')): Promise<KeyOwner> {
    const known = this.find(key);
    if (known) return known;
    const owner: KeyOwner = { keyHash: hashOf(key), userUid };
    await this.#db
      .insertInto('token_keys')
      .values({ key_hash: owner.keyHash, user_uid: userUid, created_at: this.#clock.now() })
      .execute();
    this.#owners.set(owner.keyHash, owner);
    return owner;
  }
}

function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
