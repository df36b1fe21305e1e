import type { Network, Settings } from '../../../contract/index.ts';

/** Whether public services are asked about the chain, and not a node. */
export function asksPublicServices(
  network: Network,
  { chainData, bitcoinRpcUrl }: Pick<Settings, 'chainData' | 'bitcoinRpcUrl'>,
): boolean {
  if (chainData !== 'auto') return chainData === 'public';
  return network !== 'sandbox' && bitcoinRpcUrl === '';
}
