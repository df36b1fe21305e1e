import { formatOutpoint } from '../../../chain/index.ts';
import {
  PlanchetError,
  phrase,
  type ReviewCheck,
  reviewCheck,
  type WalletSendRequest,
} from '../../../contract/index.ts';
import type { EarlierJob } from '../../transaction-jobs/transaction-jobs.ts';
import type { Candidate } from '../coins/coin-selection.ts';
import { coinsThatExclude, notExcludedBy, openOf } from '../coins/signed-spends.ts';
import type { CoinStore } from '../coins/storage/coin-store.ts';
import { tokensOf } from './send-draft.ts';

/** The owners of the signed transactions that hold these coins. */
export function holdersOf(coinStore: CoinStore, outpoints: readonly string[]): string[] {
  const txids = outpoints.flatMap((outpoint) => coinStore.heldBySigned.get(outpoint) ?? []);
  return txids.flatMap((txid) => coinStore.signed.get(txid)?.owner ?? []);
}

/** @throws PlanchetError `conflict` where a person chose coins beside which a refused payment could be mined */
export function requireExcluding(
  coinStore: CoinStore,
  owners: readonly string[],
  coins: readonly string[],
  candidates: readonly Candidate[],
): void {
  const beside = notExcludedBy(coinStore, openOf(coinStore, owners), coins);
  const [missing] = coinsThatExclude(coinStore, beside, candidates);
  if (missing === undefined) return;
  const txid = beside[0] as string;
  throw new PlanchetError('wallet.replacement-coin', { txid, outpoint: formatOutpoint(missing) });
}

/** Tells of the open transactions of these owners that transactions which spend these outputs make impossible. */
export function tellReplaced(
  coinStore: CoinStore,
  owners: readonly string[],
  inputs: readonly string[],
): ReviewCheck[] {
  const open = openOf(coinStore, owners);
  const beside = new Set(notExcludedBy(coinStore, open, inputs));
  const [txid, ...more] = [...open].filter((one) => !beside.has(one));
  if (txid === undefined) return [];
  return [reviewCheck('replaces', [], phrase('review.replaces', { txid, count: more.length + 1 }))];
}

/** Whether a request asks for what an earlier payment asked for: it moves the same token, pays one of its addresses, or names it. */
export function isSame(earlier: EarlierJob, request: unknown): boolean {
  const [before, now] = [earlier.request as WalletSendRequest, request as WalletSendRequest];
  const paid = new Set(paidBy(before));
  const tokens = new Set(tokensOf(before));
  return (
    now.replaces === earlier.id ||
    paidBy(now).some((address) => paid.has(address)) ||
    tokensOf(now).some((token) => tokens.has(token))
  );
}

/** Addresses, and the paymail addresses that some of them stand for: their hosts choose others each time. */
function paidBy({ to, paymails = [] }: WalletSendRequest): string[] {
  return [...to.map(({ address }) => address), ...paymails.map(({ paymail }) => paymail)];
}
