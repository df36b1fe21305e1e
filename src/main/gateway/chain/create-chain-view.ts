import type { Network } from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SettingsView } from '../../ports/settings.ts';
import { durationOf, type NodeClient } from '../upstream/client.ts';
import { ChainView } from './chain-view.ts';

export interface ChainViewParts {
  node: Pick<NodeClient, 'callFrom' | 'believed' | 'count' | 'onUpstreamsChanged'>;
  settings: SettingsView;
  network: Network;
  clock: Clock;
}

/**
 * Makes the view of the main chain that the whole application shares, so that every part sees the same tip. It lives as long as the client,
 * and is emptied when the client finds that earlier answers may belong to another chain.
 */
export function createChainView({ node, settings, network, clock }: ChainViewParts): ChainView {
  const chain = new ChainView({
    call: (method, params, from) => node.callFrom(method, params, { from }),
    believed: () => node.believed(),
    upstreams: () => node.count(),
    network,
    clock,
    freshFor: shareForOf(settings),
  });
  node.onUpstreamsChanged(() => chain.forget());
  return chain;
}

/** Reads the setting `gatewayShareFor`. @returns a getter, in milliseconds */
export function shareForOf(settings: SettingsView): () => number {
  return durationOf(() => settings.current().gatewayShareFor, 0);
}
