import { z } from 'zod';
import { fromHex, toHex } from '../../../chain/index.ts';
import { type Network, PlanchetError } from '../../../contract/index.ts';
import { Sequencer } from '../../async/sequencer.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SecretName, SecretStore } from '../../ports/secrets.ts';
import type { HdKey } from './hd-key.ts';
import { followedCount, type KeySource } from './key-source.ts';
import { entropyOf, type MnemonicLength, mnemonicOf, newEntropy } from './mnemonic.ts';
import { accountKey, moneyBranch, moneyKey, moneyPath, tokenKey, type WalletKey } from './wallet-key.ts';

/** What the vault keeps under `seed:<network>`. */
export const seedSchema = z.object({
  version: z.literal(1),
  entropy: z.string().regex(/^(?:[0-9a-f]{8}){4,8}$/),
  /** When the seed was made (ms), or null for a restored one: no block before that can hold its money. */
  bornAt: z.number().int().nullable(),
  /** The first block to scan where a person named it. */
  birthHeight: z.number().int().min(0).nullable(),
  /** The optional passphrase of BIP39. */
  passphrase: z.string().optional(),
  /** Highest index of the first account that was given out or paid when the backup was made that this was restored from. */
  restoredTo: z.number().int().min(0).optional(),
});
export type Seed = z.infer<typeof seedSchema>;

export interface WalletKeysOptions {
  network: Network;
  secrets: SecretStore;
  clock: Clock;
  /** Account of the seed (BIP44); left out, the first. */
  account?: number;
}

export interface RestoreOptions {
  /** First block that can hold money of the wallet; left out, the whole chain is scanned. */
  readonly birthHeight?: number | null | undefined;
  /** The optional one of BIP39. */
  readonly passphrase?: string | undefined;
}

interface Loaded {
  readonly branch: HdKey;
  /** The key at index 0 first. */
  money: readonly WalletKey[];
  readonly tokenKey: WalletKey | undefined;
  all: readonly WalletKey[];
  readonly birth: Pick<Seed, 'bornAt' | 'birthHeight'>;
  readonly restoredTo: number;
}

/** The keys of an account of one network's seed, from the vault alone: what the command line needs without starting the host. */
export class WalletKeys implements KeySource {
  readonly canSign = true;
  readonly hasFurther = true;
  readonly network: Network;
  readonly #secrets: SecretStore;
  readonly #clock: Clock;
  readonly #account: number;
  #state: 'missing' | 'locked' | 'ready' = 'missing';
  #loaded: Loaded | undefined;
  /** One after the other, so that each sees the seed that another kept. */
  readonly #keeping = new Sequencer();

  private constructor({ network, secrets, clock, account = 0 }: WalletKeysOptions) {
    this.network = network;
    this.#secrets = secrets;
    this.#clock = clock;
    this.#account = account;
  }

  /**
   * Reads the keys. On the sandbox a seed is made where there is none; on the other networks never.
   * @param makes false where a seed is about to be made or restored, so that the place is left for it
   */
  static async open(options: WalletKeysOptions, makes = true): Promise<WalletKeys> {
    const keys = new WalletKeys(options);
    keys.reload();
    if (makes && keys.state === 'missing' && options.network === 'sandbox') await keys.create();
    return keys;
  }

  get state(): 'missing' | 'locked' | 'ready' {
    return this.#state;
  }

  /** @throws PlanchetError `wallet-missing` | `vault-locked` */
  get key(): WalletKey {
    return this.#require().money[0] as WalletKey;
  }

  get tokenKey(): WalletKey | undefined {
    return this.#require().tokenKey;
  }

  /** Every key whose coins the wallet follows. @throws PlanchetError `wallet-missing` | `vault-locked` */
  get all(): readonly WalletKey[] {
    return this.#require().all;
  }

  /** The money keys that are followed, in the order of their indices. @throws PlanchetError `wallet-missing` | `vault-locked` */
  get money(): readonly WalletKey[] {
    return this.#require().money;
  }

  get restoredTo(): number {
    return this.#require().restoredTo;
  }

