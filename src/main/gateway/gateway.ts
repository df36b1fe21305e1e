import type { Logger } from 'pino';
import { meetsTarget } from '../../chain/index.ts';
import {
  type Failure,
  type GatewayStatus,
  type Network,
  PlanchetError,
  phrase,
  type UpstreamHealth,
} from '../../contract/index.ts';
import { type LocalServer, listenLocally } from '../local-server.ts';
import type { Clock } from '../ports/clock.ts';
import type { TracedCall } from '../ports/infrastructure/tracing.ts';
import type { NodeBroadcast } from '../ports/merchant/broadcast.ts';
import type { Service, ServiceHealth } from '../ports/service.ts';
import type { Endpoints, SettingsView } from '../ports/settings.ts';
import { easiestBits } from './blocks/network-chains.ts';
import { ResponseCache } from './cache/response-cache.ts';
import type { ChainView } from './chain/chain-view.ts';
import { shareForOf } from './chain/create-chain-view.ts';
import { FastPath } from './fast-path/fast-path.ts';
import { LocalCommands } from './methods/local-commands.ts';
import { TrafficLog } from './metrics/traffic.ts';
import type { PublicAnswers } from './public/public-answers.ts';
import { Rest } from './rest/rest.ts';
import { RpcDispatcher } from './rpc/dispatcher.ts';
import { TipGuard } from './rpc/tip-guard.ts';
import type { ApiKeyStore } from './server/api-key-store.ts';
import { Authenticator } from './server/authenticator.ts';
import { type HttpLimits, REQUEST_TIMEOUT_MS, usualLimits } from './server/http-limits.ts';
import { HttpListener } from './server/http-listener.ts';
import { type CallOutcome, OwnCalls } from './server/own-calls.ts';
import type { PairingRequests } from './server/pairing.ts';
import { RequestGuard } from './server/request-guard.ts';
import { RpcListener } from './server/rpc-listener.ts';
import { isEnabled } from './switches.ts';
import type { NodeClient } from './upstream/client.ts';
import { nothingSet } from './upstream/errors.ts';

export interface GatewayOptions {
  node: Pick<NodeClient, 'ask' | 'send' | 'post' | 'rest' | 'health' | 'watch' | 'onUpstreamsChanged'>;
  /** The view of the chain that the whole application shares. */
  chain: ChainView;
  settings: SettingsView;
  endpoints: () => Endpoints;
  network: Network;
  clock: Clock;
  withoutNode?: PublicAnswers | undefined;
  /** Folder of the `.cookie` file. */
  dataDir: string;
  /** Database of immutable answers; without one they are cached in memory only. */
  cacheFile?: string;
  /** Named keys and paired origins. */
  keyStore?: ApiKeyStore;
  /** Pairing requests of web pages; without it, pages cannot be paired. */
  pairing?: PairingRequests;
  /** Calls the listener for every announced block, before the block is looked up. @returns a function that removes it */
  onAnnouncement?: (listener: () => void) => () => void;
  /** True while rpcUsername and rpcPassword are the generated ones. */
  credentialsAreDefault: () => boolean;
  /** Takes the transactions that programs send; without it none can be sent. */
  broadcast?: NodeBroadcast | undefined;
  logger: Logger;
  /** Whether the whole application can do its work, for `/readyz`. */
  isReady?: () => boolean;
  /** Receives every call; undefined if tracing is off. */
  trace?: ((call: TracedCall) => void) | undefined;
  limits?: Partial<HttpLimits>;
  /** Whether plain calls skip node's HTTP server; if unset, the environment says. */
  fastPath?: boolean;
  /** Whether small calls may go upstream in batches; if unset, the environment says. */
  batching?: boolean;
}

/** What is made again at each start, because the settings of the cache may have changed. */
type Parts = { cache: ResponseCache; dispatcher: RpcDispatcher; rpc: RpcListener; rest: Rest };

/**
 * The node gateway (spec section 4.5): JSON-RPC and REST on `rpcBind` like a full node. It relays 32 commands to the upstream. All others,
 * above all those that send, are refused like unknown commands.
 */
