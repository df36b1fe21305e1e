import { pino } from 'pino';
import { Accounts } from '../accounts/accounts.ts';
import type { KeySource } from '../keys/key-source.ts';
import { Payments, type PaymentsOptions } from '../sending/payments.ts';
import { Wallet } from '../wallet.ts';
import type { WalletOfTest } from './test-wallet.ts';

/** The accounts of the wallet, over what is stored. None of their payments is submitted or tracked. */
export function openAccounts(opened: WalletOfTest): Promise<Accounts> {
  const { store, secrets, clock, node, settings } = opened.bench;
  const logger = pino({ level: 'silent' });
  const common = { network: 'sandbox', store, clock, settings: { current: () => settings }, logger } as const;
  const paymentsOf = (wallet: Wallet): Payments =>
    new Payments({
      ...common,
      wallet,
      node,
      tracker: { onChange: () => () => undefined },
      allowed: async () => undefined,
    } as unknown as PaymentsOptions);
  return Accounts.open({
    network: 'sandbox',
    store,
    secrets,
    clock,
    tip: node,
    main: { kind: 'seed', wallet: opened.wallet, payments: paymentsOf(opened.wallet) },
    open: async (keys: KeySource, scope: string) => {
      const events = { publish: () => undefined };
      const wallet = await Wallet.openWith({ ...common, rpc: node, tips: node, events, scope }, keys);
      return { wallet, payments: paymentsOf(wallet) };
    },
  });
}
