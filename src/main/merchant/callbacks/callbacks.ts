import type { Server } from 'node:http';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { UncheckedSignature } from '../../../chain/index.ts';
import {
  type CallbackNotice,
  type callbacksContract,
  type Network,
  PlanchetError,
  type Serves,
} from '../../../contract/index.ts';
import { foreignBounds } from '../../foreign-json.ts';
import { createServer } from '../../http/node-http.ts';
import { PullStream } from '../../infrastructure/pull-stream.ts';
import { type LocalServer, listenLocally, parseBind } from '../../local-server.ts';
import type { Miners, NamedMiner, SubmitOptions } from '../../ports/merchant/miners.ts';
import type { SecretStore } from '../../ports/secrets.ts';
import type { Service, ServiceHealth } from '../../ports/service.ts';
import type { SettingsView } from '../../ports/settings.ts';
import { openStore, type SqliteStore, storeFailure } from '../../store/store.ts';
import { type ProtocolCallbacks, UnreadableCallback } from '../protocols/protocol.ts';
import { protocols } from '../protocols/protocols.ts';
import { CallbackKeys } from './callback-keys.ts';
import { createCallbackRoutes } from './callback-routes.ts';
import { Handover, type HandoverOptions } from './handover.ts';
import { Receipts } from './receipts.ts';
import { SignatureChecks } from './signature-checks.ts';
import { callbackMigrations } from './tables.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const MAX_CONNECTIONS = 1_024;
/** Messages that a reader of `watch` may be behind. */
const MAX_UNREAD = 10_000;
/** On the sandbox network the receiver listens by itself, as everything there can reach it. */
const SANDBOX_BIND = '127.0.0.1:0';

export interface CallbacksOptions extends Pick<HandoverOptions, 'answered' | 'isRecorded' | 'clock' | 'logger'> {
  network: Network;
  dataDir: string;
  settings: SettingsView;
  secrets: SecretStore;
  miners: Pick<Miners, 'get'>;
  /** Whether answers of a miner may be signed with this key. */
  trusts: (minerId: string, publicKey: string) => boolean;
  /** Checks signatures with compressed keys, many at once. */
  verifySignatures: (signatures: readonly UncheckedSignature[]) => Promise<boolean[]>;
}

interface Running {
  readonly store: SqliteStore<unknown>;
  readonly receipts: Receipts;
  readonly handover: Handover;
  readonly routes: FastifyInstance;
}

/**
 * Receives callbacks of miners. A message is on the disk before its miner reads 200, and goes to the tracker from there; after a crash it
 * goes on where it stopped. The token proves who sent a message and nothing of what it says: the tracker believes a block only of the chain
 * or of a verified proof.
 */
export class Callbacks implements Service, Serves<typeof callbacksContract> {
  readonly name = 'callbacks';
  readonly #options: CallbacksOptions;
  readonly #signatures: SignatureChecks;
  readonly #listeners = new Set<(notice: CallbackNotice) => void>();
  #keys: CallbackKeys | undefined;
  #opening: Promise<unknown> | undefined;
  #server: LocalServer | undefined;
  #running: Running | undefined;

  constructor(options: CallbacksOptions) {
    this.#options = options;
    this.#signatures = new SignatureChecks(options.verifySignatures);
  }

