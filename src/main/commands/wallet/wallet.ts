import type { BroughtBack, Network } from '../../../contract/index.ts';
import type { WalletKeys } from '../../host/host.ts';
import { lockDataFolder, resolveDataDir } from '../../infrastructure/data-folder.ts';
import { readTextFile, writeNewFile } from '../shared/new-file.ts';
import { ownWallet } from '../shared/own-wallet.ts';
import type { Client, GlobalOptions, Output } from '../shared/run.ts';
import { askedOnce, passphraseSource, readNewSecret, readSecret } from '../shared/terminal.ts';
import { hostOptions, requireRunning, runningClient, withClient } from '../shared/with-client.ts';

/** Makes a seed for the active network and asks for its backup. The running host does it where there is one. @throws PlanchetError `wallet-exists` */
export async function createWallet(options: GlobalOptions, output: Output): Promise<void> {
  const running = await runningClient(options);
  if (running) {
    await giveVaultPassphrase(running, options);
    await running.wallet.create({ words: 12 });
  }
  const made = running ? await ownWallet(running) : await changeKeys(options, (keys) => keys.create());
  output.result(
    { address: made.address, network: made.network },
    `The wallet of the ${made.network} network receives at ${made.address}\nWrite its words down now: planchet wallet backup`,
  );
}

export interface RestoreOptions {
  seedFile?: string;
  birthHeight?: number;
  bip39PassphraseFile?: string;
  backup?: string;
  backupPassphraseFile?: string;
}

/**
 * Restores a wallet from its seed words, read from a file or the terminal, or from an encrypted backup file: that brings the accounts, labels and
 * frozen coins as well. The running host does it where there is one.
 * @throws PlanchetError `wallet-exists`, `invalid-input`, `vault-passphrase-wrong`
 */
export async function restoreWallet(options: GlobalOptions, from: RestoreOptions, output: Output): Promise<void> {
  const { address, network, broughtBack } =
    from.backup === undefined ? await fromWords(options, from) : await fromBackup(options, from.backup, from);
  const where = `Restored. The wallet of the ${network} network receives at ${address}`;
  output.result({ address, network, ...broughtBack }, broughtBack ? `${where}\n${cameBack(broughtBack)}` : where);
}

export function cameBack({ accounts, labels, frozen }: BroughtBack): string {
  return `${accounts} accounts, ${labels} labels and ${frozen} frozen coins came back.`;
}

interface Restored extends OwnAddress {
  readonly broughtBack?: BroughtBack;
}

async function fromWords(options: GlobalOptions, from: RestoreOptions): Promise<Restored> {
  const words = await readSecret('Seed words: ', from.seedFile);
  const file = from.bip39PassphraseFile;
  const rest = {
    ...(file === undefined ? {} : { passphrase: await readSecret('', file) }),
    ...(from.birthHeight === undefined ? {} : { birthHeight: from.birthHeight }),
  };
  const running = await runningClient(options);
  if (!running) return changeKeys(options, (keys) => keys.restore(words, rest));
  await giveVaultPassphrase(running, options);
  await running.wallet.restore({ words, ...rest });
  return ownWallet(running);
}

async function fromBackup(options: GlobalOptions, file: string, from: RestoreOptions): Promise<Restored> {
  const text = readTextFile(file);
  const passphrase = await readSecret('Passphrase of the backup: ', from.backupPassphraseFile);
  const restore = async (client: Client, { isOwnHost }: { isOwnHost: boolean }): Promise<Restored> => {
    // The command's own host asks by itself.
    if (!isOwnHost) await giveVaultPassphrase(client, options);
    const { broughtBack } = await client.wallet.restoreBackup({ text, passphrase });
    return { ...(await ownWallet(client)), broughtBack };
  };
  return withClient(options, restore, { makesWallet: false });
}

/** Sets the passphrase of a running host whose vault needs one before it can keep a secret. */
async function giveVaultPassphrase(client: Client, options: GlobalOptions): Promise<void> {
  if (!(await client.wallet.vault.status()).needsPassphrase) return;
  const next = await passphraseSource(options.passphraseFile)('create');
  if (next !== undefined) await client.wallet.vault.changePassphrase({ next });
}

/**
 * Prints the seed words of the active network, or writes them to a new file that only its owner can read.
 * @throws PlanchetError `wallet-missing`, `conflict` where the running host is on another network than the named one
 */
export async function backupWallet(options: GlobalOptions, to: { out?: string }, output: Output): Promise<void> {
  // The keys are those of the running host's network.
  const running = await runningClient(options);
  const keys = await openKeys(running ? { ...options, network: (await running.app.info()).network } : options, true);
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
  await withClient(options, change, { passphrase });
}

/** Opens the vault of the running host. @throws PlanchetError `vault-passphrase-wrong`, `not-running` */
export async function unlockWallet(options: GlobalOptions, how: { forJob: boolean }, output: Output): Promise<void> {
  const client = await requireRunning(options);
  const { worthless, state } = await client.wallet.status();
  const { passphrase: hasOne } = await client.wallet.vault.status();
  const asks = !worthless && hasOne && state !== 'ready';
  const passphrase = asks ? ((await passphraseSource(options.passphraseFile)('open')) ?? '') : '';
  const now = await client.wallet.unlock({ passphrase, forJob: how.forJob });
  output.result({ state: now.state, network: now.network }, `The wallet of the ${now.network} network is unlocked.`);
}

/** @throws PlanchetError `not-running` */
export async function lockWallet(options: GlobalOptions, output: Output): Promise<void> {
  const { state, network } = await (await requireRunning(options)).wallet.lock();
  output.result({ state, network }, `The wallet of the ${network} network is locked.`);
}

interface OwnAddress {
  readonly address: string | null;
  readonly network: Network;
}

/** Changing keys needs the data folder to itself; reading them does not. @returns where the wallet receives afterwards */
async function changeKeys(options: GlobalOptions, change: (keys: WalletKeys) => Promise<void>): Promise<OwnAddress> {
  const lock = lockDataFolder(resolveDataDir(options.dataDir));
  try {
    const keys = await openKeys(options, false);
    await change(keys);
    return { address: keys.key.address, network: keys.network };
  } finally {
    lock.release();
  }
}

async function openKeys(options: GlobalOptions, readOnly: boolean): Promise<WalletKeys> {
  const { openWalletKeys } = await import('../../host/host.ts');
  return openWalletKeys(hostOptions(options), readOnly);
}
