import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Network, TransactionOrigin } from '../../contract/index.ts';
import type { Clock } from '../ports/clock.ts';
import type { Events } from '../ports/events.ts';
import type { ProofVerifier } from '../ports/headers.ts';
import type { BatchMerchant } from '../ports/merchant.ts';
import type { MinerEndpoint } from '../ports/miners.ts';
import type { NodeRpc, TipSource } from '../ports/node.ts';
import type { SecretStore } from '../ports/secrets.ts';
import type { Endpoints, SettingsView } from '../ports/settings.ts';
import type { Store } from '../ports/store.ts';
import { openStore } from '../store/store.ts';
import { ArcEndpoint, readArcStatus } from './arc/arc-endpoint.ts';
import { Callbacks } from './callbacks/callbacks.ts';
import { type EndpointConfig, MinerRegistry } from './endpoints/miner-registry.ts';
import { type EndpointTables, endpointMigrations } from './endpoints/tables.ts';
import type { ReadRest } from './headers/header-source.ts';
import { HeaderStore } from './headers/header-store.ts';
import { createProofVerifier } from './headers/proof-verifier.ts';
import { MapiEndpoint } from './mapi/mapi-endpoint.ts';
import { endpointOf, MerchantKeys } from './mapi/merchant-keys.ts';
import type { MerchantTables } from './mapi/tables.ts';
import { ServiceMerchant } from './service-merchant.ts';
import { ManualSubmission } from './submission/manual-submission.ts';
import { Submitter } from './submission/submitter.ts';
import { ChainFollower } from './tracking/chain-follower.ts';
import { publishChanges } from './tracking/publish-changes.ts';
import { type TrackingTables, trackingMigrations } from './tracking/tables.ts';
import { TrackedChain } from './tracking/tracked-chain.ts';
import { Tracker } from './tracking/tracker.ts';
import { TransactionStore } from './tracking/transaction-store.ts';

export interface MerchantServiceOptions {
  network: Network;
  /** Folder of the network. */
  dataDir: string;
  /** Opened with `merchantMigrations` among its migrations. */
  store: Store<MerchantTables>;
  settings: SettingsView;
  secrets: SecretStore;
  endpoints: () => Endpoints;
  node: NodeRpc;
  /** Reads a REST path of the node; left out where it has none. */
  readRest?: ReadRest;
  tip: TipSource;
  events: Events;
  clock: Clock;
  logger: Logger;
}

/** Everything that submits transactions to miners and follows them. */
export interface MerchantSystems {
  merchantKeys: MerchantKeys;
  transactions: TransactionStore;
  tracker: Tracker;
  /** Follows tracked transactions to their blocks and proofs; to be started and stopped. */
  follower: ChainFollower;
  miners: MinerRegistry;
  submitter: Submitter;
  /** Receives what miners report by themselves. */
  callbacks: Callbacks;
  /** Transactions that a person or another program hands over. */
  manual: ManualSubmission;
  /** The stored headers of the active chain; to be started and stopped. */
  headers: HeaderStore;
  proofs: ProofVerifier;
  /** The miners for one service; what it submits is tracked under its name. */
  merchantFor(origin: TransactionOrigin): BatchMerchant;
  close(): Promise<void>;
}

/** Name and id of the endpoint that the setting `mapiUrl` or the sandbox names. */
const DEFAULT = { id: 'default', name: 'Default', kind: 'mapi' } as const;

/**
 * The studio leaves it to a person whether a mint that the network lost is sent again, and the writer's queue sends its own transactions.
 */
const SENT_BY_THEIR_SERVICE: readonly TransactionOrigin[] = ['mint', 'writer'];

/** The sandbox speaks both APIs, so that a rehearsal meets both. */
const SANDBOX_ARC = { id: 'sandbox-arc', name: 'Sandbox ARC', kind: 'arc' } as const;

/** @throws PlanchetError `store-failed`, `disk-full` */
export async function createMerchant(options: MerchantServiceOptions): Promise<MerchantSystems> {
  const { network, settings, secrets, endpoints, node, tip, clock, logger } = options;
  const mapiUrl = (): string => endpoints().mapiUrl;
  const arcUrl = (): string => endpoints().arcUrl ?? '';
  const merchantKeys = await MerchantKeys.open({
    ...options,
    pinned: (endpoint) => (endpoint === endpointOf(mapiUrl()) ? settings.current().mapiPublicKey : undefined),
  });
  const store = await openStore<TrackingTables & EndpointTables>({
    file: join(options.dataDir, 'transactions.db'),
    migrations: [...trackingMigrations, ...endpointMigrations],
    synchronous: 'full',
  });
  const transactions = new TransactionStore({ store, clock, tipHeight: () => tip.current()?.height ?? null });
  const tracker = new Tracker({ transactions, clock, logger });
  const stopPublishing = publishChanges(options.events, tracker, clock);
  const createMapi = (config: EndpointConfig): MinerEndpoint =>
    new MapiEndpoint({ ...config, miner: config, keys: merchantKeys, clock });
  const createArc = (config: EndpointConfig): MinerEndpoint => new ArcEndpoint({ ...config, miner: config, clock });
  const apiKey = (): Uint8Array | undefined => secrets.get(`apiKey:${network}`);
  const miners = await MinerRegistry.open({
    store,
    builtIn: [
      { ...DEFAULT, url: mapiUrl, apiKey, isThere: () => true },
      { ...SANDBOX_ARC, url: arcUrl, apiKey, isThere: () => arcUrl() !== '' },
    ],
    create: { mapi: createMapi, arc: createArc },
    apiKeyOf: () => undefined,
    keyOf: (url) => merchantKeys.of(url),
  });
  const callbacks = new Callbacks({
    ...options,
    miners,
    trusts: async (minerId, publicKey) => {
      const miner = (await miners.list()).find(({ id }) => id === minerId);
      return miner !== undefined && merchantKeys.isTrusted({ endpoint: endpointOf(miner.url), publicKey });
    },
    readStatus: readArcStatus,
    answered: (miner, verdicts) => tracker.answered(miner, 'callback', verdicts),
    isRecorded: (txid, minerId, raw) => transactions.hasCallback(txid, minerId, raw),
  });
  const submitter = new Submitter({ miners, tracker, clock, logger, expect: (miner) => callbacks.expect(miner) });
  const headers = new HeaderStore(options);
  const follower = new ChainFollower({
    chain: new TrackedChain(store, clock),
    tracker,
    node,
    tip,
    clock,
    logger,
    sendAgain: async (lost) => void (await submitter.submit(lost)),
    sentByTheirService: SENT_BY_THEIR_SERVICE,
  });
  const manual = new ManualSubmission({ network, submitter, transactions, node, tip, settings, clock });
  return {
    merchantKeys,
    transactions,
    tracker,
    follower,
    miners,
    submitter,
    callbacks,
    manual,
    headers,
    proofs: createProofVerifier(headers),
    merchantFor: (origin) => new ServiceMerchant({ miners, submitter, settings, origin }),
    close: async () => {
      stopPublishing();
      manual.close();
      await headers.close();
      await store.close();
    },
  };
}
