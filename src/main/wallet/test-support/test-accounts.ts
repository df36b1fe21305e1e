import { pino } from 'pino';
import type { Network } from '../../../contract/index.ts';
import { createNodeChainData } from '../../chain-data/node/node-chain-data.ts';
import type { LockableVault } from '../../ports/secrets.ts';
import { Accounts } from '../accounts/accounts.ts';
import { readBackupContent } from '../backup/backup-content.ts';
import { type PassphraseSeal, WalletBackups } from '../backup/wallet-backups.ts';
import { Contacts } from '../contacts/contacts.ts';
import type { KeySource } from '../keys/key-source.ts';
import { Payments, type PaymentsOptions } from '../sending/payments.ts';
import { Wallet } from '../wallet.ts';
import { WalletView } from '../wallet-view.ts';
import { KeepingMiner } from './keeping-miner.ts';
import type { Harness } from './test-wallet.ts';

/** The accounts of a wallet, over what is stored. */
export async function openAccounts(
  { harness, wallet }: { harness: Harness; wallet: Wallet },
  network: Network = 'sandbox',
  { merchant = new KeepingMiner(harness.node), ...more }: Partial<PaymentsOptions> = {},
): Promise<Accounts> {
  const { store, secrets, clock, settings, scripts, headers } = harness;
  const logger = pino({ level: 'silent' });
  const common = { network, store, clock, settings: { current: () => settings }, logger } as const;
  const chainData = createNodeChainData(harness.node, headers);
  const paymentsOf = (of: Wallet): Payments =>
    new Payments({
      ...common,
      wallet: of,
      chainData,
      merchant,
      contacts: contactsOf(harness, () => accounts, network),
      ...more,
      tracker: { onChange: () => () => undefined, get: async () => undefined, track: async () => undefined },
      allowed: async () => undefined,
      all: () => accounts.all.map(({ payments }) => payments),
    } as unknown as PaymentsOptions);
  const accounts: Accounts = await Accounts.open({
    network,
    store,
    secrets,
    clock,
    tip: harness.node,
    main: { kind: 'seed', wallet, payments: paymentsOf(wallet) },
    open: async (keys: KeySource, scope: string) => {
      const events = { publish: () => undefined };
      const notices = { add: () => undefined, dismiss: () => undefined };
      const chain = { chainData, headers, notices, tips: harness.node };
      const further = await Wallet.openWith({ ...common, ...chain, events, scripts, scope }, keys);
      return { wallet: further, payments: paymentsOf(further) };
    },
  });
  return accounts;
}

export function contactsOf({ store }: Harness, accounts: () => Accounts, network: Network = 'sandbox'): Contacts {
  const isOwn = (address: string): boolean => accounts().all.some(({ wallet }) => wallet.validateAddress(address).own);
  return new Contacts({ network, store, isOwn });
}

/** Encrypts nothing: the seal has tests of its own. */
export const PLAIN_SEAL: PassphraseSeal = {
  seal: async (_, plain) => Buffer.from(plain).toString('base64'),
  open: async (_, text) => Buffer.from(text, 'base64'),
};

/** What a person sees of these accounts. */
export function viewOf(harness: Harness, accounts: Accounts, network: Network = 'sandbox'): WalletView {
  const { store, secrets, clock } = harness;
  const { wallet } = accounts.main;
  const content = () => readBackupContent({ network, store, secrets });
  return new WalletView({
    accounts,
    network,
    store,
    contacts: contactsOf(harness, () => accounts, network),
    backups: new WalletBackups({ network, wallet, store, clock, secrets, seal: PLAIN_SEAL, content }),
    vault: secrets as unknown as LockableVault,
    appPayments: { pay: () => Promise.reject(new Error('no wallet app here')) },
    logger: pino({ level: 'silent' }),
    used: () => undefined,
    forJob: () => undefined,
  });
}
