import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AppInfo,
  type Network,
  type Notice,
  PlanchetError,
  type ServiceName,
  type ServiceStatus,
  type SettingEntry,
  type Settings,
  type Snapshot,
} from '../contract/index.ts';
import { systemClock } from './clock.ts';
import type { ConsoleContext } from './console/context.ts';
import { EventHub } from './console/event-hub.ts';
import { ConsoleServer } from './console/http.ts';
import { type DataFolderLock, lockDataFolder } from './data-folder.ts';
import { CallerBook } from './gateway/caller-book.ts';
import { GatewayService } from './gateway/gateway.ts';
import { GatewayConsole } from './gateway/gateway-console.ts';
import { NodeClient } from './gateway/node-client.ts';
import { type GatewayTables, gatewayMigrations } from './gateway/tables.ts';
import { TipFollower } from './gateway/tip-source.ts';
import { ZmqRelayService } from './gateway/zmq-relay.ts';
import { type Logging, openLogging } from './logging.ts';
import { MerchantClient } from './merchant/merchant-client.ts';
import { NoticeBoard } from './notices.ts';
import type { Clock, Endpoints, Service, SettingsView, Store } from './ports.ts';
import { SandboxService } from './sandbox/sandbox.ts';
import { ServiceRunner } from './services.ts';
import { SettingsStore } from './settings/settings-store.ts';
import { openStore } from './store/store.ts';
import { surviveAbandonedStreams } from './stray-errors.ts';
import { Studio } from './studio/studio.ts';
import { type StudioTables, studioMigrations } from './studio/tables.ts';
import { type TokenTables, tokenBenchMigrations } from './tokens/tables.ts';
import { TokenBench } from './tokens/token-bench.ts';
import { type Keychain, openVault, type Vault } from './vault/vault.ts';
import { type WalletTables, walletMigrations } from './wallet/tables.ts';
import { Wallet } from './wallet/wallet.ts';
import { WalletKeys } from './wallet/wallet-keys.ts';
import { createWorkerPool, type WorkerPool } from './workers/worker-pool.ts';
import { WriterService } from './writer/writer.ts';

export type { WalletKeys };

/** Marks the password every installation is made with, so that it is known as nobody's choice. */
const GENERATED_PASSWORD = /^generated-/;
/** Account of the wallet's seed whose coins pay for documents. */
const WRITER_ACCOUNT = 1;
/** Finished jobs a view gets at its connection. */
const SNAPSHOT_TOKENS = 24;

export interface HostOptions {
  dataDir: string;
  version: string;
  shell: AppInfo['shell'];
  /** `core` leaves out every server: what a command of the terminal needs for its own duration. */
  scope: 'all' | 'core';
  /** Settings of this run only, by key; text is read as the key's type. */
  overrides?: Readonly<Record<string, unknown>>;
  safeMode?: boolean;
  passphrase?: () => Promise<string | undefined>;
  keychain?: Keychain;
  /** Folder of the built page. */
  rendererDir: string;
  clock?: Clock;
  /** See `Studio`: lets a test end the process at a named point of a mint. */
  crashPoint?: (where: string) => void;
}

type AppTables = WalletTables & StudioTables & TokenTables & GatewayTables;

/** Everything that must be there before a service can be built. */
interface Foundation {
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
}

/**
 * Opens the data folder and builds every service; nothing runs before `start`.
 * @throws PlanchetError `store-locked` where another process holds the folder, `vault-passphrase-wrong`, `settings-invalid`, `disk-full`
 */
export async function createHost(options: HostOptions): Promise<Host> {
  return Host.create(options);
}

/** The application without a shell: the composition root, and the only place that knows every service. */
export class Host {
  readonly settings: SettingsStore;
  /** What the handlers of the contract stand on: for the direct client and the MessagePort. */
  readonly context: ConsoleContext;
  readonly cookieFile: string;
  readonly #options: HostOptions;
  readonly #base: Foundation;
  readonly #runner: ServiceRunner;
  readonly #wallet: Wallet;
  readonly #studio: Studio;
  readonly #tokenBench: TokenBench;
  readonly #writer: WriterService;
  #writerStart: Promise<unknown> | undefined;
  readonly #tip: TipFollower;
  readonly #node: NodeClient;
  readonly #console: ConsoleServer;
  readonly #sandbox: SandboxService | undefined;
  readonly #endpoints: Endpoints;
  readonly #startedAt: number;
  #quota: Snapshot['quota'] = null;
  #stopping: Promise<void> | undefined;
  #endWatch: () => void = () => {};

