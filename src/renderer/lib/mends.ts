import type { ErrorId, Failure, Network } from '../../contract/index.ts';
import { routes } from './routes.ts';

/** Where a person fixes a failure on the page; null if the button is the fix itself. Its label: `common.mend.<name>`. */
const mends = {
  unlock: routes.wallet,
  wallet: routes.wallet,
  passphrase: routes.wallet,
  keys: routes.walletPart('keys'),
  coins: routes.walletPart('coins'),
  apiKey: routes.setting('apiKey'),
  minerKey: routes.miners,
  writerKey: routes.writerKeys,
  setting: settingLink,
  node: routes.setting('bitcoinRpcUrl'),
  sources: (_: Broken, network: Network) => routes.network(network),
  miners: routes.miners,
  money: routes.walletPart('receive'),
  sandboxMoney: routes.sandbox,
  sandbox: routes.sandbox,
  tokens: routes.tokens,
  submitted: routes.submitted,
  approvals: routes.approvals,
  checks: routes.helpPart('checks'),
  faults: null,
} as const satisfies Record<string, string | null | ((failure: Broken, network: Network) => string)>;

type Broken = Pick<Failure, 'id' | 'values'>;

export type Mend = keyof typeof mends;

/** The setting to change. The other failures of a setting name it in their values. */
const settingOfError: { readonly [Id in ErrorId]?: string } = {
  'server.metrics-without-key': 'metricsBind',
  'sandbox.zmq-bind-refused': 'sandbox.zmqAddress',
  'console.bind-refused': 'consoleAddress',
  'notices.webhook-silent': 'stateWebhook',
  'miners.built-in': 'mapiUrl',
  'merchant.key-from-settings': 'mapiPublicKey',
  'writer.daily-cap': 'writerDailySpend',
  'writer.no-funding-service': 'fundingUrl',
};

function settingLink({ id, values }: Broken): string {
  const key = settingOfError[id as ErrorId] ?? values?.key;
  return typeof key === 'string' ? routes.setting(key) : routes.settings;
}

/** Messages that have a button as their fix. It stands in place of the command that their hints end with. */
export const mendOfError: { readonly [Id in ErrorId]?: Mend } = {
  'vault.locked': 'unlock',
  'miners.callbacks-locked': 'unlock',
  'approvals.locked': 'unlock',
  'doctor.vault-locked': 'unlock',
  'wallet.locked': 'unlock',
  'mint.wallet-locked': 'unlock',
  'vault.passphrase-required': 'passphrase',
  'vault.passphrase-not-set': 'keys',
  'wallet.backup-unchecked': 'keys',
  'wallet.funds-elsewhere': 'coins',
  'wallet.funds-set-aside': 'coins',
  'doctor.wallet-missing': 'wallet',
  'wallet.missing': 'wallet',
  'wallet.none': 'wallet',
  'wallet.account-missing': 'wallet',
  'writer.wallet-not-ready': 'wallet',
  'writer.no-paying-wallet': 'wallet',
  'token-service.api-key-missing': 'apiKey',
  'token-service.unauthorized': 'apiKey',
  'doctor.token-key-refused': 'apiKey',
  'merchant.api-key-missing': 'minerKey',
  'merchant.api-key-malformed': 'minerKey',
  'merchant.unauthorized': 'minerKey',
  'writer.no-api-key': 'writerKey',
  'writer.signing-key-missing': 'writerKey',
  'writer.api-key-not-ready': 'writerKey',
  'server.port-in-use': 'setting',
  'server.listen-failed': 'setting',
  'server.bind-refused': 'setting',
  'server.metrics-without-key': 'setting',
  'doctor.port-taken': 'setting',
  'sandbox.zmq-bind-refused': 'setting',
  'console.bind-refused': 'setting',
  'notices.webhook-silent': 'setting',
  'miners.built-in': 'setting',
  'merchant.key-from-settings': 'setting',
  'writer.daily-cap': 'setting',
  'writer.no-funding-service': 'setting',
  'upstream.none': 'node',
  'chain.no-headers': 'sources',
  'gateway.sources-silent': 'sources',
  'gateway.tip-not-agreed': 'sources',
  'gateway.one-operator': 'sources',
  'merchant.no-miner': 'miners',
  'merchant.no-address': 'miners',
  'merchant.miner-unknown': 'miners',
  'merchant.key-unknown': 'miners',
  'merchant.transaction-unknown': 'submitted',
  'mint.funds-insufficient': 'money',
  'wallet.funds-insufficient': 'money',
  'wallet.sandbox-funds-insufficient': 'sandboxMoney',
  'sandbox.first-coins': 'sandboxMoney',
  'sandbox.coinbase': 'sandbox',
  'wallet.send-one-satoshi': 'tokens',
  'approvals.too-late': 'approvals',
  'approvals.too-many': 'approvals',
  'general.internal': 'checks',
  'token-service.sandbox-not-running': 'checks',
  'token-service.sandbox-unreachable': 'checks',
  'sandbox.faults-on': 'faults',
};

/** The fix of a failure on the page; undefined if its own hint is enough. */
export function mendOf({ id }: Pick<Failure, 'id'>): Mend | undefined {
  return id !== undefined && Object.hasOwn(mendOfError, id) ? mendOfError[id as ErrorId] : undefined;
}

/** Where a fix is; null if its button is the fix. */
export function mendLink(mend: Mend, failure: Broken, network: Network): string | null {
  const leadsTo = mends[mend];
  return typeof leadsTo === 'function' ? leadsTo(failure, network) : leadsTo;
}
