import { join } from 'node:path';
import {
  type AppInfo,
  type Notice,
  PlanchetError,
  parseDuration,
  type ServiceName,
  type ServiceStatus,
  type Snapshot,
} from '../../contract/index.ts';
import type { ConsoleContext } from '../console/context.ts';
import { MetricsServer } from '../console/debug/metrics-server.ts';
import type { EventHub } from '../console/event-hub.ts';
import { ConsoleServer } from '../console/http/http.ts';
import { isReady } from '../console/readiness.ts';
import { Sessions } from '../console/sessions.ts';
import { keepMemorySmall } from '../infrastructure/memory.ts';
import { SettingChanges } from '../settings/setting-changes.ts';
import type { SettingsStore } from '../settings/settings-store.ts';
import type { WalletKeys } from '../wallet/keys/wallet-keys.ts';
import type { WriterService } from '../writer/writer.ts';
import { sourceOf } from './create-gateway.ts';
import { saveSetting } from './credentials.ts';
import { explainedByFaults } from './fault-health.ts';
import { type HostOptions, type Infrastructure, loggerOf, openInfrastructure } from './infrastructure.ts';
import { Networks } from './networks/networks.ts';
import { createRehearsals } from './rehearsals/create-rehearsals.ts';
import type { Rehearsals } from './rehearsals/rehearsals.ts';
import { searchOf } from './search/sources-of.ts';
import { servedBySystems } from './served-by-systems.ts';
import { ServiceRunner } from './service-runner.ts';
import { createSupport } from './support/create-support.ts';
import { probePort } from './support/probe-port.ts';
import { buildSystems, callbackService, type Systems } from './systems.ts';

export { type HostOptions, openWalletKeys } from './infrastructure.ts';
export type { WalletKeys };

/** Tokens that a view receives when it connects. */
const SNAPSHOT_TOKENS = 24;

/**
 * Opens the data folder and builds every service; nothing runs before `start`.
 * @throws PlanchetError `store-locked` if another process uses the folder, `vault-passphrase-wrong`, `settings-invalid`, `disk-full`
 */
export const createHost = (options: HostOptions): Promise<Host> => Host.create(options);

/** The application without a shell: the composition root, and the only place that knows every service. */
export class Host {
  readonly settings: SettingsStore;
  /** Context of the contract's handlers, for the direct client and the MessagePort. */
  readonly context: ConsoleContext;
  readonly cookieFile: string;
  /** Browsers that are signed in to the console. */
  readonly sessions: Sessions;
  readonly #options: HostOptions;
  readonly #base: Infrastructure;
  readonly #systems: Systems;
  readonly #runner: ServiceRunner;
  readonly #console: ConsoleServer;
  readonly #rehearsals: Rehearsals | undefined;
  readonly #startedAt: number;
  readonly #networks: Networks;
  readonly #changes: SettingChanges;
  /** Whether there was no project when it started. */
  readonly #wasEmpty: boolean;
  #writerStart: Promise<unknown> | undefined;
  #quota: Snapshot['quota'] = null;
  #stopping: Promise<void> | undefined;

  static async create(options: HostOptions): Promise<Host> {
    const base = await openInfrastructure(options);
    try {
      return await Host.#build(options, base);
    } catch (error) {
      base.logging.logger.error({ err: error }, 'could not be built');
      await base.disposables.dispose();
      throw error;
    }
  }