  static async create(options: HostOptions): Promise<Host> {
    const clock = options.clock ?? systemClock;
    const lock = lockDataFolder(options.dataDir);
    try {
      const base = await openFoundation(options, clock, lock);
      try {
        return await Host.#build(options, base);
      } catch (error) {
        base.logging.logger.error({ err: error }, 'could not be built');
        await closeFoundation(base);
        throw error;
      }
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  static async #build(options: HostOptions, base: Foundation): Promise<Host> {
    const endpoints = new LiveEndpoints(base.settings);
    const node = new NodeClient({
      endpoints: () => endpoints,
      settings: base.settings,
      clock: base.clock,
      apiKey: () => readApiKey(base.vault, base.network),
    });
    const tip = new TipFollower({ node, endpoints: () => endpoints, clock: base.clock, logger: child(base, 'tip') });
    const wallet = await Wallet.open({
      network: base.network,
      secrets: base.vault,
      store: base.store,
      rpc: node,
      tips: tip,
      events: base.events,
      clock: base.clock,
      logger: child(base, 'wallet'),
    });
    const book = await CallerBook.open(base.store.db, base.clock);
    return new Host(options, base, { endpoints, node, tip, wallet, book });
  }

  private constructor(
    options: HostOptions,
    base: Foundation,
    parts: { endpoints: LiveEndpoints; node: NodeClient; tip: TipFollower; wallet: Wallet; book: CallerBook },
  ) {
    const { settings, clock, events, vault, store, network } = base;
    const { endpoints, node, tip, wallet, book } = parts;
    this.#options = options;
    this.#base = base;
    this.settings = settings;
    this.cookieFile = join(options.dataDir, '.cookie');
    this.#endpoints = endpoints;
    this.#startedAt = clock.now();
    this.#node = node;
    this.#tip = tip;
    this.#wallet = wallet;
    this.#runner = new ServiceRunner({
      clock,
      logger: child(base, 'services'),
      onStatus: (service) => {
        if (service.name === 'sandbox' && service.status.state === 'running') this.#hideSandboxSecrets();
        events.publish({ type: 'service', service });
        events.publish({ type: 'endpoints', endpoints: this.info().endpoints });
      },
    });
    if (network === 'sandbox') {
      this.#sandbox = new SandboxService({
        settings: options.scope === 'core' ? unheard(settings) : settings,
        clock,
        logger: child(base, 'sandbox'),
        secrets: vault,
        dataDir: join(options.dataDir, 'sandbox', 'node'),
        walletScript: () => (wallet.status().state === 'ready' ? wallet.lockingScript() : undefined),
        verify: (tx, spent) => base.workers.verify(tx, spent),
        verifyBatch: (jobs) => base.workers.verifyBatch(jobs),
        // so that nobody is answered with what was true before
        chainChanged: () => gateway.blockAnnounced(),
      });
      const sandbox = this.#sandbox;
      endpoints.readSandbox(() => (this.#runner.get('sandbox').state === 'running' ? sandbox.endpoints() : undefined));
    }
    const merchant = new MerchantClient({
      network,
      endpoints: () => endpoints,
      secrets: vault,
      logger: child(base, 'merchant'),
      clock,
    });
    this.#studio = new Studio({
      network,
      dataDir: join(options.dataDir, network),
      store,
      settings,
      endpoints,
      secrets: vault,
      wallet,
      node,
      merchant,
      tip,
      events: { publish: (event) => this.#publish(event) },
      clock,
      logger: child(base, 'studio'),
      ...(options.crashPoint ? { crashPoint: options.crashPoint } : {}),
    });
    this.#tokenBench = new TokenBench({
      network,
      store,
      wallet,
      merchant,
      node,
      tip,
      clock,
      logger: child(base, 'tokens'),
    });
    const credentialsAreDefault = (): boolean => {
      const { rpcUsername, rpcPassword } = settings.current();
      return rpcUsername === 'planchet' && GENERATED_PASSWORD.test(rpcPassword);
    };
    const gateway = new GatewayService({
      node,
      settings,
      endpoints: () => endpoints,
      network,
      clock,
      dataDir: options.dataDir,
      cacheFile: join(options.dataDir, network, 'gateway-cache.db'),
      book,
      onAnnouncement: (listener) => tip.onAnnouncement(listener),
      credentialsAreDefault,
      logger: child(base, 'gateway'),
    });
    this.#writer = new WriterService({
      network,
      settings,
      dataDir: join(options.dataDir, network),
      wallet,
      poolKey: () => wallet.accountKey(WRITER_ACCOUNT),
      merchant,
      node,
      tips: tip,
      endpoints: () => endpoints,
      secrets: vault,
      events: { publish: (event) => this.#publish(event) },
      clock,
      logger: child(base, 'writer'),
      // A command needs the writer, but nobody else is to be let in.
      listens: options.scope === 'all',
    });
    const relay = new ZmqRelayService({
      settings,
      endpoints: () => endpoints,
      node,
      clock,
      credentialsAreDefault,
      logger: child(base, 'zmq'),
    });
    const gatewayConsole = new GatewayConsole({
      gateway,
      zmq: relay,
      book,
      settings,
      endpoints: () => endpoints,
      network,
      apiKey: () => readApiKey(vault, network),
      credentialsAreDefault,
      cookieFile: this.cookieFile,
      addressOf: (name) => this.#addressOf(name),
      setPassword: async (password) => {
        await this.#set('rpcPassword', password);
        await this.#runner.restart('gateway');
      },
    });
    this.context = this.#createContext(gateway, options.scope === 'core' ? undefined : gatewayConsole);
    this.#console = new ConsoleServer({
      settings,
      clock,
      logger: child(base, 'console'),
      context: this.context,
      rendererDir: options.rendererDir,
      cliToken: base.lock.token,
    });

    const first: ServiceName[] = this.#sandbox ? ['sandbox'] : [];
    if (this.#sandbox) this.#runner.add(this.#sandbox);
    this.#runner.add(this.#followingTip(wallet), first);
    this.#runner.add(this.#studio, ['wallet']);
    if (options.scope === 'core') return;
    this.#runner.add(gateway, first);
    this.#runner.add(relay, first);
    this.#runner.add(this.#writer, ['wallet']);
    this.#runner.add(this.#console);
  }

  /** Starts all services; resolves when each runs or has failed. */
  async start(): Promise<void> {
    this.#endWatch = surviveAbandonedStreams(this.#base.logging.logger);
    this.#tip.onTip((tip) => this.#base.events.publish({ type: 'tip', tip }));
    await this.#runner.start();
    this.#base.lock.announce(this.#addressOf('console'));
    void this.#refreshQuota();
    this.#base.logging.logger.info(
      { services: this.#runner.statuses().map(({ name, status }) => `${name}:${status.state}`) },
      'started',
    );
  }

  /** Stops all services in reverse order and lets the data folder go. Further calls wait for the first. */
  stop(): Promise<void> {
    this.#stopping ??= (async () => {
      if (this.#writerStart !== undefined) await this.#writer.stop();
      await this.#runner.stop();
      this.#base.events.close();
      await this.#node.close();
      this.#endWatch();
      await closeFoundation(this.#base);
      this.#base.lock.release();
    })();
    return this.#stopping;
  }

  info(): AppInfo {
    return {
      version: this.#options.version,
      network: this.#base.network,
      shell: this.#options.shell,
      safeMode: this.settings.safeMode,
      dataDir: this.#options.dataDir,
      platform: process.platform,
      startedAt: this.#startedAt,
      endpoints: {
        console: this.#addressOf('console'),
        rpc: this.#addressOf('gateway'),
        zmq: this.#addressOf('zmq'),
        writer: this.#addressOf('writer'),
        sandbox: this.#addressOf('sandbox'),
        baseUrl: this.#endpoints.baseUrl || null,
        mapi: this.#endpoints.mapiUrl || null,
      },
    };
  }

  services(): ServiceStatus[] {
    return this.#runner.statuses();
  }

  notices(): Notice[] {
    return this.#base.notices.list();
  }

  /** A one-time token for the console that stays valid until it is used. */
  createLoginToken(): string {
    return this.#console.createLoginToken({ lasting: true });
  }

  /** @throws PlanchetError `not-running` where the console does not listen */
  createLoginUrl(options: { lasting?: boolean } = {}): string {
    return this.#console.createLoginUrl(options);
  }

  /** @throws PlanchetError `not-running` away from the sandbox network */
  sandboxApiKey(): string {
    return this.#requireSandbox().apiKey();
  }

  #createContext(gateway: GatewayService, gatewayConsole: GatewayConsole | undefined): ConsoleContext {
    const sandbox = this.#sandbox;
    return {
      logger: child(this.#base, 'api'),
      app: {
        info: () => this.info(),
        snapshot: () => this.#snapshot(),
        createLink: () => this.createLoginUrl(),
        dismissNotice: (id) => this.#base.notices.dismiss(id),
        setTheme: (theme) => {
          this.settings.set('theme', theme);
          this.#base.events.publish({ type: 'theme', theme });
        },
      },
      events: this.#base.events,
      services: { statuses: () => this.#runner.statuses(), restart: (name) => this.#runner.restart(name) },
      settings: { entries: () => this.settings.entries(), set: (key, value) => this.#set(key, value) },
      wallet: this.#wallet,
      studio: this.#studio,
      tokenBench: this.#tokenBench,
      node: { call: (method, params, signal) => gateway.call(method, params, signal) },
      gateway: gatewayConsole,
      writer: () => this.#writerView(),
      ...(sandbox ? { sandbox } : {}),
    };
  }

  /** The wallet learns of blocks from the tip, so the tip is followed exactly as long as the wallet runs. */
  #followingTip(wallet: Wallet): Service {
    return {
      name: 'wallet',
      start: async () => {
        this.#tip.start();
        const running = await wallet.start();
        await this.#tokenBench.start();
        return running;
      },
      stop: async () => {
        await this.#tokenBench.stop();
        await wallet.stop();
        await this.#tip.stop();
      },
    };
  }

  async #snapshot(): Promise<Snapshot> {
    return {
      app: this.info(),
      services: this.#runner.statuses(),
      tip: this.#tip.current(),
      wallet: this.#wallet.status(),
      quota: this.#quota,
      jobs: this.#studio.jobs(),
      tokens: await this.#studio.tokens(SNAPSHOT_TOKENS),
      notices: this.#base.notices.list(),
      theme: this.settings.current().theme,
    };
  }

  #publish(event: Parameters<EventHub['publish']>[0]): void {
    if (event.type === 'quota') this.#quota = event.quota;
    // The quota counts tokens that were handed in, so it moves when a job does.
    if (event.type === 'job' && event.job.state === 'submitted') void this.#refreshQuota();
    this.#base.events.publish(event);
  }

  /** The studio publishes what it learns. A service that cannot be asked leaves the last known quota. */
  async #refreshQuota(): Promise<void> {
    await this.#studio.quota().catch((error: unknown) => {
      this.#base.logging.logger.debug({ err: error }, 'quota not available');
    });
  }

  /** The API key goes to the vault; the settings file only remembers that there is one. */
  async #set(key: string, value: string | number | boolean): Promise<SettingEntry> {
    const { vault, network, logging } = this.#base;
    if (key === 'apiKey') {
      const text = String(value).trim();
      if (text === '') await vault.delete(`apiKey:${network}`);
      else await vault.set(`apiKey:${network}`, Buffer.from(text));
      logging.redactor.add(text);
      return this.settings.set(key, text === '' ? '' : 'vault');
    }
    if (key === 'rpcPassword' || key === 'databaseUrl') logging.redactor.add(String(value));
    return this.settings.set(key, value);
  }

  /** A command's host has no servers: the writer starts when it is first asked for, and listens to nobody. */
  async #writerView(): Promise<WriterService['view']> {
    if (this.#options.scope === 'core') {
      this.#writerStart ??= this.#writer.start();
      await this.#writerStart;
    }
    return this.#writer.view;
  }

  /** The sandbox's key and the node's password: worthless, but clients send them with every request. */
  #hideSandboxSecrets(): void {
    if (this.#sandbox === undefined) return;
    const { redactor } = this.#base.logging;
    redactor.add(this.#sandbox.apiKey());
    redactor.add(new URL(this.#sandbox.endpoints().bitcoinRpcUrl).password);
  }

  #requireSandbox(): SandboxService {
    if (this.#sandbox) return this.#sandbox;
    throw new PlanchetError('not-running', 'There is no sandbox on this network.', {
      hint: 'Start with --network sandbox.',
    });
  }

  #addressOf(name: ServiceName): string | null {
    const status = this.#runner.get(name);
    return status.state === 'running' ? (status.address ?? null) : null;
  }
}

/** The addresses in force: the sandbox's bound ones on its network, the settings' elsewhere. */
class LiveEndpoints implements Endpoints {
  readonly #settings: SettingsView;
  #sandbox: () => Endpoints | undefined = () => undefined;

  constructor(settings: SettingsView) {
    this.#settings = settings;
  }

  /** @param sandbox its addresses while it runs */
  readSandbox(sandbox: () => Endpoints | undefined): void {
    this.#sandbox = sandbox;
  }

  get baseUrl(): string {
    return this.#pick('baseUrl');
  }
  get consoleBaseUrl(): string {
    // One host serves both where no other is named.
    return this.#pick('consoleBaseUrl') || this.baseUrl;
  }
  get mapiUrl(): string {
    return this.#pick('mapiUrl');
  }
  get bitcoinRpcUrl(): string {
    return this.#pick('bitcoinRpcUrl');
  }
  get bitcoinZmqUrl(): string {
    return this.#pick('bitcoinZmqUrl');
  }

  #pick(key: keyof Endpoints): string {
    return this.#settings.current()[key] || (this.#sandbox()?.[key] ?? '');
  }
}

