import { join } from 'node:path';
import { TipFollower } from '../gateway/chain/tip-follower.ts';
import { GatewayService } from '../gateway/gateway.ts';
import { GatewayView } from '../gateway/gateway-view.ts';
import { ApiKeyStore } from '../gateway/server/api-key-store.ts';
import { PairingRequests } from '../gateway/server/pairing.ts';
import { NodeClient } from '../gateway/upstream/client.ts';
import { ZmqRelayService } from '../gateway/zmq/relay.ts';
import { credentialsAreDefault, readApiKey } from './credentials.ts';
import type { LiveEndpoints } from './endpoints.ts';
import type { HostHooks } from './host-hooks.ts';
import { type HostOptions, type Infrastructure, loggerOf } from './infrastructure.ts';

/** The connection to the upstream nodes, and what follows their chain. */
export interface NodeSystems {
  node: NodeClient;
  tip: TipFollower;
}

export function createNode(base: Infrastructure, endpoints: () => LiveEndpoints): NodeSystems {
  const { settings, network, clock, vault } = base;
  const node = new NodeClient({
    endpoints,
    settings,
    network,
    clock,
    apiKey: () => readApiKey(vault, network),
    logger: loggerOf(base, 'gateway'),
  });
  const tip = new TipFollower({
    node,
    endpoints,
    clock,
    onUpstreamsChanged: (listener) => node.onUpstreamsChanged(listener),
    logger: loggerOf(base, 'tip'),
  });
  return { node, tip };
}

/** The JSON-RPC gateway, the ZMQ relay, and their part of the console. */
export interface GatewaySystems {
  gateway: GatewayService;
  relay: ZmqRelayService;
  gatewayView: GatewayView;
}

/** @throws PlanchetError if the API keys cannot be read */
export async function createGateway(
  options: HostOptions,
  base: Infrastructure,
  hooks: HostHooks,
  { endpoints, node, tip }: NodeSystems & { endpoints: () => LiveEndpoints },
): Promise<GatewaySystems> {
  const { settings, clock, vault, store, network, tracing } = base;
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
    onAnnouncement: (listener) => onNewBlock(tip, listener),
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
  const gatewayView = new GatewayView({
    gateway,
    zmq: relay,
    book,
    pairing,
    settings,
    endpoints,
    network,
    apiKey: () => readApiKey(vault, network),
    credentialsAreDefault: areDefault,
    cookieFile: hooks.cookieFile,
    addressOf: hooks.addressOf,
    failure: () => hooks.failureOf('gateway'),
    setPassword: hooks.setPassword,
  });
  return { gateway, relay, gatewayView };
}

/** Calls the listener for every new block, whether announced over ZMQ or found by polling. @returns removes the listener */
function onNewBlock(tip: TipFollower, listener: () => void): () => void {
  const removers = [tip.onAnnouncement(listener), tip.onTip(listener)];
  if (tip.current() !== null) listener();
  return () => {
    for (const remove of removers) remove();
  };
}
