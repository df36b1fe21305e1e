import { z } from 'zod';
import { fromHex, toHex } from '../../chain/index.ts';
import { type Network, PlanchetError } from '../../contract/index.ts';
import type { Clock, SecretName, SecretStore } from '../ports.ts';
import { entropyOf, type MnemonicLength, mnemonicOf, newEntropy } from './mnemonic.ts';
import { accountKey, tokenKey, type WalletKey, walletKey } from './wallet-key.ts';

/** The wallet's key has this place in its account; the field is stored so that more can follow. */
const FIRST_INDEX = 0;

/** What the vault keeps under `seed:<network>`. */
const seedSchema = z.object({
  version: z.literal(1),
  entropy: z.string().regex(/^(?:[0-9a-f]{8}){4,8}$/),
  /** When the seed was made (ms), or null for a restored one: no block before that can hold its money. */
  bornAt: z.number().int().nullable(),
  /** The first block to scan where a person named it. */
  birthHeight: z.number().int().min(0).nullable(),
});
type Seed = z.infer<typeof seedSchema>;

export interface WalletKeysOptions {
  network: Network;
  secrets: SecretStore;
  clock: Clock;
}

/** The keys of one network's wallet, from the vault alone: what the command line needs without starting the host. */
export class WalletKeys {
  readonly network: Network;
  readonly #secrets: SecretStore;
  readonly #clock: Clock;
  #state: 'missing' | 'locked' | 'ready' = 'missing';
  #loaded: { key: WalletKey; tokenKey: WalletKey; seed: Omit<Seed, 'entropy'> } | undefined;

  private constructor({ network, secrets, clock }: WalletKeysOptions) {
    this.network = network;
    this.#secrets = secrets;
    this.#clock = clock;
  }

  /** Reads the keys. On the sandbox a seed is made where there is none; on the other networks never. */
  static async open(options: WalletKeysOptions): Promise<WalletKeys> {
    const keys = new WalletKeys(options);
    keys.reload();
    if (keys.state === 'missing' && options.network === 'sandbox') await keys.create();
    return keys;
  }

  get state(): 'missing' | 'locked' | 'ready' {
    return this.#state;
  }

  /** @throws PlanchetError `wallet-missing` | `vault-locked` */
  get key(): WalletKey {
    return this.#require().key;
  }

  /** Owns the wallet's tokens. @throws PlanchetError `wallet-missing` | `vault-locked` */
  get tokenKey(): WalletKey {
    return this.#require().tokenKey;
  }

  /** Every key whose coins the wallet follows. @throws PlanchetError `wallet-missing` | `vault-locked` */
  get all(): readonly WalletKey[] {
    const { key, tokenKey: second } = this.#require();
    return [key, second];
  }

  #require(): { key: WalletKey; tokenKey: WalletKey } {
    if (this.#loaded) return this.#loaded;
    if (this.#state === 'locked') {
      throw new PlanchetError('wallet.locked');
    }
    throw this.#missing();
  }

  /** Where a scan for the wallet's money may begin: a height, else a time (ms), else at the first block. */
  get birth(): { height: number } | { time: number } {
    const seed = this.#loaded?.seed;
    if (this.network === 'sandbox' || !seed) return { height: 0 };
    if (seed.birthHeight !== null) return { height: seed.birthHeight };
    return seed.bornAt === null ? { height: 0 } : { time: seed.bornAt };
  }

  /** Base58 address of the wallet. @throws PlanchetError `wallet-missing` | `vault-locked` */
  address(): string {
    return this.key.address;
  }

  /**
   * Makes a new seed and keeps it in the vault.
   * @throws PlanchetError `wallet-exists`, `vault-locked`
   */
  async create(words: MnemonicLength = 12): Promise<void> {
    await this.#keep(newEntropy(words), { bornAt: this.#clock.now(), birthHeight: null });
  }

  /**
   * Keeps the seed of a sentence written down earlier.
   * @param options.birthHeight first block that can hold money of the wallet; left out, the whole chain is scanned
   * @throws PlanchetError `invalid-input` for a sentence that is none, `wallet-exists`, `vault-locked`
   */
  async restore(mnemonic: string, options: { birthHeight?: number } = {}): Promise<void> {
    await this.#keep(entropyOf(mnemonic), { bornAt: null, birthHeight: options.birthHeight ?? null });
  }

  /** The words to write down. @throws PlanchetError `wallet-missing` | `vault-locked` */
  mnemonic(): string {
    const seed = this.#read();
    if (!seed) throw this.#missing();
    return mnemonicOf(fromHex(seed.entropy));
  }

  /** Private key of another account of the seed. See {@link accountKey}. @throws PlanchetError `wallet-missing` | `vault-locked` */
  accountKey(account: number): Uint8Array {
    const seed = this.#read();
    if (!seed) throw this.#missing();
    const entropy = fromHex(seed.entropy);
    try {
      return accountKey(entropy, this.network, account);
    } finally {
      entropy.fill(0);
    }
  }

  /** Reads the keys again, after the vault was opened. @throws PlanchetError `vault-damaged` */
  reload(): void {
    this.#loaded = undefined;
    let seed: Seed | undefined;
    try {
      seed = this.#read();
    } catch (error) {
      if (!(error instanceof PlanchetError) || error.code !== 'vault-locked') throw error;
      this.#state = 'locked';
      return;
    }
    this.#state = seed ? 'ready' : 'missing';
    if (!seed) return;
    const { entropy: hex, ...rest } = seed;
    const entropy = fromHex(hex);
    this.#loaded = {
      key: walletKey(entropy, this.network, FIRST_INDEX),
      tokenKey: tokenKey(entropy, this.network),
      seed: rest,
    };
    entropy.fill(0);
  }

  async #keep(entropy: Uint8Array, birth: Pick<Seed, 'bornAt' | 'birthHeight'>): Promise<void> {
    // A seed is never written over: it may be the only copy of a key to real money.
    if (this.#read()) {
      throw new PlanchetError('wallet.exists', { network: this.network });
    }
    const seed: Seed = { version: 1, entropy: toHex(entropy), ...birth };
    const bytes = Buffer.from(JSON.stringify(seed), 'utf8');
    try {
      await this.#secrets.set(this.#name, bytes);
    } finally {
      bytes.fill(0);
      entropy.fill(0);
    }
    this.reload();
  }

  #read(): Seed | undefined {
    const bytes = this.#secrets.get(this.#name);
    if (!bytes) return undefined;
    try {
      return seedSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
    } catch {
      // The parser's message would quote the secret, so it is not carried on.
      throw new PlanchetError('wallet.seed-unreadable');
    } finally {
      bytes.fill(0);
    }
  }

  #missing(): PlanchetError {
    return new PlanchetError('wallet.none', { network: this.network });
  }

  get #name(): SecretName {
    return `seed:${this.network}`;
  }
}