async function openFoundation(options: HostOptions, clock: Clock, lock: DataFolderLock): Promise<Foundation> {
  const { dataDir } = options;
  const settings = new SettingsStore({
    dataDir,
    clock,
    safeMode: options.safeMode ?? false,
    ...(options.overrides ? { overrides: options.overrides } : {}),
  });
  ensurePassword(settings);
  const { network, logLevel, rpcPassword } = settings.current();
  const logging = openLogging(dataDir, logLevel);
  try {
    logging.redactor.add(rpcPassword);
    logging.redactor.add(lock.token);
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
      migrations: [...walletMigrations, ...studioMigrations, ...tokenBenchMigrations, ...gatewayMigrations],
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
    return { lock, settings, logging, vault, store, workers: createWorkerPool(), events, notices, clock, network };
  } catch (error) {
    logging.logger.error({ err: error }, 'could not be opened');
    await logging.close();
    throw error;
  }
}

async function closeFoundation(base: Foundation): Promise<void> {
  await base.workers.close();
  await base.store.close();
  await base.logging.close();
}

/** Every installation gets a password of its own at its first start; in safe mode one for this run. */
function ensurePassword(settings: SettingsStore): void {
  if (settings.current().rpcPassword !== '') return;
  settings.initialise('rpcPassword', `generated-${randomBytes(24).toString('base64url')}`);
}

