import type { Server } from 'node:http';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type Failure, type Network, PlanchetError, parseDuration, phrase, toFailure } from '../../contract/index.ts';
import { createServer } from '../http/node-http.ts';
import { type LocalServer, listenLocally } from '../local-server.ts';
import type { ChainData, TipSource } from '../ports/chain-data.ts';
import type { Clock } from '../ports/clock.ts';
import type { Events } from '../ports/events.ts';
import type { BatchMerchant } from '../ports/merchant/merchant.ts';
import type { TransactionTracker } from '../ports/merchant/transactions.ts';
import type { SecretStore } from '../ports/secrets.ts';
import type { Service } from '../ports/service.ts';
import type { Endpoints, SettingsView } from '../ports/settings.ts';
import type { FundingWallet } from '../ports/wallet.ts';
import { AcceptLog } from './acceptance/accept-log.ts';
import { DataCipher } from './acceptance/data-cipher.ts';
import { refuseOverPolicy } from './acceptance/policy.ts';
import { createFastAccept, type FastAccept, noFastAccept } from './api/fast-accept.ts';
import { createRoutes } from './api/routes.ts';
import { refuseUnreadable } from './api/unreadable-request.ts';
import { DeadLetterRetry } from './dead-letters/retry.ts';
import type { Funding } from './funding/funding.ts';
import { FundingService } from './funding/service/funding-client.ts';
import { ServiceFunding } from './funding/service/service-funding.ts';
import { PoolRescan } from './funding/wallet/pool-rescan.ts';
import { WalletFunding } from './funding/wallet/wallet-funding.ts';
import { KeyRing } from './keys/key-ring.ts';
import { SeedKeys } from './keys/seed-keys.ts';
import { WritePipeline } from './pipeline/pipeline.ts';
import { ProofFollower } from './proofs/proof-follower.ts';
import { AdmissionLimiter } from './queue/admission-limiter.ts';
import { WriteQueue } from './queue/queue.ts';
import { SigningKey } from './sending/data-transaction.ts';
import { steadyClock } from './steady-clock.ts';
import { openWriterStore, type WriterStore } from './storage/store.ts';
import { DocumentReader } from './views/document-reader.ts';
import { type WriterParts, WriterView } from './views/writer-view.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const MAX_CONNECTIONS = 1_024;
/** Steps under way get this long when the service stops; the journal knows what they were. */
const STOP_GRACE_MS = 3_000;
/** A connection that is silent for so long is cut. The time that a client is made to wait for its answer is added. */
const SILENCE_MS = 60_000;

export interface WriterOptions {
  network: Network;
  settings: SettingsView;
  /** Folder of the queue's own database, where none is named by `databaseUrl`. */
  dataDir: string;
  wallet: FundingWallet;
  /** Private key of the writer's own coins. @throws PlanchetError `wallet-missing` | `vault-locked` */
  poolKey: () => Uint8Array;
  /**
   * The first block that can hold such coins; null while that is not known. Left out, a journal that knows none does not look for them.
   */
  poolBirth?: () => number | null;
  merchant: BatchMerchant;
  /** Has the proofs that miners and blocks gave. */
  tracker: Pick<TransactionTracker, 'proofOf'>;
  chainData: ChainData;
  tips: TipSource;
  endpoints: () => Endpoints;
  secrets: SecretStore;
  events: Events;
  clock: Clock;
  logger: Logger;
  requestTimeoutMs?: number;
  /** How long a claim on work holds where several processes share the queue; a minute if left out. */
  claimMs?: number;
  /** How long a connection may say nothing before it is cut, in milliseconds. */
  silenceMs?: number;
  /** How the queue's database is opened. */
  openStore?: typeof openWriterStore;
  /** False sends every request through the web framework, also one that waits for nothing but the disk (docs/writer-fast-accept.md). */
  fastAccept?: boolean;
  /** Told when documents wait because the day's fees have reached their cap. */
  capReached?: () => void;
  /** False where only this process uses the writer; it then has no port. */
  listens?: boolean;
}

interface Running extends WriterParts {
  readonly store: WriterStore;
  readonly follower: ProofFollower;
  readonly rescan: PoolRescan | undefined;
  readonly routes: FastifyInstance;
  readonly fastAccept: FastAccept;
}

