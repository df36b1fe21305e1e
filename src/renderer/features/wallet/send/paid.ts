import type { Review } from '../../../../contract/index.ts';
import { sum } from '../../../components/review/sum.ts';

interface Paid {
  payments: readonly Review['outputs'][number][];
  /** What the receivers get, in satoshis. */
  sum: number;
  /** What comes back, in satoshis. */
  change: number;
  /** Nothing leaves the wallet but the fee. */
  isMove: boolean;
}

/**
 * What a payment's transaction gives to others and what it gives back.
 * @param own main address of the wallet
 */
export function paidBy({ outputs }: Pick<Review, 'outputs'>, own: string | null | undefined): Paid {
  const payments = outputs.filter(({ kind }) => kind !== 'change');
  return {
    payments,
    sum: sum(payments),
    change: sum(outputs.filter(({ kind }) => kind === 'change')),
    isMove: own != null && payments.every(({ address }) => address === own),
  };
}
