import { z } from 'zod';
import { fromHex } from '../../../chain/index.ts';
import {
  MAX_BACKUP_CHARACTERS,
  type Network,
  networkSchema,
  PlanchetError,
  type WalletBackup,
} from '../../../contract/index.ts';
import { Sequencer } from '../../async/sequencer.ts';
import { foreignBounds, parseForeign } from '../../foreign-json.ts';
import { parseJson } from '../../json-in-turns.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SecretName, SecretStore } from '../../ports/secrets.ts';
import type { Store } from '../../ports/store.ts';
import { MAIN } from '../accounts/account-rows.ts';
import { moneyBranch, moneyKey, tokenKey } from '../keys/wallet-key.ts';
import { type Seed, seedSchema } from '../keys/wallet-keys.ts';
import type { WalletTables } from '../tables.ts';
import type { Wallet } from '../wallet.ts';
import { type BackupContent, backupContentSchema } from './backup-content.ts';

const FORMAT = 'planchet-wallet-backup';
const contextOf = (network: Network): string => `${FORMAT} 1 ${network}`;

/** Earlier versions wrote the seed alone. */
const contentSchema = seedSchema.extend({ book: backupContentSchema.optional() });

/** Bounds of the JSON of a content, above what fits into a file. */
const CONTENT_LIMITS = { levels: 8, values: 250_000 };

/** Bytes of the content that a reader takes: they are sealed as hexadecimal digits, beside what they were sealed with. */
const MOST_BYTES = MAX_BACKUP_CHARACTERS / 2 - 1_000;

const NO_CONTENT: BackupContent = { accounts: [], labels: [], purposes: [], frozen: [], highest: [] };

const fileSchema = z.strictObject({
  format: z.literal(FORMAT),
  version: z.literal(1),
  network: networkSchema,
  /** Sealed under the passphrase: the seed with its birth and its BIP39 passphrase, and what {@link BackupContent} has. */
  sealed: z.string().max(MAX_BACKUP_CHARACTERS),
});

/** Seals bytes under a passphrase, and opens them. */
export interface PassphraseSeal {
  seal(passphrase: string, plain: Uint8Array, context: string): Promise<string>;
  /** @throws PlanchetError `vault-passphrase-wrong`, `invalid-input` */
  open(passphrase: string, text: string, context: string): Promise<Uint8Array>;
}

export interface WalletBackupsOptions {
  network: Network;
  wallet: Pick<Wallet, 'hasSeed' | 'keys' | 'seedKeys'>;
  store: Store<WalletTables>;
  clock: Clock;
  secrets: SecretStore;
  seal: PassphraseSeal;
  /** The accounts, labels and frozen coins. */
  content: () => Promise<BackupContent>;
}

/** Backup files of the seed, and whether one was shown to restore the keys. */
export class WalletBackups {
  readonly #options: WalletBackupsOptions;
  readonly #restoring = new Sequencer();

  constructor(options: WalletBackupsOptions) {
    this.#options = options;
  }

