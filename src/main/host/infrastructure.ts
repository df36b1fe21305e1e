import { existsSync, mkdirSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import {
  type AppInfo,
  type Failure,
  type Network,
  networks,
  PlanchetError,
  type Settings,
} from '../../contract/index.ts';
import { approvalMigrations } from '../approvals/tables.ts';
import { systemClock } from '../clock.ts';
import { EventHub } from '../console/event-hub.ts';
import type { Sessions } from '../console/sessions.ts';
import { gatewayMigrations } from '../gateway/tables.ts';
import { type DataFolderLock, lockDataFolder } from '../infrastructure/data-folder.ts';
import { DisposableStore } from '../infrastructure/disposables.ts';
import { surviveFileLimit } from '../infrastructure/file-limit.ts';
import { type Logging, openLogging } from '../infrastructure/logging.ts';
import { NoticeBoard, noticeMigrations } from '../infrastructure/notices.ts';
import type { Tracing } from '../infrastructure/tracing.ts';
import { merchantMigrations } from '../merchant/protocols/mapi/tables.ts';
import { OutboundProxy } from '../outbound/outbound.ts';
import { forkPictures } from '../pictures/fork-pictures.ts';
import type { StartPictureProcess } from '../pictures/picture-process.ts';
import { createPictures, processesFor } from '../pictures/pictures.ts';
import type { Clock } from '../ports/clock.ts';
import type { Outbound } from '../ports/outbound.ts';
import type { Pictures } from '../ports/pictures.ts';
import type { PassphraseOf } from '../ports/secrets.ts';
import type { SharedStore } from '../ports/store.ts';
import { SettingsStore } from '../settings/settings-store.ts';
import { openStore } from '../store/store.ts';
import type { RunLimits } from '../studio/runs/plan.ts';
import { studioMigrations } from '../studio/tables.ts';
import { redeemableTokensMigrations } from '../tokens/tables.ts';
import { type Keychain, openVault, type Vault } from '../vault/vault.ts';
import { WalletKeys } from '../wallet/keys/wallet-keys.ts';
import { walletMigrations } from '../wallet/migrations.ts';
import { createWorkerPool, type WorkerPool } from '../workers/worker-pool.ts';
import { ensurePassword, readApiKey } from './credentials.ts';

export interface HostOptions {
  dataDir: string;
  version: string;
  shell: AppInfo['shell'];
  /** `core` leaves out every server: what a command of the terminal needs for its own duration. */
  scope: 'all' | 'core';
  /** Settings of this run only, by key; text is read as the key's type. */
  overrides?: Readonly<Record<string, unknown>>;
  /** Environment of the process, for settings such as `PLANCHET_RPC_BIND`; none where left out. */
  environment?: Readonly<Record<string, string | undefined>>;
  safeMode?: boolean;
  passphrase?: PassphraseOf;
  keychain?: Keychain;
  /** Folder of the built page. */
  rendererDir: string;
  clock?: Clock;
  /** Bounds of the transactions of mint runs, where the network's own policy does not decide. */
  runLimits?: RunLimits;
  /** False in the host of a rehearsal, which holds none itself. */
  rehearses?: boolean;
  /** False leaves a sandbox without a wallet, since one is about to be restored. */
  makesWallet?: boolean;
  /** Ends this host and starts another on the same data folder, after another network was chosen. Left out, the choice waits. */
  restart?: () => void;
  /** Starts the process that decodes pictures. Left out, it is a child of this one. */
  startPictures?: StartPictureProcess;
  /** Sessions of browsers from the host before this one. */
  sessions?: Sessions;
  /** A notice for the person, for example why the network was not changed. */
  notice?: Failure;
  /** See `Studio`: lets a test end the process at a named point of a mint. */
  crashPoint?: (where: string) => void;
}

/** What every service is built on. */
export interface Infrastructure {
  lock: DataFolderLock;
  settings: SettingsStore;
  logging: Logging;
  vault: Vault;
  store: SharedStore;
  workers: WorkerPool;
  pictures: Pictures;
  events: EventHub;
  notices: NoticeBoard;
  clock: Clock;
  network: Network;
  /** The way to public services and miners. */
  outbound: Outbound;
  /** If `otlpEndpoint` is set. */
  tracing: Tracing | undefined;
  /** Releases all of it, and the data folder last. */
  disposables: DisposableStore;
}

/**
 * Locks the data folder and opens everything that services are built on.
 * @throws PlanchetError `store-locked` if another process uses the folder, `vault-passphrase-wrong`, `settings-invalid`, `disk-full`
 */
export async function openInfrastructure(options: HostOptions): Promise<Infrastructure> {
  surviveFileLimit();
  const disposables = new DisposableStore();
  const lock = lockDataFolder(options.dataDir);
  disposables.add(() => lock.release());
  try {
    return await openParts(options, lock, disposables);
  } catch (error) {
    await disposables.dispose();
    throw error;
  }
}

async function openParts(
  options: HostOptions,
  lock: DataFolderLock,
  disposables: DisposableStore,
): Promise<Infrastructure> {
  const { dataDir, clock = systemClock } = options;
  const settings = new SettingsStore({ ...options, clock });
  ensurePassword(settings);
  const { network, logLevel, rpcPassword, metricsKey } = settings.current();
  const logging = openLogging(dataDir, logLevel);
  disposables.add(() => logging.close());
  try {
    logging.redactor.add(rpcPassword);
    logging.redactor.add(metricsKey);
    logging.redactor.add(lock.token);
    // A network that is not in use can be tested all the same.
    for (const each of networks) redactAddresses(settings.on(each), logging);
    settings.onChange((changed, keys) => {
      redactAddresses(changed, logging);
      if (keys.includes('logLevel')) logging.setLevel(changed.logLevel);
    });
    const vault = await openVault({ ...options, network });
    const apiKey = readApiKey(vault, network);
    if (apiKey) logging.redactor.add(apiKey);
    const store = await openNetworkStore(dataDir, network);
    disposables.add(() => store.close());
    const events = new EventHub();
    const notices = await NoticeBoard.open({ clock, events, db: store.db, logger: logging.logger });
    disposables.add(() => notices.settled());
    for (const notice of settings.notices) notices.add({ level: 'warning', ...notice });
    if (options.notice) notices.add({ level: 'warning', failure: options.notice });
    if (settings.safeMode) notices.add({ level: 'info', failure: new PlanchetError('notices.safe-mode').toFailure() });
    const proxy = new OutboundProxy(() => settings.current().outboundProxy);
    disposables.add(() => proxy.close());
    const workers = createWorkerPool();
    disposables.add(() => workers.close());
    const pictures = createPictures({
      start: options.startPictures ?? forkPictures(),
      clock,
      processes: processesFor(availableParallelism(), totalmem()),
    });
    disposables.add(() => pictures.stop());
    const tracing = await openTracing(options, { settings, logging, clock });
    disposables.add(() => tracing?.stop());
    return {
      lock,
      settings,
      logging,
      vault,
      store,
      workers,
      pictures,
      events,
      notices,
      clock,
      network,
      outbound: proxy.via,
      tracing,
      disposables,
    };
  } catch (error) {
    logging.logger.error({ err: error }, 'could not be opened');
    throw error;
  }
}

/** The database of one network. @throws PlanchetError `store-failed`, `disk-full` */
export function openNetworkStore(dataDir: string, network: Network): Promise<SharedStore> {
  mkdirSync(join(dataDir, network), { recursive: true, mode: 0o700 });
  return openStore({
    file: join(dataDir, network, 'planchet.db'),
    migrations: [
      ...walletMigrations,
      ...studioMigrations,
      ...redeemableTokensMigrations,
      ...merchantMigrations,
      ...gatewayMigrations,
      ...approvalMigrations,
      ...noticeMigrations,
    ],
    synchronous: 'full',
  });
}

/** What the database of a network that is not in use says; undefined where it has none yet. @throws PlanchetError `store-failed`, `disk-full` */
export async function fromNetworkStore<T>(
  dataDir: string,
  network: Network,
  read: (store: SharedStore) => Promise<T>,
): Promise<T | undefined> {
  if (!existsSync(join(dataDir, network, 'planchet.db'))) return undefined;
  const store = await openNetworkStore(dataDir, network);
  try {
    return await read(store);
  } finally {
    await store.close();
  }
}

/** Keeps passwords inside addresses out of the log, where errors quote the address. */
function redactAddresses(settings: Settings, { redactor }: Logging): void {
  for (const text of Object.values(settings)) {
    for (const address of typeof text === 'string' ? text.split(',') : []) {
      const password = URL.parse(address.trim())?.password;
      // As it stands in the address; the redactor knows its other forms from the decoded one.
      if (password) for (const form of new Set([password, decoded(password)])) redactor.add(form);
    }
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Commands are not traced, since they end soon. */
async function openTracing(
  { scope, version }: HostOptions,
  { settings, logging, clock }: Pick<Infrastructure, 'settings' | 'logging' | 'clock'>,
): Promise<Tracing | undefined> {
  const { otlpEndpoint: endpoint, otlpSamplePercent: samplePercent, network } = settings.current();
  if (endpoint === '' || scope === 'core') return undefined;
  const { Tracing } = await import('../infrastructure/tracing.ts');
  const logger = logging.logger.child({ part: 'tracing' });
  return Tracing.start({ endpoint, samplePercent, version, network, clock, logger });
}

/** A logger whose lines name a part of the program. */
export function loggerOf(base: Infrastructure, part: string): Logging['logger'] {
  return base.logging.logger.child({ part });
}

/**
 * The wallet's keys alone, for the commands that make, restore and back them up.
 * @param makes see `WalletKeys.open`
 */
export async function openWalletKeys(
  options: Pick<HostOptions, 'dataDir' | 'overrides' | 'environment' | 'safeMode' | 'passphrase'>,
  makes = true,
): Promise<WalletKeys> {
  const clock = systemClock;
  const { network } = new SettingsStore({ ...options, clock }).current();
  const secrets = await openVault({ ...options, network });
  return WalletKeys.open({ network, secrets, clock }, makes);
}
