import type { ErrorId, Failure, Network } from '../../contract/index.ts';
import { routes } from './routes.ts';

/** The fix of a failure on the page: a link, or undefined if the button itself is the fix. Texts: `common.mend.<name>`. */
const mends = {
  unlock: routes.wallet,
  wallet: routes.wallet,
  passphrase: routes.wallet,
  apiKey: routes.setting('apiKey'),
  node: routes.setting('bitcoinRpcUrl'),
  sources: routes.network,
  miners: routes.miners,
  money: routes.walletPart('receive'),
  sandboxMoney: routes.sandbox,
  faults: null,
} as const satisfies Record<string, string | null | ((network: Network) => string)>;

export type Mend = keyof typeof mends;

/** Messages that have a button as their fix. It replaces the hint, which is often a command of the terminal. */
export const mendOfError: { readonly [Id in ErrorId]?: Mend } = {
  'vault.locked': 'unlock',
  'miners.callbacks-locked': 'unlock',
  'approvals.locked': 'unlock',
  'doctor.vault-locked': 'unlock',
  'wallet.locked': 'unlock',
  'mint.wallet-locked': 'unlock',
  'vault.passphrase-required': 'passphrase',
  'doctor.wallet-missing': 'wallet',
  'wallet.missing': 'wallet',
  'wallet.none': 'wallet',
  'writer.wallet-not-ready': 'wallet',
  'writer.no-paying-wallet': 'wallet',
  'merchant.api-key-missing': 'apiKey',
  'upstream.none': 'node',
  'chain.no-headers': 'sources',
  'gateway.sources-silent': 'sources',
  'gateway.tip-not-agreed': 'sources',
  'gateway.one-operator': 'sources',
  'merchant.no-miner': 'miners',
  'merchant.no-address': 'miners',
  'mint.funds-insufficient': 'money',
  'wallet.funds-insufficient': 'money',
  'wallet.sandbox-funds-insufficient': 'sandboxMoney',
  'sandbox.first-coins': 'sandboxMoney',
  'sandbox.faults-on': 'faults',
};

/** The fix of a failure on the page; undefined if its own hint is enough. */
export function mendOf({ id }: Pick<Failure, 'id'>): Mend | undefined {
  return id !== undefined && Object.hasOwn(mendOfError, id) ? mendOfError[id as ErrorId] : undefined;
}

/** Where a fix is; null if its button is the fix. */
export function mendLink(mend: Mend, network: Network): string | null {
  const leadsTo = mends[mend];
  return typeof leadsTo === 'function' ? leadsTo(network) : leadsTo;
}
