/**
 * The data writer with its wallet, and nothing else of the application, in a process of its own: `writer-process.ts
 * <WriterProcessOptions as JSON>`. Prints one line of JSON, a {@link WriterReady}, and stays until SIGTERM. Killed and started again on
 * the same folder it is the same writer.
 */

import { join } from 'node:path';
import { pino } from 'pino';
import { PlanchetError, type Settings, settingsSchema } from '../../../contract/index.ts';
import { HeaderStore } from '../../chain-data/headers/header-store.ts';
import { createNodeChainData } from '../../chain-data/node/node-chain-data.ts';
import { createNodeHeaders } from '../../chain-data/node/node-headers.ts';
import { systemClock } from '../../clock.ts';
import { createChainView } from '../../gateway/chain/create-chain-view.ts';
import { TipFollower } from '../../gateway/chain/tip-follower.ts';
import { NodeClient } from '../../gateway/upstream/client.ts';
import { MapiEndpoint } from '../../merchant/protocols/mapi/mapi-endpoint.ts';
import { MerchantKeys } from '../../merchant/protocols/mapi/merchant-keys.ts';
import { merchantMigrations } from '../../merchant/protocols/mapi/tables.ts';
import { minersOf, serviceMerchant } from '../../merchant/test-support/miners.ts';
import { type TrackingTables, trackingMigrations } from '../../merchant/tracking/storage/tables.ts';
import { TransactionStore } from '../../merchant/tracking/storage/transaction-store.ts';
import { Tracker } from '../../merchant/tracking/tracker.ts';
import type { Endpoints } from '../../ports/settings.ts';
import type { SharedStore } from '../../ports/store.ts';
import { openStore } from '../../store/store.ts';
import { Vault } from '../../vault/vault.ts';
import { walletMigrations } from '../../wallet/migrations.ts';
import { Wallet } from '../../wallet/wallet.ts';
import { createWorkerPool } from '../../workers/worker-pool.ts';
import { openWriterStore } from '../../writer/storage/store.ts';
import { WriterService } from '../../writer/writer.ts';
import { SameWallet } from './same-wallet.ts';

/** The writer's coins, as in the application. */
const WRITER_ACCOUNT = 1;

export interface WriterProcessOptions {
  readonly dataDir: string;
  readonly apiKey: string;
  /** Of the sandbox it writes to. */
  readonly endpoints: Endpoints;
  readonly settings: Partial<Settings>;
  /** Registers the API key at each start where it is not yet. */
  readonly registers?: boolean;
  readonly claimMs?: number;
  /** How long a database transaction may stand still (ms) before the PostgreSQL server cuts it; 15 s if left out. */
  readonly pausedTransactionMs?: number;
}

export interface WriterReady {
  readonly url: string;
}

// Held, it has loaded its code and touches nothing until it is told to; where whoever started it is gone, it goes too.
if (process.env.PLANCHET_HELD !== undefined) {
  const told = await process.stdin[Symbol.asyncIterator]().next();
  if (told.done === true) process.exit(0);
}
const given = JSON.parse(process.argv[2] ?? '') as WriterProcessOptions;
const { dataDir, apiKey, endpoints, settings: changes, registers, claimMs, pausedTransactionMs } = given;
const settings = settingsSchema.parse({ writerBind: '127.0.0.1:0', ...changes });
const view = { current: () => settings, onChange: () => () => {} };
const logger = pino({ level: process.env.PLANCHET_LOG_LEVEL ?? 'silent' }, pino.destination(2));
const secrets = await vaultWithWallet();
const common = { network: 'sandbox' as const, endpoints: () => endpoints, clock: systemClock, logger, secrets };
const events = { publish: () => {} };
const node = new NodeClient({ ...common, settings: view, apiKey: () => apiKey });
const chain = createChainView({ ...common, settings: view, node });
const tips = new TipFollower({ ...common, chain });
const store: SharedStore = await openStore({
  file: join(dataDir, 'wallet.db'),
  migrations: [...walletMigrations, ...merchantMigrations],
  synchronous: 'full',
});
const workers = createWorkerPool();
const scripts = workers.verifyInputs;
const notices = { add: () => {}, dismiss: () => {} };
const headers = new HeaderStore({
  ...common,
  dataDir,
  sources: (signal) => [createNodeHeaders({ node }, signal)],
  tip: tips,
});
const chainData = createNodeChainData(node, headers);
const chainOptions = { chainData, headers, tips, notices };
const wallet = await Wallet.open({ ...common, ...chainOptions, scripts, store, settings: view, events });
const keys = await MerchantKeys.open({ ...common, store, pinned: () => undefined });
const miner = new MapiEndpoint({
  miner: { id: 'default', name: 'Default', kind: 'mapi' },
  url: () => endpoints.mapiUrl,
  apiKey: () => secrets.get('apiKey:sandbox'),
  clock: systemClock,
  keys,
});
// What is submitted is journalled, as in the application.
const tracked = await openStore<TrackingTables>({
  file: join(dataDir, 'transactions.db'),
  migrations: trackingMigrations,
  synchronous: 'full',
});
const transactions = new TransactionStore({ store: tracked, clock: systemClock, tipHeight: () => null });
const tracker = new Tracker({ transactions, clock: systemClock, logger });
const writer = new WriterService({
  ...common,
  settings: view,
  dataDir,
  wallet,
  poolKey: () => wallet.seedKeys.accountKey(WRITER_ACCOUNT),
  merchant: serviceMerchant(minersOf(miner), view, tracker),
  tracker,
  chainData,
  tips,
  events,
  openStore: (file, url) => openWriterStore(file, url, pausedTransactionMs),
  ...(claimMs === undefined ? {} : { claimMs }),
});

/** A vault in the machine's own folder, with the wallet that all machines have. */
async function vaultWithWallet(): Promise<Vault> {
  const vault = await Vault.open({ dataDir, network: 'sandbox' });
  const given = new SameWallet(apiKey);
  for (const name of ['seed:sandbox', 'apiKey:sandbox'] as const) {
    if (vault.get(name) === undefined) await vault.set(name, given.get(name) ?? new Uint8Array());
  }
  return vault;
}

async function register(): Promise<void> {
  try {
    await writer.view.keys.register({ apiKey });
  } catch (error) {
    if (!(error instanceof PlanchetError) || error.code !== 'conflict') throw error;
  }
}

async function stop(): Promise<void> {
  await writer.stop();
  await wallet.stop();
  await tracked.close();
  await headers.close();
  await tips.stop();
  await node.close();
  await store.close();
  process.exit(0);
}

process.once('SIGTERM', () => void stop());
tips.start();
await wallet.start();
// on a slow machine the start does not wait for all the coins, and a writer without them refuses documents
await wallet.follow();
const { address = '' } = await writer.start();
if (registers === true) await register();
const ready: WriterReady = { url: address };
process.stdout.write(`${JSON.stringify(ready)}\n`);
