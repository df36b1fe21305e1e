import { join } from 'node:path';
import type PrivateKey from '@bsv/sdk/primitives/PrivateKey';
import type { FastifyInstance } from 'fastify';
import { type Failure, PlanchetError } from '../../contract/index.ts';
import { DisposableStore } from '../infrastructure/disposables.ts';
import type { LocalServer } from '../local-server.ts';
import type { SharedStore, Store } from '../ports/store.ts';
import { openStore } from '../store/store.ts';
import { ApiKeys, newApiKey } from './api/api-keys.ts';
import { RateLimiter } from './api/rate-limiter.ts';
import { buildApp } from './api/server.ts';
import { ArcDelivery } from './arc/delivery.ts';
import { MerklePaths } from './arc/merkle-paths.ts';
import type { ArcTransaction } from './arc/statuses.ts';
import { ArcSubmitter } from './arc/submission.ts';
import { ArcTransactions } from './arc/transactions.ts';
import { ArcWatches } from './arc/watches.ts';
import { ArcadeEvents } from './arcade/events.ts';
import type { Controls } from './controls/controls.ts';
import { ForgedTransactions } from './controls/double-spend.ts';
import { faultyRpc, submitter } from './controls/full-mempool.ts';
import { LiveMiner } from './controls/live-miner.ts';
import { SandboxClock } from './controls/sandbox-clock.ts';
import { Delivery } from './merchant/callbacks/delivery.ts';
import { queueCounts } from './merchant/callbacks/queue-counts.ts';
import { ProofTrees } from './merchant/proof-trees.ts';
import { EnvelopeSigner } from './merchant/signer.ts';
import { Watches } from './merchant/watches.ts';
import { lockingScriptOf } from './node/mining/faucet.ts';
import { type MempoolLimits, SandboxNode, type VerifyBatch, type VerifyScripts } from './node/node.ts';
import { createNodeRpc } from './node/rpc/dispatcher.ts';
import { ZmqPublisher } from './node/zmq/publisher.ts';
import type { SandboxParts } from './parts.ts';
import { PublicIndex } from './public-services/public-index.ts';
import { NetworkState, type SandboxSecrets } from './state.ts';
import { type SandboxTables, sandboxMigrations } from './tables.ts';
import { ContentFiles } from './token/content-files.ts';
import { openTokenService } from './token/routes.ts';

const DEFAULT_USER = 'default';
/** Time of the first block of a seeded network: 2026-01-01. */
const SEEDED_START = Date.UTC(2026, 0, 1);

export interface CoreOptions extends Pick<SandboxParts, 'settings' | 'clock' | 'logger' | 'faults'> {
  readonly secrets: SandboxSecrets;
  readonly dataDir: string;
  readonly walletScript: () => Uint8Array | undefined | Promise<Uint8Array | undefined>;
  readonly verify: VerifyScripts;
  readonly verifyBatch?: VerifyBatch;
  readonly limits?: Partial<MempoolLimits>;
  readonly zmqAddress: string;
  readonly rpc: { readonly username: string; readonly password: string };
  readonly local: () => LocalServer | undefined;
  readonly controls: Controls;
  /** Called on every change of the chain, before the request that caused it is answered. */
  readonly chainChanged?: () => void;
  /** Seed of a new network; random by default. */
  readonly seed?: string;
}

export function databaseFile(dataDir: string): string {
  return join(dataDir, 'sandbox.db');
}

export function contentFolder(dataDir: string): string {
  return join(dataDir, 'sandbox-content');
}

/**
 * One network on one database, from its store to its HTTP routes. It is closed and reopened whenever the database is replaced; the
 * listening addresses stay.
 */
