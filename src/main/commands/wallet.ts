import { writeFileSync } from 'node:fs';
import { PlanchetError } from '../../contract/index.ts';
import type { WalletKeys } from '../host/host.ts';
import { lockDataFolder, resolveDataDir } from '../infrastructure/data-folder.ts';
import type { GlobalOptions, Output } from './run.ts';
import { passphraseSource, readSecret } from './terminal.ts';
import { hostOptions } from './with-client.ts';

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

/** Restores a wallet from its seed words, read from a file or the terminal. @throws PlanchetError `wallet-exists`, `invalid-input` */
export async function restoreWallet(
  options: GlobalOptions,
  from: { seedFile?: string; birthHeight?: number },
  output: Output,
): Promise<void> {
  const words = await readSecret('Seed words: ', from.seedFile);
  await withKeys(options, true, async (keys) => {
    await keys.restore(words, from.birthHeight === undefined ? {} : { birthHeight: from.birthHeight });
    output.result(
      { address: keys.address(), network: keys.network },
      `Restored. The wallet of the ${keys.network} network receives at ${keys.address()}`,
    );
  });
}

/** Prints the seed words, or writes them to a new file only its owner can read. @throws PlanchetError `wallet-missing` */
export async function backupWallet(options: GlobalOptions, to: { out?: string }, output: Output): Promise<void> {
  await withKeys(options, false, async (keys) => {
    const words = keys.mnemonic();
    if (to.out === undefined) {
      output.note('Whoever has these words has the coins. Write them on paper and keep them away from this machine.');
      output.result({ mnemonic: words, network: keys.network }, words);
      return;
    }
    try {
      writeFileSync(to.out, `${words}\n`, { mode: 0o600, flag: 'wx' });
    } catch (error) {
      const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
      throw new PlanchetError(
        exists ? 'cli.backup-file-exists' : 'cli.backup-file-unwritable',
        { file: to.out },
        { cause: error },
      );
    }
    output.result(
      { file: to.out, network: keys.network },
      `The seed words are in ${to.out}. Keep it away from this machine.`,
    );
  });
}

/** Changing keys needs the data folder to itself; reading them does not. */
async function withKeys(
  options: GlobalOptions,
  change: boolean,
  run: (keys: WalletKeys) => Promise<void>,
): Promise<void> {
  const lock = change ? lockDataFolder(resolveDataDir(options.dataDir)) : undefined;
  try {
    const { openWalletKeys } = await import('../host/host.ts');
    await run(await openWalletKeys({ ...hostOptions(options), passphrase: passphraseSource(options.passphraseFile) }));
  } finally {
    lock?.release();
  }
}
