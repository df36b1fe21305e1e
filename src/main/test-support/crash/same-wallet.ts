import type { SecretName, SecretStore } from '../../ports/secrets.ts';

/** Secrets in memory that begin with the same wallet in every process, so that one outlives the process that uses it. */
export class SameWallet implements SecretStore {
  readonly locked = false;
  readonly #values = new Map<SecretName, Uint8Array>();

  constructor(apiKey: string) {
    const seed = { version: 1, entropy: '5a'.repeat(16), bornAt: null, birthHeight: null };
    this.#values.set('seed:sandbox', new TextEncoder().encode(JSON.stringify(seed)));
    this.#values.set('apiKey:sandbox', new TextEncoder().encode(apiKey));
  }

  get(name: SecretName): Uint8Array | undefined {
    return this.#values.get(name)?.slice();
  }

  async set(name: SecretName, value: Uint8Array): Promise<void> {
    this.#values.set(name, value.slice());
  }

  async delete(name: SecretName): Promise<void> {
    this.#values.delete(name);
  }
}
