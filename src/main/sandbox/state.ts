import { createHash } from 'node:crypto';
import PrivateKey from '@bsv/sdk/primitives/PrivateKey';
import type { Kysely } from 'kysely';
import type { SecretName } from '../ports/secrets.ts';
import type { SandboxTables, StateName } from './tables.ts';

/** Encrypted secrets, which may be another thread's. See `SecretStore`. */
export interface SandboxSecrets {
  get(name: SecretName): Uint8Array | undefined | Promise<Uint8Array | undefined>;
  set(name: SecretName, value: Uint8Array): Promise<void>;
}

/** Persistent state of a network: seed, clock and keys. */
export class NetworkState {
  readonly #db: Kysely<SandboxTables>;
  readonly #values: Map<StateName, string>;

  static async open(db: Kysely<SandboxTables>): Promise<NetworkState> {
    const rows = await db.selectFrom('sandbox_state').selectAll().execute();
    return new NetworkState(db, new Map(rows.map(({ name, value }) => [name, value])));
  }

  private constructor(db: Kysely<SandboxTables>, values: Map<StateName, string>) {
    this.#db = db;
    this.#values = values;
  }

  get(name: StateName): string | undefined {
    return this.#values.get(name);
  }

  async set(name: StateName, value: string): Promise<void> {
    await this.#db
      .insertInto('sandbox_state')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute();
    this.#values.set(name, value);
  }

  /**
   * A key of the network: the one of an imported network, the one derived from the seed, or the vault's, created on first use.
   */
  async key(name: 'faucetKey' | 'minerKey', secrets: SandboxSecrets): Promise<PrivateKey> {
    const own = this.get(name);
    if (own !== undefined) return PrivateKey.fromHex(own);
    const seed = this.get('seed');
    if (seed !== undefined) return derivedKey(seed, name);
    const secret: SecretName = name === 'faucetKey' ? 'sandboxFaucet' : 'minerId';
    const stored = await secrets.get(secret);
    if (stored !== undefined) return PrivateKey.fromHex(Buffer.from(stored).toString('hex'));
    const key = PrivateKey.fromRandom();
    await secrets.set(secret, Buffer.from(key.toHex().padStart(64, '0'), 'hex'));
    return key;
  }
}

function derivedKey(seed: string, name: string): PrivateKey {
  // a digest outside the curve's order is as unlikely as guessing a key
  return PrivateKey.fromHex(createHash('sha256').update(`planchet sandbox ${name}\0${seed}`).digest('hex'));
}
