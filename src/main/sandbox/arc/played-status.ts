import type { FaultArea, Faults } from '../controls/faults.ts';
import type { ArcTransaction } from './statuses.ts';

/** Applies the fault `rejected-mined`: a mined transaction is reported as rejected, as miners with outdated data did. */
export function asPlayed<T extends ArcTransaction | undefined>(
  found: T,
  faults: Pick<Faults, 'take'>,
  area: FaultArea,
): T {
  if (found?.status !== 'MINED' || faults.take('rejected-mined', area) === undefined) return found;
  return { ...found, status: 'REJECTED', extraInfo: 'the inputs are spent or missing', blockHash: '', blockHeight: 0 };
}
