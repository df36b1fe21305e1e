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

/** The miners of an installation, in the order in which they are tried. */
export function minersOf(...miners: readonly MinerEndpoint[]): Miners {
  return {
    list: async () => [],
    usable: () => [...miners],
    get: (id) => miners.find((miner) => miner.id === id),
  };
}

/** What a service gets to submit with. */
export function serviceMerchant(
  miners: Miners,
  settings: { current(): Settings },
  tracker: TransactionTracker = noTracker,
): ServiceMerchant {
  const submitter = new Submitter({ miners, tracker, clock: Date, logger: pino({ level: 'silent' }) });
  return new ServiceMerchant({ miners, submitter, settings, origin: 'manual' });
}
