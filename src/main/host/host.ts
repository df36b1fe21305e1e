import { join } from 'node:path';
import {
  type AppInfo,
  type Notice,
  PlanchetError,
  type ServiceName,
  type ServiceStatus,
  type SettingEntry,
  type Snapshot,
} from '../../contract/index.ts';
import { systemClock } from '../clock.ts';
import type { ConsoleContext } from '../console/context.ts';
import type { EventHub } from '../console/event-hub.ts';
import { ConsoleServer } from '../console/http.ts';
import { isReady } from '../console/readiness.ts';
import { lockDataFolder } from '../infrastructure/data-folder.ts';
import { keepMemorySmall } from '../infrastructure/memory.ts';
import type { Service } from '../ports.ts';
import type { SandboxService } from '../sandbox/sandbox.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import type { WalletKeys } from '../wallet/wallet-keys.ts';
import type { WriterService } from '../writer/writer.ts';
import {
  closeInfrastructure,
  type HostOptions,
  type Infrastructure,
  loggerOf,
  openInfrastructure,
} from './infrastructure.ts';
import { ServiceRunner } from './service-runner.ts';
import { buildSystems, type Systems } from './systems.ts';

export { type HostOptions, openWalletKeys } from './infrastructure.ts';
export type { WalletKeys };

