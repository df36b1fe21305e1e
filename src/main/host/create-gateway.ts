import { join } from 'node:path';
import { parseHeader } from '../../chain/index.ts';
import type { Tip } from '../../contract/index.ts';
import { chosenChainData } from '../chain-data/chosen-chain-data.ts';
import { HeaderStore } from '../chain-data/headers/header-store.ts';
import { PublicHeaders } from '../chain-data/headers/public/public-headers.ts';
import { createNodeChainData } from '../chain-data/node/node-chain-data.ts';
import { createNodeHeaders, type HeaderReaders } from '../chain-data/node/node-headers.ts';
import { createPublicChainData } from '../chain-data/public/public-chain-data.ts';
import { transactionSources } from '../chain-data/public/transaction-sources.ts';
import { PublicSources } from '../chain-data/sources/public-sources.ts';
import type { ChainView } from '../gateway/chain/chain-view.ts';
import { createChainView } from '../gateway/chain/create-chain-view.ts';
import { TipFollower } from '../gateway/chain/tip-follower.ts';
import { GatewayService } from '../gateway/gateway.ts';
import { GatewayView } from '../gateway/gateway-view.ts';
import { ApiKeyStore } from '../gateway/server/api-key-store.ts';
import { PairingRequests } from '../gateway/server/pairing.ts';
import { callAll } from '../gateway/upstream/batch.ts';
import { NodeClient } from '../gateway/upstream/client.ts';
import { ZmqRelayService } from '../gateway/zmq/relay.ts';
import type { ChainData, TipSource } from '../ports/chain-data.ts';
import type { ChainHeader } from '../ports/headers.ts';
import type { NodeBroadcast } from '../ports/merchant/broadcast.ts';
import { credentialsAreDefault, readApiKey } from './credentials.ts';
import type { LiveEndpoints } from './endpoints.ts';
import type { HostHooks } from './host-hooks.ts';
import { type HostOptions, type Infrastructure, loggerOf } from './infrastructure.ts';

/** The connection to the upstream nodes, and what follows their chain. */
export interface NodeSystems {
  node: NodeClient;
  chain: ChainView;
  tip: TipFollower;
  /** The tip by whoever is asked about the chain. */
  tips: TipSource;
  chainData: ChainData;
  /** The verified headers; to be started and stopped. */
  headers: HeaderStore;
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
  const publicSources = new PublicSources({ network, clock, text: () => settings.current().publicSources });
  const publicHeaders = new PublicHeaders({ sources: publicSources, network, clock });
  const headers = new HeaderStore({
    network,
    dataDir: join(dataDir, network),
    sources: (signal) =>
      asksPublicServices(base, endpoints) ? publicHeaders.until(signal) : [createNodeHeaders(readers, signal)],
    tip: {
      onTip: (listener) => {
        const stops = [tip.onTip(listener)];
        if (asksPublicServices(base, endpoints)) stops.push(publicHeaders.onTip(listener));
        return () => {
          for (const stop of stops) stop();
        };
      },
    },
    clock,
    logger: loggerOf(base, 'headers'),
  });
  base.disposables.add(() => headers.close());
  const nodeData = createNodeChainData(node, headers);
  const isPublic = (): boolean => asksPublicServices(base, endpoints);
  const logger = loggerOf(base, 'headers');
  const publicData = createPublicChainData({
    headers,
    network,
    clock,
    sources: () => transactionSources(publicSources),
    onInvalid: ({ name }, reason) => logger.warn({ source: name, reason }, 'A public service sent what does not hold.'),
  });
  const chainData = chosenChainData(() => (isPublic() ? publicData : nodeData));
  const tips: TipSource = {
    current: () => (isPublic() ? headers.tip && tipOf(headers.tip) : tip.current()),
    onTip: (listener) => {
      const stops = [
        tip.onTip((next) => void (isPublic() || listener(next))),
        headers.onChange((change) => void (isPublic() && listener(tipOf(change.tip)))),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
  return { node, chain, tip, tips, headers, chainData };
}

function tipOf({ hash, height, header }: ChainHeader): Tip {
  return { hash, height, time: parseHeader(header).time * 1_000 };
}

/** Whether public services are asked about the chain, and not a node. */
function asksPublicServices({ settings, network }: Infrastructure, endpoints: () => LiveEndpoints): boolean {
  const { chainData } = settings.current();
  if (chainData !== 'auto') return chainData === 'public';
  return network !== 'sandbox' && endpoints().bitcoinRpcUrl === '';
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
  {
    endpoints,
    node,
    chain,
    tip,
    broadcast,
    announced,
  }: NodeSystems & {
    endpoints: () => LiveEndpoints;
    broadcast: NodeBroadcast;
    /** Told of each transaction that the upstream announces. */
    announced: (hash: Uint8Array) => void;
  },
): Promise<GatewaySystems> {
  const { settings, clock, vault, store, network, tracing } = base;
  const keyStore = await ApiKeyStore.open(store.db, clock);
  const areDefault = (): boolean => credentialsAreDefault(settings);
  const pairing = new PairingRequests({
    keyStore,
    clock,
    onChange: (requests) => hooks.publish({ type: 'pairing', requests }),
  });
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
    onAnnouncement: (listener) => tip.onAnnouncement(listener),
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
    setPassword: hooks.setPassword,
  });
  return { gateway, relay, gatewayView };
}