/**
 * The data-writing client (spec section 4.4): takes documents on `writerBind` and brings each to the chain exactly once. A document is
 * on the disk before anything is done with it; at the start, what a crash left undone goes on where it stopped.
 */
export class WriterService implements Service {
  readonly name = 'writer';
  /** What the console shows and does. While the service does not run, its calls fail with `not-running`. */
  readonly view: WriterView;
  readonly #options: WriterOptions;
  #server: LocalServer | undefined;
  #running: Running | undefined;
  #stopListening: () => void = () => undefined;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.view = new WriterView({ ...options, running: () => this.#running });
  }

  async start(): Promise<{ address?: string }> {
    const { settings, dataDir, requestTimeoutMs = REQUEST_TIMEOUT_MS } = this.#options;
    const { openStore = openWriterStore } = this.#options;
    const store = await openStore(join(dataDir, 'writer.db'), settings.current().databaseUrl);
    const running = this.#build(store, requestTimeoutMs);
    // From here on a failed start ends in stop(), which closes what is open.
    this.#running = running;
    await running.queue.voidClaims();
    await this.#forgetRevoked(running.keys);
    await running.limiter.measure();
    await running.routes.ready();
    if (this.#options.listens !== false) await this.#listen(running);
    this.#stopListening = settings.onChange(() => running.pipeline.retryNow());
    running.pipeline.start();
    running.follower.start();
    running.rescan?.start();
    this.view.start();
    return this.#server === undefined ? {} : { address: this.#server.url };
  }

  async #listen(running: Running): Promise<void> {
    const { network, settings } = this.#options;
    this.#server = await listenLocally({
      bind: settings.current().writerBind,
      key: 'writerBind',
      // The sandbox comes with a key; on other networks the key is always the user's own.
      remoteFix: network === 'sandbox' ? phrase('fix.other-network') : null,
      create: () => this.#createServer(running),
    });
  }

  async #forgetRevoked(keys: KeyRing): Promise<void> {
    try {
      await keys.forgetRevoked();
    } catch (error) {
      // A locked vault keeps them until a start finds it open.
      this.#options.logger.warn({ err: error }, 'signing keys of revoked API keys stay in the vault');
    }
  }

  async stop(): Promise<void> {
    const server = this.#server;
    const running = this.#running;
    this.#server = undefined;
    this.#running = undefined;
    this.#stopListening();
    this.view.stop();
    if (running === undefined) return;
    const steps = Promise.all([running.pipeline.stop(), running.follower.stop(), running.rescan?.stop()]);
    const grace = new Promise<void>((resolve) => this.#options.clock.after(STOP_GRACE_MS, resolve));
    await Promise.all([server?.close(), Promise.race([steps, grace])]);
    await running.routes.close();
    await running.log.idle();
    await running.store.close();
  }

  #build(store: WriterStore, requestTimeoutMs: number): Running {
    const { network, settings, dataDir, merchant, tracker, chainData, tips, secrets, logger, wallet } = this.#options;
    const clock = steadyClock(this.#options.clock);
    const queue = new WriteQueue(store, network, clock, this.#options.claimMs);
    const log = new AcceptLog(store, network, clock, (body) => refuseOverPolicy(merchant, body));
    const limiter = new AdmissionLimiter({ queue, log, settings, clock, dataDir });
    const cipher = new DataCipher(secrets, network);
    const { keys, fundings } = this.#payers(store, queue, () => pipeline.wake());
    const fundingOf = (source: Funding['source']): Funding => fundings[source];
    const pipeline = new WritePipeline({
      queue,
      funding: () => fundings[settings.current().writerFunding],
      fundingOf,
      keys,
      merchant,
      wallet,
      clock,
      logger,
      changed: () => this.view.changed(),
      capReached: () => this.#options.capReached?.(),
    });
    const follower = new ProofFollower({
      queue,
      chainData,
      tips,
      merchant,
      tracker,
      waiting: pipeline.waiters,
      clock,
      logger,
      wake: () => pipeline.wake(),
      changed: () => this.view.changed(),
    });
    const rescan = this.#rescan(queue, () => pipeline.retryNow());
    const reader = new DocumentReader(queue, chainData, cipher, keys, pipeline);
    const deadLetterRetry = new DeadLetterRetry({ queue, chainData, merchant, fundingOf, logger });
    const unready = (keyId?: string): Failure | undefined => this.#unready(keys, keyId);
    const parts = { queue, log, limiter, keys, cipher, pipeline, reader, deadLetterRetry, unready };
    const routed = {
      ...parts,
      settings,
      clock,
      logger,
      server: () => this.#server,
      requestTimeoutMs,
      silenceMs: this.#options.silenceMs ?? SILENCE_MS,
      waits: () => ({
        submitted: parseDuration(settings.current().writerWait) ?? 0,
        mined: parseDuration(settings.current().writerWaitMined) ?? 0,
      }),
    };
    const routes = createRoutes(routed);
    const fastAccept = this.#options.fastAccept === false ? noFastAccept : createFastAccept(routed);
    return { ...parts, store, follower, rescan, routes, fastAccept };
  }

  #rescan(queue: WriteQueue, wake: () => void): PoolRescan | undefined {
    const { chainData, clock, logger, wallet, poolKey, poolBirth, tips } = this.#options;
    if (poolBirth === undefined) return undefined;
    const own = () => (wallet.status().state === 'ready' ? new SigningKey(poolKey()) : undefined);
    return new PoolRescan({ queue, chainData, tips, clock, logger, own, birthHeight: poolBirth, wake });
  }

  #payers(store: WriterStore, queue: WriteQueue, wake: () => void) {
    const { network, settings, merchant, chainData, secrets, clock, logger, wallet, poolKey, endpoints } =
      this.#options;
    const url = (): string => settings.current().fundingUrl || endpoints().mapiUrl;
    const service = new FundingService(url, () => parseDuration(settings.current().fundingTimeout) ?? 0);
    const hasService = (): boolean =>
      settings.current().writerFunding !== 'wallet' || settings.current().fundingUrl !== '';
    const keys = new KeyRing({
      store,
      network,
      secrets,
      seedKeys: new SeedKeys(network, poolKey),
      clock,
      logger,
      service: () => (hasService() || network === 'sandbox' ? service : undefined),
    });
    const served = { queue, keys, service, merchant, settings, logger };
    const fundings: Record<Funding['source'], Funding> = {
      wallet: new WalletFunding({ queue, wallet, poolKey, merchant, chainData, settings, logger, wake }),
      service: new ServiceFunding({ ...served, source: 'service' }),
      sandbox: new ServiceFunding({ ...served, source: 'sandbox' }),
    };
    return { keys, fundings };
  }

  #unready(keys: KeyRing, keyId: string | undefined): Failure | undefined {
    const { settings, wallet } = this.#options;
    if (settings.current().writerFunding === 'wallet') {
      const isReady = wallet.status().state === 'ready';
      return isReady ? undefined : new PlanchetError('writer.no-paying-wallet').toFailure();
    }
    if (keyId === undefined) return undefined;
    try {
      keys.signer(keyId);
      return undefined;
    } catch (error) {
      return toFailure(error);
    }
  }

  #createServer({ routes, fastAccept }: Running): Server {
    const timeout = this.#options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
    const headersTimeout = Math.min(HEADERS_TIMEOUT_MS, timeout);
    const server = createServer(
      // A batch may take hours: the routes limit the time of all others.
      {
        headersTimeout,
        requestTimeout: 0,
        connectionsCheckingInterval: Math.min(1_000, timeout),
        // The routes refuse a request without it, in the form of every refusal.
        requireHostHeader: false,
      },
      (request, response) => {
        if (!fastAccept(request, response)) routes.routing(request, response);
      },
    );
    server.maxConnections = MAX_CONNECTIONS;
    server.setTimeout(this.#options.silenceMs ?? SILENCE_MS);
    // Without a listener Node itself would ask for the body before the key is checked.
    server.on('checkContinue', (request, response) => routes.routing(request, response));
    refuseUnreadable(server, headersTimeout);
    return server;
  }
}
