import { pino } from 'pino';
import type { Settings } from '../../../contract/index.ts';
import type { MinerEndpoint, Miners } from '../../ports/merchant/miners.ts';
import type { TransactionTracker } from '../../ports/merchant/transactions.ts';
import { ServiceMerchant } from '../service-merchant.ts';
import { Submitter } from '../submission/submitter.ts';

/** A tracker that follows nothing, for tests of what is sent. */
export const noTracker: TransactionTracker = {
  track: async () => undefined,
  keepBack: async () => undefined,
  answered: async () => undefined,
  get: async () => undefined,
  proofOf: async () => undefined,
  onChange: () => () => undefined,
};

/** The miners of an installation that uses one. */
export function oneMiner(miner: MinerEndpoint): Miners {
  return {
    list: async () => [],
    enabled: () => [miner],
    get: (id) => (id === miner.id ? miner : undefined),
  };
}

/** What a service gets to submit with, over one miner. */
export function serviceMerchant(
  miner: MinerEndpoint,
  settings: { current(): Settings },
  tracker: TransactionTracker = noTracker,
): ServiceMerchant {
  const miners = oneMiner(miner);
  const submitter = new Submitter({ miners, tracker, clock: Date, logger: pino({ level: 'silent' }) });
  return new ServiceMerchant({ miners, submitter, settings, origin: 'manual' });
}
