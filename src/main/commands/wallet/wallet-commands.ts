import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { toHex } from '../../../chain/index.ts';
import {
  PlanchetError,
  type WalletCoin,
  type WalletHistoryEntry,
  type WalletSend,
  type WalletSendRequest,
} from '../../../contract/index.ts';
import { unsettledLines } from '../headers.ts';
import { readTextFile, writeNewFile } from '../shared/new-file.ts';
import { wholeNumber } from '../shared/numbers.ts';
import { ownWallet } from '../shared/own-wallet.ts';
import type { Client, GlobalOptions, Output, Shell } from '../shared/run.ts';
import { readNewSecret, readSecret } from '../shared/terminal.ts';
import { withClient } from '../shared/with-client.ts';
import { addAccountCommands } from './account-commands.ts';
import { addExternalCommands } from './external-commands.ts';
import { balanceLine, historyLine } from './lines.ts';
import { type SendOptions, send, spending } from './paying.ts';
import {
  backupWallet,
  cameBack,
  changePassphrase,
  createWallet,
  lockWallet,
  type RestoreOptions,
  restoreWallet,
  unlockWallet,
} from './wallet.ts';

export function addWalletCommands(program: Command, shell: Shell): void {
  const wallet = program.command('wallet').description('keys and coins');
  addKeyCommands(wallet, shell);
  addMoneyCommands(wallet, shell);
  addAccountCommands(wallet, shell);
  addExternalCommands(wallet, shell);
}

function addKeyCommands(wallet: Command, { globals, output }: Shell): void {
  wallet
    .command('create')
    .description('make a new seed for the active network')
    .action(() => createWallet(globals(), output()));
  wallet
    .command('restore')
    .option('--seed-file <file>', 'file that holds the seed words (default: read from the terminal)')
    .option('--bip39-passphrase-file <file>', 'file that holds the passphrase of the words, if they have one')
    .option('--backup <file>', 'an encrypted backup file, in place of words')
    .option('--backup-passphrase-file <file>', 'file that holds the passphrase of the backup')
    .option(
      '--birth-height <height>',
      'first block that can hold coins of this wallet (default: the whole chain is scanned)',
      wholeNumber,
    )
    .description('restore from seed words or an encrypted backup')
    .action((options: RestoreOptions) => restoreWallet(globals(), options, output()));
  wallet
    .command('backup')
    .option('--out <file>', 'write to this new file instead of the terminal')
    .option('--encrypted', 'an encrypted backup instead of the words', false)
    .option('--backup-passphrase-file <file>', 'file that holds the passphrase of the backup')
    .description('show the seed words, or write an encrypted backup')
    .action((options: { out?: string; encrypted: boolean; backupPassphraseFile?: string }) =>
      options.encrypted ? backupEncrypted(globals(), options, output()) : backupWallet(globals(), options, output()),
    );
  wallet
    .command('unlock')
    .option('--for-job', 'lock it again when no job needs it any more', false)
    .description('give the running Planchet the passphrase of its vault')
    .action((options: { forJob: boolean }) => unlockWallet(globals(), options, output()));
  wallet
    .command('lock')
    .description('make the running Planchet forget its keys')
    .action(() => lockWallet(globals(), output()));
  wallet
    .command('passphrase')
    .option('--new-passphrase-file <file>', 'file that holds the new passphrase (default: read from the terminal)')
    .description('set the passphrase of the vault, or change it')
    .action((options: { newPassphraseFile?: string }) => changePassphrase(globals(), options, output()));
  wallet
    .command('restore-check')
    .argument('<file>', 'an encrypted backup file')
    .option('--backup-passphrase-file <file>', 'file that holds the passphrase of the backup')
    .description('prove that a backup restores the keys of this wallet')
    .action(async (file: string, options: { backupPassphraseFile?: string }) => {
      const text = readTextFile(file);
      const passphrase = await readSecret('Passphrase of the backup: ', options.backupPassphraseFile);
      const checked = await withClient(globals(), (client) => client.wallet.backup.check({ text, passphrase }));
      output().result({ file, ...checked }, `${file} restores the keys of this wallet.`);
    });
  wallet
    .command('restore-accounts')
    .argument('<file>', 'an encrypted backup file of this wallet')
    .option('--backup-passphrase-file <file>', 'file that holds the passphrase of the backup')
    .description('bring back the accounts, labels and frozen coins of a backup; what is there stays')
    .action(async (file: string, options: { backupPassphraseFile?: string }) => {
      const text = readTextFile(file);
      const passphrase = await readSecret('Passphrase of the backup: ', options.backupPassphraseFile);
      const back = await withClient(globals(), (client) => client.wallet.backup.restore({ text, passphrase }));
      output().result({ file, ...back }, cameBack(back));
    });
}

