import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Miner, Network, TransactionOrigin } from '../../contract/index.ts';
import type { Clock } from '../ports/clock.ts';
import type { BatchMerchant } from '../ports/merchant.ts';
import type { TipSource } from '../ports/node.ts';
import type { SecretStore } from '../ports/secrets.ts';
import type { Endpoints, SettingsView } from '../ports/settings.ts';
import type { Store } from '../ports/store.ts';
import { openStore } from '../store/store.ts';
import { MerchantClient } from './merchant-client.ts';
import { MerchantKeys } from './merchant-keys.ts';
import type { MerchantTables } from './tables.ts';
import { RecordingMerchant } from './tracking/recording-merchant.ts';
import { type TrackingTables, trackingMigrations } from './tracking/tables.ts';
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
  tip: TipSource;
  clock: Clock;
  logger: Logger;
}

/** Everything that submits transactions to miners and follows them. */
export interface MerchantSystems {
  merchantKeys: MerchantKeys;
  transactions: TransactionStore;
  tracker: Tracker;
  miners: { list(): Promise<Miner[]> };
  /** The merchant API for one service; what it submits is tracked under its name. */
  merchantFor(origin: TransactionOrigin): BatchMerchant;
  close(): Promise<void>;
}

/** Name and id of the endpoint that the setting `mapiUrl` or the sandbox names. */
const builtIn = { id: 'default', name: 'Default', kind: 'mapi' } as const;

/** @throws PlanchetError `store-failed`, `disk-full` */
export async function createMerchant(options: MerchantServiceOptions): Promise<MerchantSystems> {
  const { network, settings, secrets, endpoints, tip, clock, logger } = options;
  const merchantKeys = await MerchantKeys.open(options);
  const client = new MerchantClient({ network, endpoints, secrets, keys: merchantKeys, settings, clock });
  const store = await openStore<TrackingTables>({
    file: join(options.dataDir, 'transactions.db'),
    migrations: trackingMigrations,
    synchronous: 'full',
  });
  const transactions = new TransactionStore({ store, clock, tipHeight: () => tip.current()?.height ?? null });
  const tracker = new Tracker({ transactions, clock, logger });
  return {
    merchantKeys,
    transactions,
    tracker,
    miners: {
      list: async () => [
        {
          ...builtIn,
          url: endpoints().mapiUrl,
          enabled: true,
          builtIn: true,
          hasKey: secrets.get(`apiKey:${network}`) !== undefined,
          quote: null,
          failure: null,
          key: merchantKeys.list()[0] ?? null,
          requests: { succeeded: 0, failed: 0 },
          latencyMs: null,
        },
      ],
    },
    merchantFor: (origin) => new RecordingMerchant({ merchant: client, tracker, miner: builtIn, origin }),
    close: () => store.close(),
  };
}
