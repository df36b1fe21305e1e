import { join } from 'node:path';
import type { Failure, ServiceName } from '../../contract/index.ts';
import { TipFollower } from '../gateway/chain/tip-follower.ts';
import { GatewayService } from '../gateway/gateway.ts';
import { GatewayView } from '../gateway/gateway-view.ts';
import { ApiKeyStore } from '../gateway/server/api-key-store.ts';
import { PairingRequests } from '../gateway/server/pairing.ts';
import { NodeClient } from '../gateway/upstream/client.ts';
import { ZmqRelayService } from '../gateway/zmq/relay.ts';
import { MerchantClient } from '../merchant/merchant-client.ts';
import { MerchantKeys } from '../merchant/merchant-keys.ts';
import type { Events } from '../ports.ts';
import { SandboxService } from '../sandbox/sandbox.ts';
import { Studio } from '../studio/studio.ts';
import { TokenBench } from '../tokens/token-bench.ts';
import { Wallet } from '../wallet/wallet.ts';
import { WriterService } from '../writer/writer.ts';
import { LiveEndpoints } from './endpoints.ts';
import { withEphemeralPorts } from './ephemeral-ports.ts';
import {
  credentialsAreDefault,
  type HostOptions,
  type Infrastructure,
  loggerOf,
  readApiKey,
} from './infrastructure.ts';

/** Account of the wallet's seed whose coins pay for documents. */
const WRITER_ACCOUNT = 1;

/** Every system of the application, built and not yet started. */
export interface Systems {
  endpoints: LiveEndpoints;
  node: NodeClient;
  tip: TipFollower;
  wallet: Wallet;
  /** On the sandbox network only. */
  sandbox: SandboxService | undefined;
  merchantKeys: MerchantKeys;
  studio: Studio;
  tokenBench: TokenBench;
  gateway: GatewayService;
  relay: ZmqRelayService;
  gatewayConsole: GatewayView;
  writer: WriterService;
}

/** What a system asks of the host around it. */
export interface HostHooks {
  cookieFile: string;
  /** Tells the views, after the host has drawn its own conclusions. */
  publish: Events['publish'];
  /** Where a service listens, while it runs. */
  addressOf: (name: ServiceName) => string | null;
  /** Why a service failed; null where it did not. */
  failureOf: (name: ServiceName) => Failure | null;
  /** Whether every service has started and can do its work. */
  isReady: () => boolean;
  /** Puts a new node password in force. */
  setPassword: (password: string) => Promise<void>;
}

/**
 * Builds every system and passes each the others that it needs.
 * @throws PlanchetError where the wallet or the callers' book cannot be read
 */