function addMoneyCommands(wallet: Command, { globals, output }: Shell): void {
  wallet
    .command('address')
    .option('--new', 'a fresh address', false)
    .option('--label <text>', 'what the fresh address is for', '')
    .description('where to send coins')
    .action(async ({ new: fresh, label }: { new: boolean; label: string }) => {
      const { address, network } = await withClient(globals(), async (client) => {
        const own = await ownWallet(client);
        return fresh ? { ...own, address: (await client.wallet.addresses.next({ label })).address } : own;
      });
      output().result({ address, network }, address);
    });
  wallet
    .command('balance')
    .description('what can be spent')
    .action(async () => {
      const out = output();
      const [balance, full, headers] = await withClient(globals(), async (client) => {
        const own = await ownWallet(client);
        return [own.balance, await client.wallet.balance(), await client.headers.status()] as const;
      });
      for (const line of unsettledLines(headers)) out.note(line);
      out.result({ ...balance, waiting: full.waiting, frozen: full.frozen }, balanceLine(full));
    });
  wallet
    .command('history')
    .option('--csv', 'as CSV, oldest first', false)
    .description('every transaction with the balance after it, newest first')
    .action(async ({ csv }: { csv: boolean }) => {
      const format = csv && !globals().json ? 'csv' : 'json';
      const { text } = await withClient(globals(), (client) => client.wallet.history.export({ format }));
      if (format === 'csv') return output().result(undefined, text.trimEnd());
      const entries = JSON.parse(text) as WalletHistoryEntry[];
      output().result(entries, entries.map(historyLine).join('\n'));
    });
  wallet
    .command('coins')
    .description('unspent outputs, the largest first')
    .action(async () => {
      const coins = await withClient(globals(), (client) => client.wallet.coins.list());
      const lines = coins.map(
        ({ outpoint, satoshis, kind, state, dispute }) =>
          `${String(satoshis).padStart(15)}  ${kind.padEnd(7)}  ${state.padEnd(9)}  ${outpoint}${disputeOf(dispute)}`,
      );
      output().result(coins, lines.join('\n'));
    });
  wallet
    .command('beef')
    .argument('<outpoint>', 'txid_vout of a mined coin')
    .option('--out <file>', 'write the bytes to this new file instead of hex to the terminal')
    .description('the transaction of a coin with its path to a block, as BEEF, checked against the verified headers')
    .action(async (outpoint: string, { out }: { out?: string }) => {
      const blob = await withClient(globals(), (client) => client.wallet.coins.beef({ outpoint }));
      const bytes = new Uint8Array(await blob.arrayBuffer());
      if (out === undefined) return output().result({ outpoint, beef: toHex(bytes) }, toHex(bytes));
      writeNewFile(out, bytes);
      output().result({ outpoint, file: out, bytes: bytes.length }, `${bytes.length} bytes in ${out}`);
    });
  for (const [name, frozen] of [
    ['freeze', true],
    ['thaw', false],
  ] as const) {
    wallet
      .command(name)
      .argument('<outpoint...>', 'txid_vout')
      .description(frozen ? 'keep coins from being spent' : 'let frozen coins be spent again')
      .action(async (outpoints: string[]) => {
        await withClient(globals(), (client) => client.wallet.coins.freeze({ outpoints, frozen }));
        output().result({ outpoints, frozen }, `${outpoints.length} ${frozen ? 'frozen' : 'thawed'}`);
      });
  }
  spending(wallet.command('send'))
    .argument('<address>')
    .argument('<satoshis>', 'a whole number, or "all"', amount)
    .option('--coin <outpoint...>', 'spend exactly these coins')
    .option('--accept-key <key>', 'take this as the identity key of the paymail address from now on, hex')
    .description('send coins')
    .action((address: string, satoshis: number | 'all', options: SendOptions & { acceptKey?: string }) => {
      const { acceptKey: key } = options;
      const request: WalletSendRequest = {
        to: [{ address, satoshis }],
        ...(options.feeRate === undefined ? {} : { feeRate: options.feeRate }),
        ...(options.coin === undefined ? {} : { coins: options.coin }),
      };
      const prepare = async (client: Client): Promise<WalletSend> => {
        if (key !== undefined) await client.wallet.contacts.acceptKey({ address, key });
        return client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
      };
      return withClient(globals(), (client) => send(client, prepare, options, output()));
    });
  spending(wallet.command('consolidate'))
    .option('--below <satoshis>', 'leave larger coins of the main address where they are', wholeNumber)
    .description('bring coins to the main address, as one')
    .action((options: SendOptions & { below?: number }) => {
      const { below, feeRate } = options;
      const prepare = (client: Client): Promise<WalletSend> =>
        client.wallet.consolidate({ below, feeRate, idempotencyKey: randomUUID() });
      return withClient(globals(), (client) => send(client, prepare, options, output()));
    });
}

async function backupEncrypted(
  options: GlobalOptions,
  { out, backupPassphraseFile }: { out?: string; backupPassphraseFile?: string },
  output: Output,
): Promise<void> {
  if (out === undefined) throw new PlanchetError('cli.backup-out-missing');
  const passphrase = await readNewSecret('Passphrase for the backup: ', backupPassphraseFile);
  const { text, network, labelsLeftOut } = await withClient(options, async (client) => ({
    ...(await client.wallet.backup.create({ passphrase })),
    network: (await client.app.info()).network,
  }));
  writeNewFile(out, text, 0o600);
  output.result(
    { file: out, network, labelsLeftOut },
    `The encrypted backup of the ${network} network is in ${out}. Check it: planchet wallet restore-check ${out}${
      labelsLeftOut === 0 ? '' : `\n${labelsLeftOut} labels found no room in the file and are not in the backup.`
    }`,
  );
}

function amount(text: string): number | 'all' {
  return text === 'all' ? text : wholeNumber(text);
}

function disputeOf(dispute: WalletCoin['dispute']): string {
  if (dispute === null) return '';
  const { sources, of } = dispute;
  return `\n${' '.repeat(17)}${sources.length} of ${of} sources ${sources.length === 1 ? 'says' : 'say'} it is spent: ${sources.join(', ')}`;
}
