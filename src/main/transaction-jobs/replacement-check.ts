import type { Outpoint } from '../../chain/index.ts';
import { phrase, type Review, type ReviewCheck, reviewCheck } from '../../contract/index.ts';
import type { SignedTransactions } from '../ports/wallet.ts';

/**
 * Whether a transaction makes impossible what it replaces: signed transactions that were refused or cancelled, which whoever has their bytes
 * may still have mined.
 * @param owners of what is replaced
 * @returns nothing where nothing is replaced
 */
export function replacementCheck(
  wallet: Pick<SignedTransactions, 'notExcluded'>,
  owners: readonly string[],
  inputs: readonly Outpoint[],
): ReviewCheck[] {
  const replaced = wallet.notExcluded(owners, []);
  if (replaced.length === 0) return [];
  const beside = wallet.notExcluded(owners, inputs);
  return [
    reviewCheck(
      'replaces',
      beside.map((txid) => phrase('review.replaces.beside', { txid })),
      phrase('review.replaces', { txid: replaced[0] as string, count: replaced.length }),
    ),
  ];
}

export function withChecks<T extends Pick<Review, 'checks' | 'ok'>>(review: T, checks: readonly ReviewCheck[]): T {
  if (checks.length === 0) return review;
  return { ...review, checks: [...review.checks, ...checks], ok: review.ok && checks.every(({ passed }) => passed) };
}