  /** @throws PlanchetError `port-in-use`, `bind-refused`, `store-failed`, `disk-full` */
  async start(): Promise<{ address?: string }> {
    const { dataDir, clock, logger, answered, isRecorded, miners } = this.#options;
    const bind = this.#bind();
    if (bind === undefined) return {};
    const store = await openStore({
      file: join(dataDir, 'callbacks.db'),
      migrations: callbackMigrations,
      synchronous: 'full',
    });
    const receipts = await Receipts.open(store, clock).catch(async (error: unknown) => {
      await store.close();
      throw storeFailure(error, store.sqlite.name);
    });
    const handover = new Handover({
      receipts,
      read: (minerId, message, signature) => this.#protocolOf(minerId)?.reread(message, signature),
      miner: (id) => miners.get(id),
      answered,
      isRecorded,
      told: (notice) => {
        for (const listener of this.#listeners) listener(notice);
      },
      clock,
      logger,
    });
    const routes = createCallbackRoutes({
      server: () => this.#server,
      publicHost: () => this.#publicHost(),
      minerOf: (path, authorization) => this.#keys?.minerOf(path, authorization, clock.now()),
      boundsOf: (minerId) => (this.#protocolOf(minerId) ?? { bounds: foreignBounds.arcCallback }).bounds,
      unseal: async (sealed) => this.#keys?.unseal(sealed),
      take: (minerId, text) => this.#take(minerId, text),
      logger,
    });
    // From here on a failed start ends in stop(), which closes what is open.
    this.#running = { store, receipts, handover, routes };
    await this.#openKeys();
    await routes.ready();
    this.#server = await listenLocally({
      bind,
      key: 'callbackBind',
      // Every path has a token of its own, which only its miner knows.
      remoteFix: null,
      create: () => createHttpServer(routes),
    });
    handover.start();
    return { address: this.#server.url, ...this.health() };
  }

  /** See {@link Service.health}. */
  health(): ServiceHealth {
    if (this.#running === undefined) return {};
    if (this.#keys === undefined) void this.#openKeys();
    const isReachable = this.#base() !== undefined;
    return {
      ...(this.#keys === undefined && { degraded: new PlanchetError('miners.callbacks-locked').toFailure() }),
      ...(!isReachable && { warning: new PlanchetError('miners.callbacks-unreachable').toFailure() }),
    };
  }

  async stop(): Promise<void> {
    const [running, server] = [this.#running, this.#server];
    this.#running = undefined;
    this.#server = undefined;
    if (running === undefined) return;
    await server?.close();
    await running.routes.close();
    await running.receipts.idle();
    await running.handover.stop();
    await running.receipts.close();
    await running.store.close();
  }

  /**
   * Options of a submission that make the miner report here; none while it cannot reach the receiver.
   * @param txids of the submission. A merchant API refuses a repetition whose callback has another address.
   * @returns options of the submission
   */
  expect(miner: NamedMiner, txids?: readonly string[]): SubmitOptions {
    const base = this.#base();
    if (base === undefined || this.#keys === undefined || this.#server === undefined) return {};
    const { needsSameAddress, asked } = protocols[miner.kind].callbacks;
    const now = this.#options.clock.now();
    const { path, token } = this.#keys.issue(miner.id, now, needsSameAddress ? txids : undefined);
    // Within this machine nobody reads the messages, and the library that opens sealed boxes takes 16 MB.
    const encryption = this.#leavesMachine(base) ? this.#keys.encryption : undefined;
    return asked({ url: `${base}/${path}`, token }, encryption);
  }

  /** How many recorded messages the tracker does not have yet. */
  waiting(): number {
    return this.#running?.receipts.countWaiting() ?? 0;
  }

  /** Every message from now on, once the tracker has it. A reader who is too slow misses the oldest. */
  callbacks(signal: AbortSignal | undefined): PullStream<CallbackNotice> {
    const unread: CallbackNotice[] = [];
    const listener = (notice: CallbackNotice): void => {
      unread.push(notice);
      if (unread.length > MAX_UNREAD) unread.shift();
      stream.wake();
    };
    const stream = new PullStream<CallbackNotice>({
      take: () => unread.shift(),
      onClose: () => this.#listeners.delete(listener),
      signal,
    });
    if (!stream.closed) this.#listeners.add(listener);
    return stream;
  }

  #bind(): string | undefined {
    const { callbackBind } = this.#options.settings.current();
    if (callbackBind === 'off') return undefined;
    if (callbackBind !== '') return callbackBind;
    return this.#options.network === 'sandbox' ? SANDBOX_BIND : undefined;
  }

  /** Address for miners, without a slash at its end; undefined where there is none that they can reach. */
  #base(): string | undefined {
    const { callbackPublicUrl, sandbox } = this.#options.settings.current();
    if (callbackPublicUrl !== '') return callbackPublicUrl.replace(/\/+$/, '');
    const bind = parseBind(this.#bind() ?? SANDBOX_BIND);
    if (this.#options.network === 'sandbox') return sandbox.refusePrivateCallbacks ? undefined : this.#server?.url;
    const isEverywhere = bind.hosts.some((host) => host === '0.0.0.0' || host === '::');
    return bind.loopback || isEverywhere ? undefined : this.#server?.url;
  }

  #leavesMachine(base: string): boolean {
    return base !== this.#server?.url || !parseBind(new URL(base).host).loopback;
  }

  #publicHost(): string | undefined {
    const { callbackPublicUrl } = this.#options.settings.current();
    return URL.canParse(callbackPublicUrl) ? new URL(callbackPublicUrl).host : undefined;
  }

  /** While the vault is locked there are no keys; `health` tries again. */
  #openKeys(): Promise<unknown> {
    const { secrets, network, logger } = this.#options;
    this.#opening ??= CallbackKeys.open(secrets, network)
      .then(
        (keys) => {
          this.#keys = keys;
        },
        (error: unknown) => logger.debug({ err: error }, 'the key of callbacks cannot be read'),
      )
      .finally(() => {
        this.#opening = undefined;
      });
    return this.#opening;
  }

  /** @throws UnreadableCallback, PlanchetError `disk-full`, `store-failed` */
  async #take(minerId: string, text: string): Promise<void> {
    const running = this.#running;
    const protocol = this.#protocolOf(minerId);
    if (running === undefined) throw new Error('stopped');
    if (protocol === undefined) throw new UnreadableCallback('The miner was removed.');
    const messages = await protocol.read(text, {
      isValid: (signature) => this.#signatures.isValid(signature),
      trusts: (publicKey) => this.#options.trusts(minerId, publicKey),
    });
    await running.receipts.add(
      messages.map(({ identity, verdict: { raw, signature } }) => ({ minerId, identity, signature, message: raw })),
    );
    running.handover.wake();
  }

  /** How the messages of a miner are read; undefined once it was removed. */
  #protocolOf(minerId: string): ProtocolCallbacks | undefined {
    const miner = this.#options.miners.get(minerId);
    return miner && protocols[miner.kind].callbacks;
  }
}

function createHttpServer(routes: FastifyInstance): Server {
  const server = createServer(
    // The routes refuse a request without a Host header themselves.
    { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS, requireHostHeader: false },
    (request, response) => routes.routing(request, response),
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(REQUEST_TIMEOUT_MS);
  // Without a listener Node itself would ask for the body before the token is checked.
  server.on('checkContinue', (request, response) => {
    response.writeContinue();
    routes.routing(request, response);
  });
  return server;
}