  /** Derives as many keys as {@link followedCount} says. @returns whether there are more than before */
  followBehind(index: number): boolean {
    const loaded = this.#require();
    const wanted = followedCount(index);
    if (loaded.money.length >= wanted) return false;
    const money = [...loaded.money];
    while (money.length < wanted) money.push(moneyKey(loaded.branch, this.network, money.length));
    loaded.money = money;
    loaded.all = withTokenKey(money, loaded.tokenKey);
    return true;
  }

  pathOf(index: number): string {
    return moneyPath(this.network, this.#account, index);
  }

  /** What a backup holds. @throws PlanchetError `wallet-missing` | `vault-locked` */
  seed(): Seed {
    const seed = this.#read();
    if (seed) return seed;
    throw this.#missing();
  }

  #require(): Loaded {
    if (this.#loaded) return this.#loaded;
    if (this.#state === 'locked') throw new PlanchetError('wallet.locked');
    throw this.#missing();
  }

  /** Where a scan for the wallet's money may begin: a height, else a time (ms), else at the first block. */
  get birth(): { height: number } | { time: number } {
    const seed = this.#loaded?.birth;
    if (this.network === 'sandbox' || !seed) return { height: 0 };
    if (seed.birthHeight !== null) return { height: seed.birthHeight };
    return seed.bornAt === null ? { height: 0 } : { time: seed.bornAt };
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
   * @throws PlanchetError `invalid-input` for a sentence that is none, `wallet-exists`, `vault-locked`
   */
  async restore(mnemonic: string, { birthHeight = null, passphrase }: RestoreOptions = {}): Promise<void> {
    await this.#keep(entropyOf(mnemonic), { bornAt: null, birthHeight, ...(passphrase ? { passphrase } : {}) });
  }

  /** Keeps the seed of a backup, with its birth. @throws PlanchetError `wallet-exists`, `vault-locked` */
  async restoreSeed({ version: _, entropy, ...rest }: Seed): Promise<void> {
    await this.#keep(fromHex(entropy), rest);
  }

  /** The words to write down. @throws PlanchetError `wallet-missing` | `vault-locked` */
  mnemonic(): string {
    return mnemonicOf(fromHex(this.seed().entropy));
  }

  /** Private key of another account of the seed. See {@link accountKey}. @throws PlanchetError `wallet-missing` | `vault-locked` */
  accountKey(account: number): Uint8Array {
    const seed = this.seed();
    const entropy = fromHex(seed.entropy);
    try {
      return accountKey(entropy, seed.passphrase ?? '', this.network, account);
    } finally {
      entropy.fill(0);
    }
  }

  /** Reads the keys again, after the vault was opened. @throws PlanchetError `vault-damaged` */
  reload(): void {
    const before = this.#loaded;
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
    const { entropy: hex, passphrase = '', bornAt, birthHeight, restoredTo = 0 } = seed;
    const entropy = fromHex(hex);
    const branch = moneyBranch(entropy, passphrase, this.network, this.#account);
    const money = [moneyKey(branch, this.network, 0)];
    const tokens = this.#account === 0 ? tokenKey(entropy, passphrase, this.network) : undefined;
    const all = withTokenKey(money, tokens);
    // The same keys stay, with all that were derived behind them, so that no payment to one of them is missed meanwhile.
    const isSame = before !== undefined && before.money[0]?.pubKeyHash === money[0]?.pubKeyHash;
    const loaded = { branch, money, tokenKey: tokens, all, birth: { bornAt, birthHeight } };
    this.#loaded = isSame ? before : { ...loaded, restoredTo: this.#account === 0 ? restoredTo : 0 };
    entropy.fill(0);
  }

  #keep(entropy: Uint8Array, rest: Omit<Seed, 'version' | 'entropy'>): Promise<void> {
    return this.#keeping.run(() => this.#keepFirst(entropy, rest));
  }

  async #keepFirst(entropy: Uint8Array, rest: Omit<Seed, 'version' | 'entropy'>): Promise<void> {
    // A seed is never written over: it may be the only copy of a key to real money.
    if (this.#read()) throw new PlanchetError('wallet.exists', { network: this.network });
    const seed: Seed = { version: 1, entropy: toHex(entropy), ...rest };
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

/** The token key stands second, as it always did in what is stored. */
function withTokenKey([first, ...further]: readonly WalletKey[], tokens: WalletKey | undefined): WalletKey[] {
  return [...(first ? [first] : []), ...(tokens ? [tokens] : []), ...further];
}