  static async #build(options: HostOptions, base: Infrastructure): Promise<Host> {
    // The hooks refer to the host, which is made of the systems; none is called before the host is started.
    let host: Host | undefined;
    const built = (): Host => {
      if (host === undefined) throw new Error('a hook was called before the host was built');
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
        await saveSetting(base, 'rpcPassword', password);
        await built().#runner.restart({ name: 'gateway' });
      },
    });
    const isEmpty = (await base.store.db.selectFrom('studio_projects').select('uid').limit(1).execute()).length === 0;
    host = new Host(options, base, systems, { cookieFile, isEmpty });
    return host;
  }

  private constructor(
    options: HostOptions,
    base: Infrastructure,
    systems: Systems,
    { cookieFile, isEmpty }: { cookieFile: string; isEmpty: boolean },
  ) {
    const { settings, clock, events } = base;
    this.#options = options;
    this.#base = base;
    this.#systems = systems;
    this.settings = settings;
    this.cookieFile = cookieFile;
    this.#wasEmpty = isEmpty;
    this.sessions = options.sessions ?? new Sessions(clock);
    settings.onChange(({ theme, language }, changed) => {
      events.publish({ type: 'settings', keys: [...changed] });
      if (changed.includes('theme')) events.publish({ type: 'theme', theme });
      if (changed.includes('language')) events.publish({ type: 'language', language });
    });
    this.#startedAt = clock.now();
    this.#networks = new Networks({ options, base, endpoints: systems.endpoints });
    this.#changes = new SettingChanges({
      store: settings,
      save: (key, value) => this.#networks.set(key, value),
      probePort: (input) => probePort(input, (name) => this.#addressOf(name)),
    });
    this.#runner = new ServiceRunner({
      clock,
      logger: loggerOf(base, 'services'),
      onStatus: (service) => {
        if (service.status.state === 'starting') this.#changes.started(service.name);
        events.publish({ type: 'service', service });
        events.publish({ type: 'endpoints', endpoints: this.info().endpoints });
      },
    });
    const { studio } = systems;
    this.#rehearsals =
      options.rehearses === false ? undefined : createRehearsals({ options, base, studio, createHost });
    this.context = this.#createContext();
    this.#console = new ConsoleServer({
      settings,
      clock,
      logger: loggerOf(base, 'console'),
      context: this.context,
      rendererDir: options.rendererDir,
      cliToken: base.lock.token,
      documents: async (address) => (await import('./openapi.ts')).openApiDocuments(address),
      sessions: this.sessions,
    });
    this.#register();
  }

  /** Registers the services in the order in which they start. A command needs no servers. */
  #register(): void {
    const { sandbox, sandboxService, walletService, studio, gateway, relay, writer, merchant } = this.#systems;
    const faults = () => sandbox?.activeFaults() ?? [];
    const first: ServiceName[] = sandboxService ? ['sandbox'] : [];
    if (sandboxService) this.#runner.add(sandboxService);
    const listens = this.#options.scope === 'all';
    if (listens) this.#runner.add(callbackService(merchant));
    this.#runner.add(walletService, listens ? [...first, 'callbacks'] : first);
    this.#runner.add(studio, ['wallet']);
    if (!listens) return;
    this.#runner.add(explainedByFaults(gateway, faults), first);
    this.#runner.add(explainedByFaults(relay, faults), first);
    this.#runner.add(writer, ['wallet']);
    this.#runner.add(this.#console);
    const { settings, clock } = this.#base;
    if (settings.current().metricsBind === '') return;
    const logger = loggerOf(this.#base, 'metrics');
    this.#runner.add(new MetricsServer({ settings, context: this.context, clock, logger }));
  }

  /** Starts all services; resolves when each runs or has failed, or when a stop came between. */
  async start(): Promise<void> {
    keepMemorySmall();
    await this.#rehearsals?.open();
    this.#systems.tips.onTip((tip) => this.#base.events.publish({ type: 'tip', tip }));
    this.#systems.tip.onForgotten(() => this.#base.events.publish({ type: 'tip', tip: null }));
    await this.#runner.start();
    // The store is closed by then, and the data folder may be another's.
    if (this.#stopping !== undefined) return;
    this.#base.lock.announce(this.#addressOf('console'));
    void this.#refreshQuota();
    const services = this.services().map(({ name, status }) => `${name}:${status.state}`);
    this.#base.logging.logger.info({ services }, 'started');
  }

  /** Stops all services in reverse order and releases the data folder. Later calls wait for the first. */
  stop(): Promise<void> {
    this.#stopping ??= (async () => {
      await this.#systems.approvals.denyAll('stopped');
      await this.#rehearsals?.stop();
      if (this.#writerStart !== undefined) await this.#systems.writer.stop();
      await this.#runner.stop();
      this.#base.events.close();
      await this.#systems.node.close();
      await this.#base.disposables.dispose();
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
      firstStart: this.#isFirstStart(),
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
    return this.#runner.list();
  }

  notices(): Notice[] {
    return this.#base.notices.list();
  }

  /** Creates a one-time login token for the console that stays valid until it is used. */
  createLoginToken(): string {
    return this.#console.createLoginToken({ lasting: true });
  }

  /** @throws PlanchetError `not-running` if the console does not listen */
  createLoginUrl(options: { lasting?: boolean } = {}): string {
    return this.#console.createLoginUrl(options);
  }

  /** The computer goes to sleep: keys of real money are not left in memory. */
  async sleep(): Promise<void> {
    if (this.#base.network !== 'sandbox') await this.lock();
  }

  /** Locks the wallet of any network, at once or when the job that needs it has ended. */
  async lock(): Promise<void> {
    await this.#systems.idleLock.sleep();
  }

  /** @throws PlanchetError `not-running` on any network but the sandbox */
  sandboxApiKey(): string {
    const { sandbox } = this.#systems;
    if (sandbox === undefined) throw new PlanchetError('sandbox.none');
    return sandbox.apiKey();
  }

  /** The studio, for what a rehearsal copies into it. */
  get studio(): Systems['studio'] {
    return this.#systems.studio;
  }

  /** The question of the first start is asked on the sandbox, while there is no project yet. */
  #isFirstStart(): boolean {
    const { safeMode } = this.settings;
    return this.#wasEmpty && !safeMode && this.#base.network === 'sandbox' && !this.settings.current().welcomed;
  }

  #createContext(): ConsoleContext {
    const { sandbox } = this.#systems;
    return {
      logger: loggerOf(this.#base, 'api'),
      network: this.#base.network,
      lockAfter: () => parseDuration(this.settings.current().consoleLockAfter) ?? 0,
      app: {
        info: () => this.info(),
        snapshot: () => this.#snapshot(),
        createLink: () => ({ url: this.createLoginUrl() }),
        dismissNotice: ({ id }) => this.#base.notices.dismiss(id),
        pastNotices: () => [...this.#base.notices.past()],
        welcomed: () => void this.settings.set('welcomed', true),
        setTheme: ({ theme }) => void this.settings.set('theme', theme),
      },
      approvals: this.#systems.approvals,
      sessions: this.sessions,
      events: this.#base.events,
      services: this.#runner,
      settings: this.#changes,
      search: searchOf(this.#systems, this.#base),
      networks: this.#networks,
      currency: this.#systems.currency,
      ...createSupport(this.#options, this.#base, {
        info: () => this.info(),
        services: () => this.services(),
        isHelped: () => sourceOf(this.#base, () => this.#systems.endpoints) === 'both',
        context: () => this.context,
      }),
      ...servedBySystems(this.#options, this.#base, this.#systems, this.#networks),
      rehearsals: this.#rehearsals,
      writer: () => this.#writerView(),
      ...(sandbox ? { sandbox } : {}),
    };
  }

  async #snapshot(): Promise<Snapshot> {
    return {
      app: this.info(),
      services: this.#runner.list(),
      tip: this.#systems.tips.current(),
      wallet: this.#systems.wallet.status(),
      quota: this.#quota,
      jobs: this.#systems.studio.recentJobs(),
      tokens: await this.#systems.studio.newestTokens(SNAPSHOT_TOKENS),
      notices: this.#base.notices.list(),
      faults: this.#systems.sandbox?.activeFaults() ?? [],
      theme: this.settings.current().theme,
      language: this.settings.current().language,
    };
  }

  #publish(event: Parameters<EventHub['publish']>[0]): void {
    if (event.type === 'quota') this.#quota = event.quota;
    // The quota counts submitted tokens, so it changes with every submitted job.
    if (event.type === 'job' && event.job.state === 'submitted') void this.#refreshQuota();
    if (event.type === 'job') this.#base.tracing?.job(event.job);
    this.#base.events.publish(event);
  }

  /** The studio publishes the result. If the service does not answer, the last quota stays. */
  async #refreshQuota(): Promise<void> {
    await this.#systems.studio.quota.get().catch((error: unknown) => {
      this.#base.logging.logger.debug({ err: error }, 'quota not available');
    });
  }

  /** The host of a command runs no servers: the writer starts with its first use, and does not listen. */
  async #writerView(): Promise<WriterService['view']> {
    if (this.#options.scope === 'core') {
      this.#writerStart ??= this.#systems.writer.start();
      await this.#writerStart;
    }
    return this.#systems.writer.view;
  }

  #addressOf(name: ServiceName): string | null {
    const status = this.#runner.get(name);
    return status.state === 'running' ? (status.address ?? null) : null;
  }
}
