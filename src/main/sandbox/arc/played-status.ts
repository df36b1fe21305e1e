import type { FaultArea, Faults } from '../controls/faults.ts';
import type { ArcTransaction } from './statuses.ts';

/** What a miner says of a transaction: the truth, or that a mined one is rejected, as miners with an old view did. */
export function asPlayed<T extends ArcTransaction | undefined>(
  found: T,
  faults: Pick<Faults, 'take'>,
  area: FaultArea,
): T {
  if (found?.status !== 'MINED' || faults.take('rejected-mined', area) === undefined) return found;
  return { ...found, status: 'REJECTED', extraInfo: 'the inputs are spent or missing', blockHash: '', blockHeight: 0 };
}
