import { readFileSync } from 'node:fs';
import { PlanchetError } from '../../../contract/index.ts';
import type { WalletKeys } from '../../host/host.ts';
import { lockDataFolder, resolveDataDir } from '../../infrastructure/data-folder.ts';
import { writeNewFile } from '../shared/new-file.ts';
import type { Client, GlobalOptions, Output } from '../shared/run.ts';
import { askedOnce, passphraseSource, readNewSecret, readSecret } from '../shared/terminal.ts';
import { hostOptions, runningClient, withClient } from '../shared/with-client.ts';

/** Makes a seed for the active network and asks for its backup. @throws PlanchetError `wallet-exists` */
export async function createWallet(options: GlobalOptions, output: Output): Promise<void> {
  await withKeys(options, true, async (keys) => {
    await keys.create();
    output.result(
      { address: keys.address(), network: keys.network },
      `The wallet of the ${keys.network} network receives at ${keys.address()}\nWrite its words down now: planchet wallet backup`,
    );
  });
}

export interface RestoreOptions {
  seedFile?: string;
  birthHeight?: number;
  bip39PassphraseFile?: string;
  backup?: string;
  backupPassphraseFile?: string;
}

/**
 * Restores a wallet from its seed words, read from a file or the terminal, or from an encrypted backup file.
 * @throws PlanchetError `wallet-exists`, `invalid-input`, `vault-passphrase-wrong`
 */
export async function restoreWallet(options: GlobalOptions, from: RestoreOptions, output: Output): Promise<void> {
  const restore = from.backup === undefined ? await fromWords(from) : await fromBackup(from.backup, from);
  await withKeys(options, true, async (keys) => {
    await restore(keys);
    output.result(
      { address: keys.address(), network: keys.network },
      `Restored. The wallet of the ${keys.network} network receives at ${keys.address()}`,
    );
  });
}

async function fromWords(from: RestoreOptions): Promise<(keys: WalletKeys) => Promise<void>> {
  const words = await readSecret('Seed words: ', from.seedFile);
  const file = from.bip39PassphraseFile;
  const passphrase = file === undefined ? undefined : await readSecret('', file);
  return (keys) =>
    keys.restore(words, {
      ...(from.birthHeight === undefined ? {} : { birthHeight: from.birthHeight }),
      ...(passphrase === undefined ? {} : { passphrase }),
    });
}

async function fromBackup(file: string, from: RestoreOptions): Promise<(keys: WalletKeys) => Promise<void>> {
  const text = readBackupFile(file);
  const passphrase = await readSecret('Passphrase of the backup: ', from.backupPassphraseFile);
  const { readBackup } = await import('../../host/host.ts');
  const { network, seed } = await readBackup(text, passphrase);
  return async (keys) => {
    if (network !== keys.network) throw new PlanchetError('cli.backup-other-network', { network, here: keys.network });
    await keys.restoreSeed(seed);
  };
}

/** @throws PlanchetError `file-not-found` */
export function readBackupFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new PlanchetError('cli.file-unreadable', { path: file }, { cause: error });
  }
}

/**
 * Prints the seed words of the active network, or writes them to a new file that only its owner can read.
 * @throws PlanchetError `wallet-missing`, `conflict` where the running host is on another network than the named one
 */
export async function backupWallet(options: GlobalOptions, to: { out?: string }, output: Output): Promise<void> {
  await withKeys(options, false, async (keys) => {
    const words = keys.mnemonic();
    if (to.out === undefined) {
      output.note(
        `The words of the wallet of the ${keys.network} network. Whoever has them has the coins: write them on paper and keep them away from this machine.`,
      );
      output.result({ mnemonic: words, network: keys.network }, words);
      return;
    }
    writeNewFile(to.out, `${words}\n`, 0o600);
    output.result(
      { file: to.out, network: keys.network },
      `The seed words of the ${keys.network} network are in ${to.out}. Keep it away from this machine.`,
    );
  });
}

/**
 * Sets the passphrase of the vault, or changes it. The running host does it where there is one; a first passphrase is asked about on the
 * desktop.
 * @throws PlanchetError `vault-passphrase-wrong`, `vault-locked`, `not-found` without a vault, `forbidden` where the desktop did not agree
 */
export async function changePassphrase(
  options: GlobalOptions,
  to: { newPassphraseFile?: string },
  output: Output,
): Promise<void> {
  const passphrase = askedOnce(passphraseSource(options.passphraseFile));
  const change = async (client: Client): Promise<void> => {
    const { passphrase: isSet } = await client.wallet.vault.status();
    const current = isSet ? ((await passphrase('open')) ?? '') : '';
    const next = await readNewSecret('New passphrase of the vault: ', to.newPassphraseFile);
    const vault = await client.wallet.vault.changePassphrase({ current, next });
    output.result(
      vault,
      'The new passphrase opens the vault. Change it where --passphrase-file or PLANCHET_PASSPHRASE name it, too.',
    );
  };
  await withClient(options, change, passphrase);
}

/** Changing keys needs the data folder to itself. Reading them does not: the keys are those of the running host's network. */
async function withKeys(
  options: GlobalOptions,
  change: boolean,
  run: (keys: WalletKeys) => Promise<void>,
): Promise<void> {
  const lock = change ? lockDataFolder(resolveDataDir(options.dataDir)) : undefined;
  try {
    const running = change ? undefined : await runningClient(options);
    const network = running ? (await running.app.info()).network : options.network;
    const { openWalletKeys } = await import('../../host/host.ts');
    const host = hostOptions(network === undefined ? options : { ...options, network });
    await run(await openWalletKeys(host, !change));
  } finally {
    lock?.release();
  }
}
