import { type Network, parseDuration } from '../../../contract/index.ts';
import type { Clock } from '../../ports/clock.ts';
import type { SettingsView } from '../../ports/settings.ts';
import type { NodeClient } from '../upstream/client.ts';
import { ChainView } from './chain-view.ts';

export interface ChainViewParts {
  node: Pick<NodeClient, 'callFrom' | 'believed' | 'count' | 'onUpstreamsChanged'>;
  settings: SettingsView;
  network: Network;
  clock: Clock;
}

/**
 * Makes the view of the main chain that everything in the application shares, so that all are told the same tip. It is used for as long as
 * the client, and is empty again when the client finds that what was heard may be of another chain.
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

/** Reads the setting `gatewayShareFor`, which every call asks for. @returns what gives it in milliseconds */
export function shareForOf(settings: SettingsView): () => number {
  let text = '';
  let ms = 0;
  return () => {
    const { gatewayShareFor } = settings.current();
    if (gatewayShareFor !== text) {
      text = gatewayShareFor;
      ms = parseDuration(gatewayShareFor) ?? 0;
    }
    return ms;
  };
}
