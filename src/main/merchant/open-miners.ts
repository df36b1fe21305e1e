import type { Logger } from 'pino';
import { DEFAULT_MINER_NAME, type Network } from '../../contract/index.ts';
import type { Clock } from '../ports/clock.ts';
import type { MinerEndpoint } from '../ports/merchant/miners.ts';
import type { KnownTransactions } from '../ports/merchant/transactions.ts';
import type { Outbound } from '../ports/outbound.ts';
import type { SecretName, SecretStore } from '../ports/secrets.ts';
import type { Endpoints, SettingsView } from '../ports/settings.ts';
import type { Store } from '../ports/store.ts';
import { EndpointStore } from './endpoints/endpoint-store.ts';
import { EndpointTester } from './endpoints/endpoint-test.ts';
import { MinerHistory } from './endpoints/miner-history.ts';
import { type EndpointConfig, MinerRegistry, type MinerSecrets } from './endpoints/miner-registry.ts';
import type { EndpointTables } from './endpoints/tables.ts';
import { endpointOf, type KeyCheck, MerchantKeys } from './protocols/mapi/merchant-keys.ts';
import type { MerchantTables } from './protocols/mapi/tables.ts';
import { protocols } from './protocols/protocols.ts';

export interface OpenMinersOptions {
  network: Network;
  /** Opened with `merchantMigrations` among its migrations. */
  store: Store<MerchantTables>;
  /** Opened with `endpointMigrations` among its migrations. */
  endpointStore: Store<EndpointTables>;
  settings: SettingsView;
  secrets: SecretStore;
  /** Keeps a secret out of the logs. */
  redact: (secret: string) => void;
  endpoints: () => Endpoints;
  /** The way to other machines; directly where it is left out. */
  outbound?: Outbound;
  /** What was submitted before. */
  known: KnownTransactions;
  clock: Clock;
  logger: Logger;
}

/** The miners in use, their keys, their history, and tests of them. */
export interface MinerSystems {
  merchantKeys: MerchantKeys;
  miners: MinerRegistry;
  minerHistory: MinerHistory;
  minerTester: EndpointTester;
}

/** Name and id of the endpoint that the setting `mapiUrl` or the sandbox names. */
export const DEFAULT_MINER = { id: 'default', name: DEFAULT_MINER_NAME, kind: 'mapi' } as const;
/** The sandbox serves both APIs, so that a rehearsal uses both. */
export const SANDBOX_ARC = { id: 'sandbox-arc', name: 'Sandbox ARC', kind: 'arc' } as const;

/** @throws PlanchetError `store-failed` */
export async function openMiners(options: OpenMinersOptions): Promise<MinerSystems> {
  const { network, settings, secrets, endpoints, endpointStore, known, clock, logger, outbound } = options;
  const mapiUrl = (): string => endpoints().mapiUrl;
  const arcUrl = (): string => endpoints().arcUrl ?? '';
  let added: MinerRegistry | undefined;
  const merchantKeys = await MerchantKeys.open({
    ...options,
    pinned: (endpoint) => (endpoint === endpointOf(mapiUrl()) ? settings.current().mapiPublicKey : undefined),
    pinnedByMiner: (endpoint) => added?.pinnedKeyFor((url) => endpointOf(url) === endpoint),
  });
  const minerHistory = new MinerHistory({
    store: endpointStore,
    clock,
    failed: (error) => logger.warn({ err: error }, 'the history of a miner could not be stored'),
  });
  const create = (config: EndpointConfig, keys: KeyCheck): MinerEndpoint =>
    protocols[config.kind].client({ ...config, miner: config, keys, clock, known, outbound });
  const apiKey = (): Uint8Array | undefined => secrets.get(`apiKey:${network}`);
  const miners = await MinerRegistry.open({
    network,
    store: new EndpointStore({ store: endpointStore, clock }),
    history: minerHistory,
    builtIn: [
      { ...DEFAULT_MINER, url: mapiUrl, apiKey, isThere: () => true },
      { ...SANDBOX_ARC, url: arcUrl, apiKey, isThere: () => arcUrl() !== '' },
    ],
    create: (config) => create(config, merchantKeys),
    secrets: minerSecrets(options),
    keyOf: (url) => merchantKeys.of(url),
    clock,
  });
  added = miners;
  const minerTester = new EndpointTester({
    miners,
    create: (config, pinnedKey) => create(config, merchantKeys.withoutLearning(pinnedKey)),
    maxFeeRate: () => settings.current().maxFeeRate,
    isProxied: (url) => outbound?.(url) !== undefined,
    clock,
  });
  return { merchantKeys, miners, minerHistory, minerTester };
}

/** API keys of the miners that were added, in the vault. */
function minerSecrets({ network, secrets, redact }: OpenMinersOptions): MinerSecrets {
  const nameOf = (id: string): SecretName => `minerKey:${network}:${id}`;
  return {
    get: (id) => {
      const key = secrets.get(nameOf(id));
      if (key !== undefined) redact(Buffer.from(key).toString('utf8'));
      return key;
    },
    set: async (id, apiKey) => {
      if (apiKey === '') return secrets.delete(nameOf(id));
      redact(apiKey);
      await secrets.set(nameOf(id), Buffer.from(apiKey));
    },
  };
}