export interface SandboxCore {
  readonly node: SandboxNode;
  readonly clock: SandboxClock;
  readonly state: NetworkState;
  readonly keys: ApiKeys;
  callbacks(): Promise<{ waiting: number; givenUp: number }>;
  readonly forged: ForgedTransactions;
  readonly apiKey: string;
  readonly faucetKey: PrivateKey;
  readonly minerKey: PrivateKey;
  readonly app: FastifyInstance;
  readonly zmqAddress: string;
  /** Warning shown with the state of the running service. */
  readonly warning: Failure | undefined;
  /** Removes contents that no token uses, and leftovers of a killed process. Call it only while there are no requests. */
  sweep(): Promise<void>;
  /** Closes everything after running work has finished and been journalled. */
  close(): Promise<void>;
}

/** @throws PlanchetError `store-failed` | `disk-full` | `port-in-use` | `bind-refused` | `vault-locked` */
export async function openCore(options: CoreOptions): Promise<SandboxCore> {
  const disposables = new DisposableStore();
  const close = async (): Promise<void> => {
    try {
      await disposables.dispose();
    } catch (error) {
      options.logger.error({ err: error }, 'parts of the sandbox did not close');
    }
  };
  try {
    return { ...(await openParts(options, disposables)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openParts(options: CoreOptions, disposables: DisposableStore): Promise<Omit<SandboxCore, 'close'>> {
  const { settings, logger, dataDir, faults, secrets, controls } = options;
  const store: SharedStore = await openStore({
    file: databaseFile(dataDir),
    migrations: sandboxMigrations,
    // A killed process loses nothing. A power cut may lose the newest commits. That is acceptable: the coins are worth nothing, and node,
    // token service and merchant share this file, so they stay consistent. Clients see a reorganisation.
    synchronous: 'normal',
  });
  disposables.add(() => store.close());
  const { db } = store;
  const state = await NetworkState.open(db);
  if (options.seed !== undefined) await state.set('seed', options.seed);
  const clock = new SandboxClock(options.clock, state.get('clock'));
  const faucetKey = await state.key('faucetKey', secrets);
  const minerKey = await state.key('minerKey', secrets);
  const forged = new ForgedTransactions(state);
  const { node, warning } = await openNode({ ...options, store, clock, state, forged, faucetKey });
  disposables.add(() => node.close());
  if (options.chainChanged) node.onTip(options.chainChanged);
  const publisher = await ZmqPublisher.open({ node, address: options.zmqAddress });
  disposables.add(() => publisher.close());

  const keys = await ApiKeys.open(db, clock);
  const apiKey = await defaultKey(keys, secrets);
  await adoptDefaultKey(store, state, keys, apiKey);
  const files = await ContentFiles.open(contentFolder(dataDir), db);
  const submit = submitter(node, faults);
  const service = await openTokenService({ db, node, keys, files, settings, clock, logger, faults, submit });
  disposables.add(() => service.transactions.idle());

  const signer = new EnvelopeSigner({ key: minerKey, settings, faults });
  const delivery = new Delivery({ db, node, clock, logger, settings, signer, faults });
  disposables.add(() => delivery.close());
  const watches = await Watches.open({ db, node, clock, logger, queued: () => delivery.wake() });
  disposables.add(() => watches.close());
  delivery.wake();

  const trees = new ProofTrees();
  const merklePaths = new MerklePaths(node, trees);
  const arcDelivery = new ArcDelivery({ db, clock, logger, settings, faults });
  disposables.add(() => arcDelivery.close());
  const arcWatches = await ArcWatches.open({ db, clock, merklePaths, faults });
  const arcadeEvents = new ArcadeEvents((transaction) => merklePaths.of(transaction), logger, faults);
  const changed = (transactions: readonly ArcTransaction[]): void => {
    arcDelivery.wake();
    arcadeEvents.tell(transactions);
  };
  const transactions = await ArcTransactions.open({ db, node, clock, logger, watches: arcWatches, changed });
  disposables.add(() => transactions.close());
  const { verify } = options;
  const arcSubmitter = new ArcSubmitter({ node, transactions, watches: arcWatches, verify, submit });
  arcDelivery.wake();

  const limiter = new RateLimiter(() => settings.current().sandbox.maxRequestsPerSecond);
  const guard = { keys, limiter };
  const app = await buildApp({
    service,
    arc: { guard, clock, logger, settings, faults, transactions, submitter: arcSubmitter, merklePaths },
    arcade: { node, clock, logger, faults, transactions, submitter: arcSubmitter, merklePaths, events: arcadeEvents },
    rpc: { ...options.rpc, dispatcher: faultyRpc(createNodeRpc(node), faults) },
    merchant: { db, node, guard, clock, logger, settings, signer, faults, watches, submit },
    publicServices: { index: new PublicIndex(node, trees), faults, submit },
    controls,
    local: options.local,
    logger,
  });
  disposables.add(() => app.close());
  const miner = new LiveMiner({ node, clock, logger, settings });
  disposables.add(() => miner.close());
  const { address: zmqAddress } = publisher;
  const sweep = (): Promise<void> => files.removeUnused();
  const callbacks = async (): Promise<{ waiting: number; givenUp: number }> => {
    const [mapi, arc] = [await queueCounts(db, 'mapi_callbacks'), await queueCounts(db, 'arc_callbacks')];
    return { waiting: mapi.waiting + arc.waiting, givenUp: mapi.givenUp + arc.givenUp };
  };
  return { node, clock, state, keys, callbacks, forged, apiKey, faucetKey, minerKey, app, zmqAddress, warning, sweep };
}

interface NodeParts extends CoreOptions {
  readonly store: Store<SandboxTables>;
  readonly clock: SandboxClock;
  readonly state: NetworkState;
  readonly forged: ForgedTransactions;
  readonly faucetKey: PrivateKey;
}

async function openNode(parts: NodeParts): Promise<{ node: SandboxNode; warning: Failure | undefined }> {
  const { store, clock, logger, settings, verify, verifyBatch, limits, walletScript, state, forged, faucetKey } = parts;
  const { faults } = parts;
  const wallet = await walletScript();
  const isNew = (await store.db.selectFrom('node_blocks').select('hash').limit(1).executeTakeFirst()) === undefined;
  const time = isNew && state.get('seed') !== undefined ? SEEDED_START : undefined;
  const node = await clock.during(time, () =>
    SandboxNode.open({
      store,
      clock,
      logger,
      verify: forged.around(verify),
      verifyBatch: verifyBatch && forged.aroundBatch(verifyBatch),
      limits,
      keeps: () => faults.take('pruned-blocks')?.value,
      chronicleHeight: settings.current().sandbox.chronicleHeight,
      genesis: { wallet: wallet ?? lockingScriptOf(faucetKey), faucet: faucetKey },
    }),
  );
  const warning = isNew && wallet === undefined ? new PlanchetError('sandbox.first-coins').toFailure() : undefined;
  return { node, warning };
}

/** The vault's key is the one that clients send, so it is registered again after the network was replaced. */
async function defaultKey(keys: ApiKeys, secrets: SandboxSecrets): Promise<string> {
  const stored = new TextDecoder().decode(await secrets.get('apiKey:sandbox')).trim();
  const apiKey = stored === '' ? newApiKey() : stored;
  await keys.add(apiKey, DEFAULT_USER);
  if (stored === '') await secrets.set('apiKey:sandbox', new TextEncoder().encode(apiKey));
  return apiKey;
}

/** Assigns everything of an imported network's default key to the default key here. */
async function adoptDefaultKey(
  { db }: Store<SandboxTables>,
  state: NetworkState,
  keys: ApiKeys,
  apiKey: string,
): Promise<void> {
  const from = state.get('defaultKey');
  const to = keys.find(apiKey)?.keyHash;
  if (to === undefined || from === to) return;
  if (from !== undefined) {
    await db.updateTable('token_projects').set({ key_hash: to }).where('key_hash', '=', from).execute();
  }
  await state.set('defaultKey', to);
}
