import type { Texts } from '../../../i18n/index.ts';
import { routes } from '../../../lib/routes.ts';
import './texts.ts';

/**
 * Targets for what a person may want to do: a page, a document, or an existing entry of the search. The words that find a target, and its
 * name, are in the texts of each language. `to` returns undefined if the network has no such page.
 */
export type Intent =
  | { readonly to: (network: string) => string | undefined }
  | { readonly document: string }
  | { readonly entry: string };

export type IntentId = keyof Texts['intents'];

const onSandbox = (network: string): string | undefined => (network === 'sandbox' ? routes.sandbox : undefined);

export const intents: Readonly<Record<IntentId, Intent>> = {
  backup: { to: () => routes.walletPart('keys') },
  restore: { to: () => routes.walletPart('keys') },
  passphrase: { to: () => routes.walletPart('keys') },
  accounts: { to: () => routes.walletPart('keys') },
  send: { entry: 'do-wallet-send' },
  receive: { entry: 'do-wallet-receive' },
  coins: { entry: 'do-wallet-coins' },
  balance: { to: () => routes.wallet },
  fees: { to: () => routes.miners },
  jobs: { entry: 'go-/jobs' },
  projects: { entry: 'go-/projects' },
  cancel: { to: () => routes.jobs },
  undo: { to: () => routes.projects },
  edition: { to: () => routes.projects },
  smaller: { to: () => routes.projects },
  upload: { to: () => routes.import },
  delete: { to: () => routes.projects },
  collection: { entry: 'do-new-project' },
  mint: { to: () => routes.projects },
  publish: { to: () => routes.projects },
  sell: { to: () => routes.tokens },
  sendMany: { to: () => routes.tokensSend },
  contacts: { to: () => routes.walletPart('contacts') },
  gallery: { to: () => routes.tokens },
  proof: { to: () => routes.tokens },
  royalties: { to: () => routes.projects },
  rarity: { to: () => routes.projects },
  deadLetter: { entry: 'do-writer-dead' },
  write: { entry: 'do-writer-write' },
  writerQueue: { to: () => routes.writer },
  rejected: { entry: 'do-submitted-failed' },
  submit: { entry: 'do-submitted-submit' },
  reorg: { to: (network) => (network === 'sandbox' ? routes.sandbox : routes.explorer) },
  blocks: { to: () => routes.explorer },
  mempool: { to: () => routes.mempool },
  history: { entry: 'do-submitted-history' },
  miners: { to: () => routes.miners },
  goLive: { to: (network) => routes.network(network === 'sandbox' ? 'main' : network) },
  switchNetwork: { to: (network) => routes.network(network) },
  sources: { entry: 'do-setting-publicSources' },
  node: { entry: 'do-setting-bitcoinRpcUrl' },
  proxy: { entry: 'do-setting-outboundProxy' },
  connect: { to: () => routes.gatewayView('connect') },
  apiKeys: { to: () => routes.gatewayView('keys') },
  traffic: { to: () => routes.gatewayView('traffic') },
  console: { to: () => routes.gatewayView('console') },
  zmq: { to: () => routes.gatewayView('zmq') },
  approve: { entry: 'do-approvals-open' },
  externalWallet: { entry: 'do-setting-walletSigner' },
  spendLimit: { entry: 'do-setting-writerDailySpend' },
  maxFee: { entry: 'do-setting-maxFeeSatoshis' },
  currency: { to: () => routes.setting('currency') },
  language: { entry: 'do-setting-language' },
  theme: { entry: 'do-setting-theme' },
  dark: { entry: 'do-theme-dark' },
  light: { entry: 'do-theme-light' },
  lockPage: { entry: 'do-sessions-lock' },
  autoLock: { entry: 'do-setting-consoleLockAfter' },
  browsers: { entry: 'do-sessions-open' },
  ports: { entry: 'do-setting-rpcBind' },
  cache: { entry: 'do-setting-gatewayCacheBytes' },
  webhook: { entry: 'do-setting-stateWebhook' },
  metrics: { entry: 'do-setting-metricsBind' },
  quota: { to: () => routes.dashboard },
  log: { to: () => routes.helpPart('log') },
  checks: { to: () => routes.helpPart('checks') },
  report: { to: () => routes.helpPart('report') },
  notices: { to: () => routes.helpPart('notices') },
  shortcuts: { to: () => routes.help },
  documents: { document: '' },
  errorCodes: { document: 'errors' },
  programs: { document: 'integrate/' },
  servers: { document: 'operate/servers' },
  security: { document: 'security' },
  changes: { document: 'changelog' },
  home: { entry: 'go-/' },
  faucet: { to: onSandbox },
  faults: { to: onSandbox },
  clock: { to: onSandbox },
  snapshot: { to: onSandbox },
  mine: { entry: 'do-mine' },
  tokenDesign: { entry: 'do-token-design' },
  redeemable: { to: () => routes.redeemableTokens },
  welcome: { entry: 'do-welcome' },
  rehearse: { to: () => routes.projects },
  importTypes: { to: () => routes.import },
};

/** Parts of pages that have neither an entry in the navigation nor a command. */
export const parts = [
  ...(['connect', 'traffic', 'console', 'keys', 'zmq'] as const).map((part) => ({
    to: routes.gatewayView(part),
    page: 'gateway.nav' as const,
    title: `gateway.tabs.${part}` as const,
  })),
  { to: routes.walletPart('keys'), page: 'wallet.nav' as const, title: 'wallet.tabs.keys' as const },
  { to: routes.writerTry, page: 'writer.nav' as const, title: 'writer.tabs.try' as const },
  { to: routes.mempool, page: 'explorer.nav' as const, title: 'explorer.mempool' as const },
];
