import { join } from 'node:path';
import { type GatewaySource, PlanchetError } from '../../contract/index.ts';
import { createChainData, type FollowedChain } from '../chain-data/create-chain-data.ts';
import type { HeaderReaders } from '../chain-data/node/node-headers.ts';
import type { ChainView } from '../gateway/chain/chain-view.ts';
import { createChainView } from '../gateway/chain/create-chain-view.ts';
import { TipFollower } from '../gateway/chain/tip-follower.ts';
import { GatewayService } from '../gateway/gateway.ts';
import { GatewayView } from '../gateway/gateway-view.ts';
import { FollowedAddresses } from '../gateway/public/followed-addresses.ts';
import { PublicAnswers } from '../gateway/public/public-answers.ts';
import { ApiKeyStore } from '../gateway/server/api-key-store.ts';
import { PairingRequests } from '../gateway/server/pairing.ts';
import { callAll } from '../gateway/upstream/batch.ts';
import { NodeClient } from '../gateway/upstream/client.ts';
import { ZmqRelayService } from '../gateway/zmq/relay.ts';
import type { NodeBroadcast } from '../ports/merchant/broadcast.ts';
import type { TransactionTracker } from '../ports/merchant/transactions.ts';
import { credentialsAreDefault, readApiKey } from './credentials.ts';
import type { HostHooks } from './host-hooks.ts';
import { type HostOptions, type Infrastructure, loggerOf } from './infrastructure.ts';
import type { LiveEndpoints } from './networks/endpoints.ts';
import { sourceKeysOf } from './networks/network-sources.ts';
import { asksPublicServices, asksThemBesideNode } from './networks/public-services.ts';

/** The connection to the upstream nodes, and what follows their chain. */
export interface NodeSystems extends FollowedChain {
  node: NodeClient;
  chain: ChainView;
  tip: TipFollower;
}

export function createNode(
  { dataDir }: HostOptions,
  base: Infrastructure,
  endpoints: () => LiveEndpoints,
): NodeSystems {
  const { settings, network, clock, vault } = base;
  const node = new NodeClient({
    endpoints,
    settings,
    network,
    clock,
    apiKey: () => readApiKey(vault, network),
    logger: loggerOf(base, 'gateway'),
  });
  const chain = createChainView({ node, settings, network, clock });
  const tip = new TipFollower({
    chain,
    endpoints,
    clock,
    onUpstreamsChanged: (listener) => node.onUpstreamsChanged(listener),
    onProbed: (listener) => node.onProbed(listener),
    logger: loggerOf(base, 'tip'),
  });
  const readers: HeaderReaders = {
    node,
    callAll: (method, params, signal) => callAll(node, method, params, signal),
    readRest: async (path, maxBytes, signal) => {
      const type = 'application/octet-stream';
      const answer = await node.rest(path, { signal, wholeBytes: maxBytes, type, range: undefined });
      void answer?.rest?.return?.();
      return answer?.status === 200 && answer.rest === undefined ? answer.bytes : undefined;
    },
  };
  const asked = () => ({ ...settings.current(), bitcoinRpcUrl: endpoints().bitcoinRpcUrl });
  const followed = createChainData({
    network,
    dataDir: join(dataDir, network),
    clock,
    logger: loggerOf(base, 'headers'),
    node: { readers, tip, zmqAddress: () => endpoints().bitcoinZmqUrl },
    outbound: base.outbound,
    publicSources: () => settings.current().publicSources,
    joinUrl: () => settings.current().joinUrl,
    sourceKeys: sourceKeysOf(vault, network, (key) => base.logging.redactor.add(key)),
    isPublic: () => asksPublicServices(network, asked()),
    isBoth: () => asksThemBesideNode(network, asked()),
  });
  base.disposables.add(() => followed.headers.close());
  base.disposables.add(
    settings.onChange((_, changed) => {
      if (changed.some((key) => whoIsAsked.has(key))) void followed.headers.refresh();
    }),
  );
  return { node, chain, tip, ...followed };
}

