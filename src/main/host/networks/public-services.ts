import type { Network, Settings } from '../../../contract/index.ts';

/** Whether public services are asked about the chain, and not a node. */
export function asksPublicServices(
  network: Network,
  { chainData, bitcoinRpcUrl }: Pick<Settings, 'chainData' | 'bitcoinRpcUrl'>,
): boolean {
  if (chainData === 'node' || chainData === 'public') return chainData === 'public';
  return network !== 'sandbox' && bitcoinRpcUrl === '';
}

/** Whether they are asked what the node cannot answer. */
export function asksThemBesideNode(
  network: Network,
  { chainData, bitcoinRpcUrl }: Pick<Settings, 'chainData' | 'bitcoinRpcUrl'>,
): boolean {
  return chainData === 'both' && !asksPublicServices(network, { chainData, bitcoinRpcUrl });
}
