import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AppInfo, Network } from '../../contract/index.ts';
import { systemClock } from '../clock.ts';
import { EventHub } from '../console/event-hub.ts';
import { type GatewayTables, gatewayMigrations } from '../gateway/tables.ts';
import type { DataFolderLock } from '../infrastructure/data-folder.ts';
import { type Logging, openLogging } from '../infrastructure/logging.ts';
import { NoticeBoard } from '../infrastructure/notices.ts';
import type { Tracing } from '../infrastructure/tracing.ts';
import { type MerchantTables, merchantMigrations } from '../merchant/tables.ts';
import type { Clock, Store } from '../ports.ts';
import { SettingsStore } from '../settings/settings-store.ts';
import { openStore } from '../store/store.ts';
import { type StudioTables, studioMigrations } from '../studio/tables.ts';
import { type TokenTables, tokenBenchMigrations } from '../tokens/tables.ts';
import { type Keychain, openVault, type Vault } from '../vault/vault.ts';
import { type WalletTables, walletMigrations } from '../wallet/tables.ts';
import { WalletKeys } from '../wallet/wallet-keys.ts';
import { createWorkerPool, type WorkerPool } from '../workers/worker-pool.ts';

/** Marks the password every installation is made with, so that it is known as nobody's choice. */
const GENERATED_PASSWORD = /^generated-/;

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
  passphrase?: () => Promise<string | undefined>;
  keychain?: Keychain;
  /** Folder of the built page. */
  rendererDir: string;
  clock?: Clock;
  /** See `Studio`: lets a test end the process at a named point of a mint. */
  crashPoint?: (where: string) => void;
}

type AppTables = WalletTables & StudioTables & TokenTables & MerchantTables & GatewayTables;

/** Everything that must be there before a service can be built. */
export interface Infrastructure {
  lock: DataFolderLock;
  settings: SettingsStore;
  logging: Logging;
  vault: Vault;
  store: Store<AppTables>;
  workers: WorkerPool;
  events: EventHub;
  notices: NoticeBoard;
  clock: Clock;
  network: Network;
  /** While `otlpEndpoint` is set. */
  tracing: Tracing | undefined;
}

/** @throws PlanchetError `vault-passphrase-wrong`, `settings-invalid`, `disk-full` */
export async function openInfrastructure(
  options: HostOptions,
  clock: Clock,
  lock: DataFolderLock,
): Promise<Infrastructure> {
  const { dataDir } = options;
  const settings = new SettingsStore({
    dataDir,
    clock,
    safeMode: options.safeMode ?? false,
    ...(options.overrides ? { overrides: options.overrides } : {}),
    ...(options.environment ? { environment: options.environment } : {}),
  });
  ensurePassword(settings);
  const { network, logLevel, rpcPassword } = settings.current();
  const logging = openLogging(dataDir, logLevel);
  try {
    logging.redactor.add(rpcPassword);
    logging.redactor.add(lock.token);
    settings.onChange((changed, keys) => {
      if (keys.includes('logLevel')) logging.setLevel(changed.logLevel);
    });
    const vault = await openVault({
      dataDir,
      network,
      ...(options.passphrase ? { passphrase: options.passphrase } : {}),
      ...(options.keychain ? { keychain: options.keychain } : {}),
    });
    const apiKey = readApiKey(vault, network);
    if (apiKey) logging.redactor.add(apiKey);
    mkdirSync(join(dataDir, network), { recursive: true, mode: 0o700 });
    const store = await openStore<AppTables>({
      file: join(dataDir, network, 'planchet.db'),
      migrations: [
        ...walletMigrations,
        ...studioMigrations,
        ...tokenBenchMigrations,
        ...merchantMigrations,
        ...gatewayMigrations,
      ],
      synchronous: 'full',
    });
    const events = new EventHub();
    const notices = new NoticeBoard({ clock, events });
    for (const notice of settings.notices) notices.add({ level: 'warning', ...notice });
    if (settings.safeMode) {
      notices.add({
        level: 'info',
        message: 'Planchet runs in safe mode, on its default settings.',
        hint: 'Start it without --safe-mode to use yours.',
      });
    }
    const tracing = await openTracing(options, { settings, logging, clock });
    const workers = createWorkerPool();
    return { lock, settings, logging, vault, store, workers, events, notices, clock, network, tracing };
  } catch (error) {
    logging.logger.error({ err: error }, 'could not be opened');
    await logging.close();
    throw error;
  }
}

/** A command traces nothing: it ends before anybody would look. */
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

export async function closeInfrastructure(base: Infrastructure): Promise<void> {
  await base.tracing?.stop();
  await base.workers.close();
  await base.store.close();
  await base.logging.close();
}

/** Whether the node's credentials are still those nobody chose. */
export function credentialsAreDefault(settings: SettingsStore): boolean {
  const { rpcUsername, rpcPassword } = settings.current();
  return rpcUsername === 'planchet' && GENERATED_PASSWORD.test(rpcPassword);
}

/** Every installation gets a password of its own at its first start; in safe mode one for this run. */
function ensurePassword(settings: SettingsStore): void {
  if (settings.current().rpcPassword !== '') return;
  settings.initialise('rpcPassword', `generated-${randomBytes(24).toString('base64url')}`);
}

/** The token service's key of the network in force, while the vault is open. */
export function readApiKey(vault: Vault, network: Network): string | undefined {
  if (vault.locked) return undefined;
  const key = vault.get(`apiKey:${network}`);
  return key === undefined ? undefined : Buffer.from(key).toString('utf8');
}

/** A logger that names the part of the program it speaks for. */
export function loggerOf(base: Infrastructure, part: string): Logging['logger'] {
  return base.logging.logger.child({ part });
}

/** The wallet's keys alone, for the commands that make, restore and back them up. */
export async function openWalletKeys(
  options: Pick<HostOptions, 'dataDir' | 'overrides' | 'environment' | 'safeMode' | 'passphrase'>,
): Promise<WalletKeys> {
  const clock = systemClock;
  const settings = new SettingsStore({
    dataDir: options.dataDir,
    clock,
    safeMode: options.safeMode ?? false,
    ...(options.overrides ? { overrides: options.overrides } : {}),
    ...(options.environment ? { environment: options.environment } : {}),
  });
  const { network } = settings.current();
  const secrets = await openVault({
    dataDir: options.dataDir,
    network,
    ...(options.passphrase ? { passphrase: options.passphrase } : {}),
  });
  return WalletKeys.open({ network, secrets, clock });
}
