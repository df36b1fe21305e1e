import { PlanchetError, type TokenMove, type WalletSendRequest } from '../../../contract/index.ts';
import { type PaymentLimits, paymentLimits } from './spending-limits.ts';

/** A token that goes to an address, with all of its satoshis. */
interface WorthMove extends TokenMove {
  readonly satoshis: number;
}

/**
 * The requests that send each token to the address beside it, as few as there can be and of like size: the first one and its further
 * transactions.
 * @param moves one at least
 * @param coins how many free coins there are: each transaction is paid by one at least
 * @throws PlanchetError `invalid-input` for a token that is named twice or too many of them, `funds-insufficient` for too few coins
 */
export function tokenBatches(
  moves: readonly WorthMove[],
  coins: number,
  limits: PaymentLimits = paymentLimits,
): [WalletSendRequest, ...WalletSendRequest[]] {
  const seen = new Set<string>();
  for (const { outpoint } of moves) {
    if (seen.has(outpoint)) throw new PlanchetError('wallet.send-many-twice', { outpoint });
    seen.add(outpoint);
  }
  const most = limits.transactions * limits.tokens;
  if (moves.length > most) throw new PlanchetError('wallet.send-many-limit', { count: moves.length, most });
  const transactions = Math.ceil(moves.length / limits.tokens);
  if (coins < transactions) throw new PlanchetError('wallet.send-many-coins', { transactions, coins });
  const size = Math.ceil(moves.length / transactions);
  const batches = Array.from({ length: transactions }, (_, part) => moves.slice(part * size, (part + 1) * size));
  return batches.map((batch) => ({
    tokens: batch.map(({ outpoint }) => outpoint),
    to: batch.map(({ address, satoshis }) => ({ address, satoshis })),
  })) as [WalletSendRequest, ...WalletSendRequest[]];
}