export class GatewayService implements Service {
  readonly name = 'gateway';
  readonly traffic: TrafficLog;
  readonly #options: GatewayOptions;
  readonly #limits: HttpLimits;
  readonly #chain: ChainView;
  readonly #shareFor: () => number;
  readonly #guard: TipGuard;
  readonly #port: HttpListener;
  #parts: Parts;
  readonly #local: LocalCommands;
  readonly #ownCalls: OwnCalls;
  #server: LocalServer | undefined;
  #credentials: Authenticator | undefined;
  #stopping = new AbortController();
  #ends: (() => void)[] = [];

  constructor(options: GatewayOptions) {
    this.#options = options;
    const { settings, clock } = options;
    this.traffic = new TrafficLog(clock, options.trace, () => settings.current().gatewayKeepBodies);
    this.#limits = { ...usualLimits, ...options.limits };
    this.#shareFor = shareForOf(settings);
    this.#chain = options.chain;
    this.#chain.observe({
      onFork: (height) => this.#parts.cache.dropAbove(height, (hash) => this.#chain.heightOf(hash)),
      onTip: (tip) => this.#parts.cache.saveTip(tip),
    });
    this.#guard = new TipGuard({ chain: this.#chain, oldAnswers: () => settings.current().gatewayOldAnswers });
    this.#local = new LocalCommands({
      network: options.network,
      enabled: () => settings.current().gatewayLocalCommands,
      isOnChain: (hash) => this.#chain.isFresh() && this.#chain.heightOf(hash) !== undefined,
      broadcasts: () => options.broadcast?.isOn() === true,
    });
    this.#ownCalls = new OwnCalls({ ...options, local: this.#local, guard: this.#guard, traffic: this.traffic });
    const guard = new RequestGuard({
      server: () => this.#server,
      credentials: () => this.#credentials,
      keyStore: options.keyStore,
      bodyBytes: this.#limits.bodyBytes,
      openRest: () => settings.current().gatewayOpenRest,
    });
    this.#port = new HttpListener({
      guard,
      rpc: () => this.#parts.rpc,
      rest: () => this.#parts.rest,
      pairing: options.pairing,
      traffic: this.traffic,
      limits: this.#limits,
      logger: options.logger,
      stopping: () => this.#stopping.signal,
      fastPath: this.#createFastPath(guard),
      isReady: options.isReady ?? (() => this.#cutOff() === undefined),
    });
    this.#parts = this.#createParts();
  }

  async start(): Promise<{ address?: string; warning?: Failure | undefined }> {
    const { settings, dataDir, credentialsAreDefault, keyStore, node, network } = this.#options;
    const { rpcBind, rpcUsername, rpcPassword } = settings.current();
    this.#stopping = new AbortController();
    this.#parts = this.#createParts();
    await this.#parts.cache.open();
    const tip = await this.#parts.cache.lastTip();
    if (tip !== undefined && meetsTarget(tip.hash, easiestBits[network])) this.#chain.restore(tip);
    // The wallet, the writer and the ZMQ feed use the same upstreams, so these are monitored even if this port is in use.
    this.#ends.push(
      node.watch(),
      // earlier answers may belong to another chain
      node.onUpstreamsChanged(() => this.#parts.cache.clearTip()),
    );
    this.#credentials = new Authenticator(dataDir, rpcUsername, rpcPassword, keyStore);
    this.#server = await listenLocally({
      bind: rpcBind,
      key: 'rpcBind',
      remoteFix: credentialsAreDefault() || rpcPassword === '' ? phrase('fix.own-credentials') : null,
      create: () => this.#port.createServer(),
    });
    try {
      await this.#credentials.publish();
    } catch (error) {
      await this.stop();
      throw error;
    }
    const announced = this.#options.onAnnouncement?.(() => this.blockAnnounced());
    if (announced !== undefined) this.#ends.push(announced);
    return { address: this.#server.url, warning: this.health().warning };
  }

  /** `warning` follows the setting, which applies at once. `degraded` says why no upstream answers. */
  health(): ServiceHealth {
    const { ignoreCertificate } = this.#options.settings.current();
    const warning = ignoreCertificate ? new PlanchetError('gateway.certificate-unchecked').toFailure() : undefined;
    return { warning, degraded: this.#cutOff()?.toFailure() };
  }

  /** Why no upstream can be asked; undefined if one can be, or if that is unknown. */
  #cutOff(): PlanchetError | undefined {
    const { withoutNode } = this.#options;
    if (withoutNode?.source === 'public') return withoutNode.fault;
    let upstreams: readonly UpstreamHealth[];
    try {
      upstreams = this.#options.node.health();
    } catch (error) {
      if (error instanceof PlanchetError) return error;
      throw error;
    }
    if (upstreams.length === 0) return nothingSet();
    if (upstreams.some(({ circuit }) => circuit === 'closed' || circuit === 'new')) return undefined;
    const reasons = new Map(
      upstreams.map(({ lastFailure, failure }) => [lastFailure, { message: lastFailure ?? '', ...failure }]),
    );
    return new PlanchetError('gateway.cut-off', { reason: [...reasons.values()] });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const end of this.#ends.splice(0)) end();
    this.#options.pairing?.close();
    const server = this.#server;
    this.#server = undefined;
    this.#port.close();
    await server?.close();
    this.traffic.close();
    const tip = this.#chain.savedTip();
    if (tip !== null) this.#parts.cache.saveTip(tip);
    await this.#parts.cache.close();
    const credentials = this.#credentials;
    this.#credentials = undefined;
    // Last: another program may hold the file.
    await credentials?.withdraw();
  }

  /** A block was found, so answers that depend on the tip are fetched again. */
  blockAnnounced(): void {
    this.#chain.announce();
    // A failure shows at the next call.
    this.#chain.refresh().catch(() => {});
  }

  /** See {@link OwnCalls.call}. */
  call(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<CallOutcome> {
    return this.#ownCalls.call(method, params, signal);
  }

  async status(): Promise<GatewayStatus> {
    const { age, reorganisations } = this.#chain;
    const { cache, dispatcher } = this.#parts;
    const { withoutNode } = this.#options;
    const isPublic = withoutNode?.source === 'public';
    const tip = isPublic ? withoutNode.tip : this.#chain.tip;
    return {
      source: withoutNode?.source ?? 'node',
      upstreams: this.#options.node.health(),
      certificatesIgnored: this.#options.settings.current().ignoreCertificate,
      tip: tip === null ? null : { ...tip, age: isPublic || !Number.isFinite(age) ? 0 : Math.round(age) },
      reorganisations,
      cache: { ...cache.figures(), ...dispatcher.figures(), dropped: cache.dropped },
      connections: await this.#port.connections(),
      methods: this.traffic.methods(),
      underWay: withoutNode?.underWay.list() ?? { calls: [], total: 0 },
    };
  }

  #createFastPath(guard: RequestGuard): FastPath | undefined {
    const { fastPath = isEnabled('PLANCHET_GATEWAY_FAST_PATH'), clock, logger } = this.#options;
    if (!fastPath) return undefined;
    const rpc = (): RpcListener => this.#parts.rpc;
    return new FastPath({ guard, rpc, clock, limits: this.#limits, keepAliveMs: REQUEST_TIMEOUT_MS, logger });
  }

  #createParts(): Parts {
    const { settings, node, clock, logger, cacheFile } = this.#options;
    const { gatewayCacheBytes: memoryBytes, gatewayDiskCacheBytes: diskBytes } = settings.current();
    const cache = new ResponseCache({ memoryBytes, diskBytes, file: cacheFile, clock, logger });
    const dispatcher = new RpcDispatcher({
      send: (body, listener, wholeBytes) => node.send(body, listener, wholeBytes),
      post: (body, listener, wholeBytes) => node.post(body, listener, wholeBytes),
      batching: this.#options.batching ?? isEnabled('PLANCHET_GATEWAY_BATCHING'),
      check: this.#guard.check,
      chain: this.#chain,
      cache,
      local: this.#local,
      broadcast: this.#options.broadcast,
      withoutNode: this.#options.withoutNode,
      clock,
      shareFor: this.#shareFor,
    });
    const rpc = new RpcListener({
      dispatcher,
      traffic: this.traffic,
      mapiUrl: () => this.#options.endpoints().mapiUrl,
      broadcasts: () => this.#options.broadcast?.isOn() === true,
      batchCalls: this.#limits.batchCalls,
    });
    const rest = new Rest({
      dispatcher,
      upstream: node,
      asksNode: () => this.#options.withoutNode?.source !== 'public',
      clock,
      shareFor: this.#shareFor,
      generation: () => this.#chain.generation,
      hasTip: (origin) => this.#chain.has(origin),
    });
    return { cache, dispatcher, rpc, rest };
  }
}