export async function buildSystems(options: HostOptions, base: Infrastructure, hooks: HostHooks): Promise<Systems> {
  const { settings, clock, vault, store, network, tracing } = base;
  const live = new LiveEndpoints(settings);
  const endpoints = (): LiveEndpoints => live;
  const apiKey = (): string | undefined => readApiKey(vault, network);
  const node = new NodeClient({
    endpoints,
    settings,
    network,
    clock,
    apiKey,
    logger: loggerOf(base, 'gateway'),
  });
  const onUpstreamsChanged: NodeClient['onUpstreamsChanged'] = (listener) => node.onUpstreamsChanged(listener);
  const tip = new TipFollower({ node, endpoints, clock, onUpstreamsChanged, logger: loggerOf(base, 'tip') });
  const wallet = await Wallet.open({
    network,
    secrets: vault,
    store,
    settings,
    rpc: node,
    tips: tip,
    events: base.events,
    clock,
    logger: loggerOf(base, 'wallet'),
  });
  const sandbox =
    network === 'sandbox' ? buildSandbox(options, base, wallet, () => gateway.blockAnnounced()) : undefined;
  if (sandbox) live.readSandbox(() => (hooks.addressOf('sandbox') === null ? undefined : sandbox.endpoints()));
  const merchantKeys = await MerchantKeys.open({
    network,
    store,
    settings,
    clock,
    logger: loggerOf(base, 'merchant'),
  });
  const merchant = new MerchantClient({
    network,
    endpoints,
    secrets: vault,
    keys: merchantKeys,
    settings,
    clock,
  });
  const studio = new Studio({
    network,
    dataDir: join(options.dataDir, network),
    store,
    settings,
    endpoints: live,
    secrets: vault,
    wallet,
    node,
    merchant,
    tip,
    events: { publish: hooks.publish },
    clock,
    logger: loggerOf(base, 'studio'),
    ...(options.crashPoint ? { crashPoint: options.crashPoint } : {}),
  });
  const tokenBench = new TokenBench({
    network,
    store,
    settings,
    wallet,
    merchant,
    node,
    tip,
    clock,
    events: base.events,
    logger: loggerOf(base, 'tokens'),
    ...(options.crashPoint ? { crashPoint: options.crashPoint } : {}),
  });
  const book = await ApiKeyStore.open(store.db, clock);
  const areDefault = (): boolean => credentialsAreDefault(settings);
  const pairing = new PairingRequests({
    book,
    clock,
    onChange: (requests) => hooks.publish({ type: 'pairing', requests }),
  });
  const gateway = new GatewayService({
    node,
    settings,
    endpoints,
    network,
    clock,
    dataDir: options.dataDir,
    cacheFile: join(options.dataDir, network, 'gateway-cache.db'),
    book,
    pairing,
    onAnnouncement: (listener) => onEveryTip(tip, listener),
    credentialsAreDefault: areDefault,
    isReady: hooks.isReady,
    trace: tracing && ((call) => tracing.call(call)),
    logger: loggerOf(base, 'gateway'),
  });
  const relay = new ZmqRelayService({
    settings,
    endpoints,
    node,
    clock,
    onChain: () => node.isOnChain(),
    credentialsAreDefault: areDefault,
    logger: loggerOf(base, 'zmq'),
  });
  const gatewayConsole = new GatewayView({
    gateway,
    zmq: relay,
    book,
    pairing,
    settings,
    endpoints,
    network,
    apiKey,
    credentialsAreDefault: areDefault,
    cookieFile: hooks.cookieFile,
    addressOf: hooks.addressOf,
    failure: () => hooks.failureOf('gateway'),
    setPassword: hooks.setPassword,
  });
  const writer = new WriterService({
    network,
    settings,
    dataDir: join(options.dataDir, network),
    wallet,
    poolKey: () => wallet.accountKey(WRITER_ACCOUNT),
    poolBirth: () => wallet.birthHeight,
    merchant,
    node,
    tips: tip,
    endpoints,
    secrets: vault,
    events: { publish: hooks.publish },
    clock,
    logger: loggerOf(base, 'writer'),
    // A command needs the writer, but nobody else is to be let in.
    listens: options.scope === 'all',
  });
  return {
    endpoints: live,
    node,
    tip,
    wallet,
    sandbox,
    merchantKeys,
    studio,
    tokenBench,
    gateway,
    relay,
    gatewayConsole,
    writer,
  };
}

/** @param chainChanged tells who answers for the chain, so that nobody is answered with what was true before */
function buildSandbox(
  options: HostOptions,
  base: Infrastructure,
  wallet: Wallet,
  chainChanged: () => void,
): SandboxService {
  const { settings, clock, vault, workers } = base;
  return new SandboxService({
    settings: options.scope === 'core' ? withEphemeralPorts(settings) : settings,
    clock,
    logger: loggerOf(base, 'sandbox'),
    secrets: vault,
    dataDir: join(options.dataDir, 'sandbox', 'node'),
    walletScript: () => (wallet.status().state === 'ready' ? wallet.lockingScript() : undefined),
    verify: (tx, spent, rules) => workers.verify(tx, spent, rules),
    verifyBatch: (jobs) => workers.verifyBatch(jobs),
    chainChanged,
  });
}

/** Tells of blocks as soon as they are announced, and of those that only polling found. */
function onEveryTip(tip: TipFollower, listener: () => void): () => void {
  const ends = [tip.onAnnouncement(listener), tip.onTip(listener)];
  if (tip.current() !== null) listener();
  return () => {
    for (const end of ends) end();
  };
}