/** Settings that decide which sources are asked about the chain. */
const whoIsAsked: ReadonlySet<string> = new Set(['chainData', 'publicSources', 'joinUrl']);

/** Who answers the programs that ask the gateway. */
export function sourceOf(
  { settings, network }: Pick<Infrastructure, 'settings' | 'network'>,
  endpoints: () => LiveEndpoints,
): GatewaySource {
  const { gatewaySource, chainData } = settings.current();
  if (gatewaySource !== 'auto') return gatewaySource;
  const asked = { chainData, bitcoinRpcUrl: endpoints().bitcoinRpcUrl };
  if (asksPublicServices(network, asked)) return 'public';
  return asksThemBesideNode(network, asked) ? 'both' : 'node';
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
  systems: NodeSystems & {
    endpoints: () => LiveEndpoints;
    broadcast: NodeBroadcast;
    tracker: Pick<TransactionTracker, 'get' | 'onChange'>;
    /** Called with each transaction that the upstream announces. */
    announced: (hash: Uint8Array) => void;
  },
): Promise<GatewaySystems> {
  const { endpoints, node, chain, tip, broadcast, announced, headers, chainData, toldMempool, tracker } = systems;
  const { settings, clock, vault, store, network, tracing } = base;
  const keyStore = await ApiKeyStore.open(store.db, clock);
  base.disposables.add(() => keyStore.close());
  keyStore.onBudget = ({ id, name, calls, limit }) => {
    const what = calls < limit ? 'gateway.key-budget-near' : 'gateway.key-budget-used';
    const failure = new PlanchetError(what, { name, calls, limit }).toFailure();
    base.notices.add({ id: `gateway-key-${id}`, level: 'warning', failure });
  };
  const areDefault = (): boolean => credentialsAreDefault(settings);
  const pairing = new PairingRequests({
    keyStore,
    clock,
    onChange: (requests) => hooks.publish({ type: 'pairing', requests }),
  });
  const withoutNode = new PublicAnswers({
    network,
    headers,
    clock,
    chainData,
    toldMempool,
    source: () => sourceOf(base, endpoints),
    mostTransactions: () => settings.current().gatewayBlockTransactions,
    ownSince: async (txid) => (await tracker.get(txid))?.createdAt,
  });
  keyStore.askers = () => withoutNode.askers.list();
  const gateway = new GatewayService({
    node,
    chain,
    settings,
    endpoints,
    network,
    clock,
    dataDir: options.dataDir,
    cacheFile: join(options.dataDir, network, 'gateway-cache.db'),
    keyStore,
    pairing,
    broadcast,
    withoutNode,
    onAnnouncement: (listener) => tip.onAnnouncement(listener),
    credentialsAreDefault: areDefault,
    isReady: hooks.isReady,
    trace: tracing && ((call) => tracing.call(call)),
    logger: loggerOf(base, 'gateway'),
  });
  const followed = new FollowedAddresses({ chainData, clock, addresses: () => settings.current().zmqAddresses });
  const relay = new ZmqRelayService({
    followed: () => (withoutNode.source === 'public' ? followed.transactions() : undefined),
    own: { tracker, chainData },
    settings,
    endpoints,
    node: withoutNode.orNode(node),
    clock,
    onTransaction: announced,
    onChain: () => node.isOnChain(),
    credentialsAreDefault: areDefault,
    logger: loggerOf(base, 'zmq'),
  });
  const gatewayView = new GatewayView({
    gateway,
    keyStore,
    pairing,
    settings,
    endpoints,
    network,
    apiKey: () => readApiKey(vault, network),
    credentialsAreDefault: areDefault,
    cookieFile: hooks.cookieFile,
    addressOf: hooks.addressOf,
    failure: () => hooks.failureOf('gateway'),
    source: () => withoutNode.source,
    setPassword: hooks.setPassword,
  });
  return { gateway, relay, gatewayView };
}
