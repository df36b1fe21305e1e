import { transactionStates } from '../../../contract/index.ts';
import type { TransactionTracker } from '../../ports/merchant/transactions.ts';

/**
 * Tells which transactions of our own left the mempool with a block, in the words of a node: `removedfrommempoolblock`, where no node tells it of all
 * transactions, as soon as a miner or a proof has shown it. Why another one left is not known: a miner that does not know it may have dropped
 * it for any reason.
 * @returns stops it
 */
export function tellOwnRemovals(
  tracker: Pick<TransactionTracker, 'onChange'>,
  publish: (topic: 'removedfrommempoolblock', body: Buffer) => void,
): () => void {
  return tracker.onChange(({ txid, from, transaction: { state } }) => {
    if (from === null || transactionStates.is(from, 'mined') || !transactionStates.is(state, 'mined')) return;
    publish('removedfrommempoolblock', Buffer.from(JSON.stringify({ reason: 'included-in-block', txid })));
  });
}
