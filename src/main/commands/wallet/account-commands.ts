import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import type { WalletAccount, WalletSweep } from '../../../contract/index.ts';
import { wholeNumber } from '../shared/numbers.ts';
import type { Client, Output, Shell } from '../shared/run.ts';
import { readSecret } from '../shared/terminal.ts';
import { waitUntil } from '../shared/waiting.ts';
import { joined, printAnswer, withClient } from '../shared/with-client.ts';
import { type SendOptions, send, spending } from './paying.ts';

const POLL_MS = 250;

/** Adds the commands of `wallet` that are about accounts. */
export function addAccountCommands(wallet: Command, shell: Shell): void {
  const { globals, output } = shell;
  wallet
    .command('accounts')
    .description('the accounts; the active one is marked')
    .action(() => printAnswer(shell, (client) => client.wallet.accounts.list(), joined(lineOf)));
  const account = wallet.command('account').description('make, name and switch accounts');
  const change = (work: (client: Client) => Promise<WalletAccount>): Promise<void> => printAnswer(shell, work, lineOf);
  account
    .command('create')
    .argument('<name>')
    .description('the next account of the seed')
    .action((name: string) => change((client) => client.wallet.accounts.create({ name })));
  account
    .command('watch')
    .argument('<name>')
    .argument('<xpub>', 'extended public key of the account')
    .option('--birth-height <height>', 'first block that can hold coins of it', wholeNumber, 0)
    .description('an account that follows another wallet and cannot send')
    .action((name: string, xpub: string, { birthHeight }: { birthHeight: number }) =>
      change((client) => client.wallet.accounts.watch({ name, xpub, birthHeight })),
    );
  account
    .command('import')
    .argument('<name>')
    .option('--key-file <file>', 'file that holds the private key as WIF (default: read from the terminal)')
    .option('--birth-height <height>', 'first block that can hold coins of it', wholeNumber, 0)
    .description('an account with one private key, such as that of a paper wallet')
    .action(async (name: string, { keyFile, birthHeight }: { keyFile?: string; birthHeight: number }) => {
      const wif = await readSecret('Private key (WIF): ', keyFile);
      await change((client) => client.wallet.accounts.importKey({ name, wif, birthHeight }));
    });
  account
    .command('rename')
    .argument('<id>')
    .argument('<name>')
    .description('give an account another name')
    .action((id: string, name: string) => change((client) => client.wallet.accounts.rename({ id, name })));
  account
    .command('switch')
    .argument('<id>', 'as "wallet accounts" lists it')
    .description('make an account the active one')
    .action((id: string) => change((client) => client.wallet.accounts.switch({ id })));
  account
    .command('remove')
    .argument('<id>', 'as "wallet accounts" lists it')
    .option('--yes', 'also where it has money or tokens, which are out of reach here then')
    .description('forget an account with its history and labels, and an imported key with it')
    .action(async (id: string, { yes = false }: { yes?: boolean }) => {
      await withClient(globals(), (client) => client.wallet.accounts.remove({ id, loses: yes }));
      output().result({ removed: id }, `Account ${id} is removed.`);
    });
  spending(wallet.command('sweep'))
    .argument('<account>', 'id of the account')
    .description('bring everything in an account to the main one, tokens whole')
    .action((id: string, options: SendOptions) =>
      withClient(globals(), (client) => {
        const prepare = async () => {
          await searchedToTip(client, id, options.timeout, output().note);
          const { feeRate } = options;
          const swept = await client.wallet.sweep({ account: id, feeRate, idempotencyKey: randomUUID() });
          for (const { outpoint, satoshis, reason } of swept.left)
            output().note(`  left: ${outpoint}, ${satoshis} satoshis (${LEFT[reason]})`);
          return swept.send;
        };
        return send(client, prepare, options, output());
      }),
    );
}

/**
 * Waits until the account knows its coins: a sweep before would leave some.
 * @throws PlanchetError if no source of the chain answers, with the reason
 */
async function searchedToTip(
  client: Client,
  id: string,
  timeout: number | undefined,
  note: Output['note'],
): Promise<void> {
  const behind = async (): Promise<boolean> =>
    (await client.wallet.accounts.list()).some(
      (account) => account.id === id && account.state === 'ready' && account.searching,
    );
  if (!(await behind())) return;
  note('  Waiting until the account has been searched up to the newest block.');
  await waitUntil(true, {
    what: 'The search of the account',
    every: POLL_MS,
    look: async () => {
      await client.explorer.height({});
      return behind();
    },
    isOver: (isBehind) => !isBehind,
    reason: () => 'It is not up to the newest block yet.',
    // That was said above.
    note: () => {},
    timeout,
  });
}

/** Why a sweep leaves something. */
const LEFT: Readonly<Record<WalletSweep['left'][number]['reason'], string>> = {
  contract: 'a contract or a redeemable token',
  'too-many': 'more than one sweep takes',
  unproven: 'no block holds it yet, and what it comes from could not be checked',
  dust: 'costs more to spend than it is worth',
};

function lineOf({ id, name, kind, active, total, address, reading }: WalletAccount): string {
  const line = `${active ? '*' : ' '} ${id}  ${name || 'Main'}  ${kind}  ${total} satoshis  ${address ?? 'locked'}`;
  if (reading === null) return line;
  const left = reading.leftMs === null ? '' : `, ${Math.ceil(reading.leftMs / 1_000)} s left`;
  return `${line}\n  reading its history: ${reading.done} of ${reading.total} transactions${left}`;
}