function readApiKey(vault: Vault, network: Network): string | undefined {
  if (vault.locked) return undefined;
  const key = vault.get(`apiKey:${network}`);
  return key === undefined ? undefined : Buffer.from(key).toString('utf8');
}

/** Settings under which the sandbox listens where nobody looks: the ports a user chose stay free for a host that serves. */
function unheard(settings: SettingsView): SettingsView {
  const quiet = (current: Settings): Settings => ({
    ...current,
    sandbox: { ...current.sandbox, bind: '127.0.0.1:0', zmqAddress: 'tcp://127.0.0.1:0' },
  });
  return {
    current: () => quiet(settings.current()),
    onChange: (listener) => settings.onChange((current, changed) => listener(quiet(current), changed)),
  };
}

function child(base: Foundation, part: string): Logging['logger'] {
  return base.logging.logger.child({ part });
}

/** The wallet's keys alone, for the commands that make, restore and back them up. */
export async function openKeys(
  options: Pick<HostOptions, 'dataDir' | 'overrides' | 'safeMode' | 'passphrase'>,
): Promise<WalletKeys> {
  const clock = systemClock;
  const settings = new SettingsStore({
    dataDir: options.dataDir,
    clock,
    safeMode: options.safeMode ?? false,
    ...(options.overrides ? { overrides: options.overrides } : {}),
  });
  const { network } = settings.current();
  const secrets = await openVault({
    dataDir: options.dataDir,
    network,
    ...(options.passphrase ? { passphrase: options.passphrase } : {}),
  });
  return WalletKeys.open({ network, secrets, clock });
}
