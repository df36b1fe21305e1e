/**
 * The interfaces through which services use each other, one file a port. A service never imports another service: `host/` builds them all and
 * passes each the ports it needs.
 */
export type { Logger } from 'pino';
export type { Clock } from './ports/clock.ts';
export type { Events } from './ports/events.ts';
export type { BatchMerchant, FeeQuote, FeeRate, Merchant } from './ports/merchant.ts';
export { type NodeRpc, NodeRpcError, type TipSource } from './ports/node.ts';
export type { Notices } from './ports/notices.ts';
export type { SecretName, SecretStore } from './ports/secrets.ts';
export type { Service, ServiceHealth } from './ports/service.ts';
export type { Endpoints, SettingsView } from './ports/settings.ts';
export type { Store } from './ports/store.ts';
export type { TracedCall } from './ports/tracing.ts';
export type { FundingWallet, MintWallet, NonFundingOutput, TokenWallet } from './ports/wallet.ts';