  async status(): Promise<WalletBackup> {
    const { network, wallet } = this.#options;
    return { network, checkedAt: await this.#checkedAt(), required: network === 'main' && wallet.hasSeed };
  }

  /** @throws PlanchetError `conflict` where real money would be spent and no backup was checked */
  async requireCheck(): Promise<void> {
    const { required, checkedAt } = await this.status();
    if (required && checkedAt === null) throw new PlanchetError('wallet.backup-unchecked');
  }

  /**
   * @returns the file, and how many labels were left out since no reader takes a longer one
   * @throws PlanchetError `wallet-missing`, `vault-locked`
   */
  async create(passphrase: string): Promise<{ fileName: string; text: string; labelsLeftOut: number }> {
    const { network, wallet, clock, seal } = this.#options;
    const all = await this.#options.content();
    const seed = wallet.seedKeys.seed();
    const content = fittingContent(all, MOST_BYTES - bytesOf(seed));
    const plain = Buffer.from(JSON.stringify({ ...seed, book: content }), 'utf8');
    try {
      const sealed = await seal.seal(passphrase, plain, contextOf(network));
      const day = new Date(clock.now()).toISOString().slice(0, 10);
      const text = `${JSON.stringify({ format: FORMAT, version: 1, network, sealed }, null, 2)}\n`;
      return {
        fileName: `planchet-${network}-${day}.backup.json`,
        text,
        labelsLeftOut: all.labels.length - content.labels.length,
      };
    } finally {
      plain.fill(0);
    }
  }

  /**
   * Restores the keys from a backup file in memory, compares them with those of the wallet, and notes that they are the same.
   * @throws PlanchetError `vault-passphrase-wrong`, `invalid-input` for a damaged file, `conflict` for the backup of another wallet
   */
  async check(input: { text: string; passphrase: string }): Promise<WalletBackup> {
    await this.read(input);
    return this.status();
  }

  /** Does what {@link WalletBackups.check} does. @returns the accounts, labels and frozen coins of the file */
  async read({ text, passphrase }: { text: string; passphrase: string }): Promise<BackupContent> {
    return this.#compare(await openBackup(this.#options.seal, text, passphrase));
  }

  /**
   * Restores the wallet from a backup file. The vault has what is to be brought beside the seed until all of it is there: where the process
   * ends in between, {@link WalletBackups.finish} brings the rest.
   * @param keep keeps its seed, where there is none yet
   * @param bring brings the accounts, labels and frozen coins of the file
   * @throws PlanchetError what {@link WalletBackups.check} throws, and what `keep` and `bring` throw
   */
  restore<T>(
    { text, passphrase }: { text: string; passphrase: string },
    keep: (seed: Seed) => Promise<void>,
    bring: (content: BackupContent) => Promise<T>,
  ): Promise<T> {
    const { network: here, wallet, secrets, seal } = this.#options;
    return this.#restoring.run(async () => {
      const opened = await openBackup(seal, text, passphrase);
      const { network } = opened;
      if (network !== here) throw new PlanchetError('wallet.backup-other-network', { network, here });
      const isFirst = wallet.keys.state === 'missing';
      try {
        if (isFirst) await this.#note(opened);
        await keep(opened.seed);
      } catch (error) {
        if (isFirst && wallet.keys.state === 'missing') await secrets.delete(this.#left).catch(() => undefined);
        throw error;
      }
      const brought = await bring(await this.#compare(opened));
      await secrets.delete(this.#left);
      return brought;
    });
  }

  /**
   * Brings what a restore left that broke off after it had kept the seed. Of one that broke off before that, nothing stays.
   * @throws PlanchetError what `bring` throws: the rest is brought another time
   */
  finish(bring: (content: BackupContent) => Promise<unknown>): Promise<void> {
    const { network, wallet, secrets } = this.#options;
    return this.#restoring.run(async () => {
      if (secrets.locked || !wallet.hasSeed) return;
      const plain = secrets.get(this.#left);
      if (plain === undefined) return;
      if (wallet.keys.state === 'ready') {
        const left = await readContent(network, plain);
        if (this.#isOwn(left)) await bring(left.content);
      }
      await secrets.delete(this.#left);
    });
  }

  async #note({ seed, content }: OpenedBackup): Promise<void> {
    const plain = Buffer.from(JSON.stringify({ ...seed, book: content }), 'utf8');
    await this.#options.secrets.set(this.#left, plain).finally(() => plain.fill(0));
  }

  get #left(): SecretName {
    return `restore:${this.#options.network}`;
  }

  async #compare(opened: OpenedBackup): Promise<BackupContent> {
    const { network, wallet, store, clock } = this.#options;
    wallet.seedKeys.seed(); // says why, where there is none
    if (!this.#isOwn(opened)) throw new PlanchetError('wallet.backup-other-wallet');
    const owner = wallet.keys.key.pubKeyHash;
    const checked_at = clock.now();
    const row = store.db.insertInto('wallet_backup_checks').values({ network, owner, checked_at });
    await row.onConflict((other) => other.columns(['network', 'owner']).doUpdateSet({ checked_at })).execute();
    return opened.content;
  }

  /** Whether the backup restores the keys of the wallet. */
  #isOwn({ network: of, seed }: OpenedBackup): boolean {
    const { network, wallet } = this.#options;
    const { keys } = wallet;
    const entropy = fromHex(seed.entropy);
    const words = seed.passphrase ?? '';
    const money = moneyKey(moneyBranch(entropy, words, network), network, 0);
    const tokens = tokenKey(entropy, words, network);
    entropy.fill(0);
    return (
      of === network && money.pubKeyHash === keys.key.pubKeyHash && tokens.pubKeyHash === keys.tokenKey?.pubKeyHash
    );
  }

  async #checkedAt(): Promise<number | null> {
    const { network, wallet, store } = this.#options;
    if (wallet.keys.state !== 'ready') return null;
    const rows = store.db.selectFrom('wallet_backup_checks').select('checked_at').where('network', '=', network);
    const row = await rows.where('owner', '=', wallet.keys.key.pubKeyHash).executeTakeFirst();
    return row ? Number(row.checked_at) : null;
  }
}

interface OpenedBackup {
  readonly network: Network;
  readonly seed: Seed;
  readonly content: BackupContent;
}

/** @throws PlanchetError `vault-passphrase-wrong`, `invalid-input` for a damaged file */
export async function openBackup(seal: PassphraseSeal, text: string, passphrase: string): Promise<OpenedBackup> {
  let file: z.infer<typeof fileSchema>;
  try {
    file = fileSchema.parse(parseForeign(text, foreignBounds.backupFile));
  } catch (error) {
    throw new PlanchetError('wallet.backup-damaged', {}, { cause: error });
  }
  return readContent(file.network, await seal.open(passphrase, file.sealed, contextOf(file.network)));
}

/** @param plain is filled with zeros afterwards @throws PlanchetError `invalid-input` for a damaged file */
async function readContent(network: Network, plain: Uint8Array): Promise<OpenedBackup> {
  try {
    const { book: content = NO_CONTENT, ...seed } = contentSchema.parse(await parseJson(plain, CONTENT_LIMITS));
    const main = content.highest.find(({ account }) => account === MAIN)?.index ?? 0;
    return { network, seed: { ...seed, restoredTo: Math.max(main, seed.restoredTo ?? 0) }, content };
  } catch {
    // The parser's message would quote the secret, so it is not carried on.
    throw new PlanchetError('wallet.backup-damaged');
  } finally {
    plain.fill(0);
  }
}

/** Cuts the content to the bytes: names of addresses and contacts come first, then labels of transactions and coins, then purposes of the newest transactions. */
function fittingContent(content: BackupContent, bytes: number): BackupContent {
  let left = bytes - bytesOf({ ...content, labels: [], purposes: [] });
  const fitting = <T>(rows: readonly T[]): T[] =>
    rows.filter((row) => {
      const needed = bytesOf(row) + 1;
      if (needed > left) return false;
      left -= needed;
      return true;
    });
  const isOfChain = ({ subject }: BackupContent['labels'][number]): boolean => /^(?:tx|coin):/.test(subject);
  const labels = fitting([...content.labels.filter((label) => !isOfChain(label)), ...content.labels.filter(isOfChain)]);
  return { ...content, labels, purposes: fitting(content.purposes) };
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