/** Finished jobs a view gets at its connection. */
const SNAPSHOT_TOKENS = 24;

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
  readonly #base: Infrastructure;
  readonly #systems: Systems;
  readonly #runner: ServiceRunner;
  readonly #console: ConsoleServer;
  readonly #startedAt: number;
  #writerStart: Promise<unknown> | undefined;
  #quota: Snapshot['quota'] = null;
  #stopping: Promise<void> | undefined;

  static async create(options: HostOptions): Promise<Host> {
    const clock = options.clock ?? systemClock;
    const lock = lockDataFolder(options.dataDir);
    try {
      const base = await openInfrastructure(options, clock, lock);
      try {
        return await Host.#build(options, base);
      } catch (error) {
        base.logging.logger.error({ err: error }, 'could not be built');
        await closeInfrastructure(base);
        throw error;
      }
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  static async #build(options: HostOptions, base: Infrastructure): Promise<Host> {
    // The systems report to a host that is made of them; nothing reports before it is started.
    let host: Host | undefined;
    const built = (): Host => {
      if (host === undefined) throw new Error('a system spoke to its host before it was built');
      return host;
    };
    const cookieFile = join(options.dataDir, '.cookie');
    const systems = await buildSystems(options, base, {
      cookieFile,
      publish: (event) => built().#publish(event),
      addressOf: (name) => (host === undefined ? null : host.#addressOf(name)),
      failureOf: (name) => {
        const status = built().#runner.get(name);
        return status.state === 'failed' ? status.failure : null;
      },
      isReady: () => isReady(built().services()),
      setPassword: async (password) => {
        await built().#set('rpcPassword', password);
        await built().#runner.restart('gateway');
      },
    });
    host = new Host(options, base, systems, cookieFile);
    return host;
  }

  private constructor(options: HostOptions, base: Infrastructure, systems: Systems, cookieFile: string) {
    const { settings, clock, events } = base;
    this.#options = options;
    this.#base = base;
    this.#systems = systems;
    this.settings = settings;
    this.cookieFile = cookieFile;
    this.#startedAt = clock.now();
    this.#runner = new ServiceRunner({
      clock,
      logger: loggerOf(base, 'services'),
      onStatus: (service) => {
        if (service.name === 'sandbox' && service.status.state === 'running') this.#hideSandboxSecrets();
        events.publish({ type: 'service', service });
        events.publish({ type: 'endpoints', endpoints: this.info().endpoints });
      },
    });
    this.context = this.#createContext();
    this.#console = new ConsoleServer({
      settings,
      clock,
      logger: loggerOf(base, 'console'),
      context: this.context,
      rendererDir: options.rendererDir,
      cliToken: base.lock.token,
    });
    this.#register();
  }

  /** The order of starting. A command of the terminal needs no server. */
  #register(): void {
    const { sandbox, studio, gateway, relay, writer } = this.#systems;
    const first: ServiceName[] = sandbox ? ['sandbox'] : [];
    if (sandbox) this.#runner.add(sandbox);
    this.#runner.add(this.#walletAndTip(), first);
    this.#runner.add(studio, ['wallet']);
    if (this.#options.scope === 'core') return;
    this.#runner.add(gateway, first);
    this.#runner.add(relay, first);
    this.#runner.add(writer, ['wallet']);
    this.#runner.add(this.#console);
  }

  /** Starts all services; resolves when each runs or has failed. */
  async start(): Promise<void> {
    keepMemorySmall();
    this.#systems.tip.onTip((tip) => this.#base.events.publish({ type: 'tip', tip }));
    this.#systems.tip.onForgotten(() => this.#base.events.publish({ type: 'tip', tip: null }));
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
      if (this.#writerStart !== undefined) await this.#systems.writer.stop();
      await this.#runner.stop();
      this.#base.events.close();
      await this.#systems.node.close();
      await closeInfrastructure(this.#base);
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
        baseUrl: this.#systems.endpoints.baseUrl || null,
        mapi: this.#systems.endpoints.mapiUrl || null,
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

  #createContext(): ConsoleContext {
    const { sandbox, gateway, gatewayConsole, wallet, studio, tokenBench, merchantKeys } = this.#systems;
    return {
      logger: loggerOf(this.#base, 'api'),
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
      wallet,
      studio,
      tokenBench,
      merchantKeys,
      node: { call: (method, params, signal) => gateway.call(method, params, signal) },
      gateway: this.#options.scope === 'core' ? undefined : gatewayConsole,
      writer: () => this.#writerView(),
      ...(sandbox ? { sandbox } : {}),
    };
  }

  /** The wallet learns of blocks from the tip, so the tip is followed exactly as long as the wallet runs. */
  #walletAndTip(): Service {
    const { tip, wallet, tokenBench } = this.#systems;
    return {
      name: 'wallet',
      start: async () => {
        tip.start();
        const running = await wallet.start();
        await tokenBench.start();
        return running;
      },
      stop: async () => {
        await tokenBench.stop();
        await wallet.stop();
        await tip.stop();
      },
    };
  }

  async #snapshot(): Promise<Snapshot> {
    return {
      app: this.info(),
      services: this.#runner.statuses(),
      tip: this.#systems.tip.current(),
      wallet: this.#systems.wallet.status(),
      quota: this.#quota,
      jobs: this.#systems.studio.recentJobs(),
      tokens: await this.#systems.studio.tokens(SNAPSHOT_TOKENS),
      notices: this.#base.notices.list(),
      theme: this.settings.current().theme,
    };
  }

  #publish(event: Parameters<EventHub['publish']>[0]): void {
    if (event.type === 'quota') this.#quota = event.quota;
    // The quota counts tokens that were handed in, so it moves when a job does.
    if (event.type === 'job' && event.job.state === 'submitted') void this.#refreshQuota();
    if (event.type === 'job') this.#base.tracing?.job(event.job);
    this.#base.events.publish(event);
  }

  /** The studio publishes what it learns. A service that cannot be asked leaves the last known quota. */
  async #refreshQuota(): Promise<void> {
    await this.#systems.studio.quota().catch((error: unknown) => {
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
      this.#writerStart ??= this.#systems.writer.start();
      await this.#writerStart;
    }
    return this.#systems.writer.view;
  }

  /** The sandbox's key and the node's password: worthless, but clients send them with every request. */
  #hideSandboxSecrets(): void {
    if (this.#systems.sandbox === undefined) return;
    const { redactor } = this.#base.logging;
    redactor.add(this.#systems.sandbox.apiKey());
    redactor.add(new URL(this.#systems.sandbox.endpoints().bitcoinRpcUrl).password);
  }

  #requireSandbox(): SandboxService {
    if (this.#systems.sandbox) return this.#systems.sandbox;
    throw new PlanchetError('sandbox.none');
  }

  #addressOf(name: ServiceName): string | null {
    const status = this.#runner.get(name);
    return status.state === 'running' ? (status.address ?? null) : null;
  }
}
