import { toHex } from '../../../chain/index.ts';
import { type TrackedTransaction, type TransactionState, transactionStates } from '../../../contract/index.ts';
import { Sequencer } from '../../async/sequencer.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import type { TransactionTracker } from '../../ports/merchant/transactions.ts';

/** Transactions of our own, and the source of those that took their coins. */
export interface OwnTransactions {
  readonly tracker: Pick<TransactionTracker, 'onChange'>;
  readonly chainData: Pick<ChainData, 'placed'>;
}

type RemovalTopic = 'removedfrommempoolblock' | 'discardedfrommempool';

/**
 * Tells which transactions of our own left the mempool because of a block, in the words of a node, where no node tells it of all transactions:
 * `removedfrommempoolblock` for one that the block holds, as soon as a miner or a proof has shown it; `discardedfrommempool` for one whose coin
 * another transaction of the block took, shown by its bytes and its path to the verified headers. Why any other left is not known: a miner that
 * does not know it may have dropped it for any reason.
 * @returns stops it
 */
export function tellOwnRemovals(
  { tracker, chainData }: OwnTransactions,
  publish: (topic: RemovalTopic, body: Buffer) => void,
): () => void {
  const telling = new Sequencer();
  const discarded = new Set<string>();
  let isStopped = false;
  /** Publishes in the order in which the changes were learnt, even if one has to wait for an answer. */
  const tell = (topic: RemovalTopic, make: () => object | Promise<object>): void =>
    void telling.run(async () => {
      const body = await make();
      if (!isStopped) publish(topic, Buffer.from(JSON.stringify(body)));
    });
  const stop = tracker.onChange(({ txid, from, transaction }) => {
    const { state, doubleSpentBy } = transaction;
    if (from === null) return;
    if (transactionStates.is(state, 'onNetwork')) discarded.delete(txid);
    if (transactionStates.is(state, 'mined')) {
      if (!transactionStates.is(from, 'mined'))
        tell('removedfrommempoolblock', () => ({ reason: 'included-in-block', txid }));
    } else if (state === 'double-spent' && doubleSpentBy !== null && wasTaken(from, transaction)) {
      if (discarded.has(txid)) return;
      discarded.add(txid);
      tell('discardedfrommempool', () => collision(chainData, txid, doubleSpentBy));
    }
  });
  return () => {
    isStopped = true;
    stop();
  };
}

/** Whether a mempool had it: what no miner took was never discarded from one. */
function wasTaken(from: TransactionState, { answers }: TrackedTransaction): boolean {
  return transactionStates.is(from, 'submitted') || answers.some(({ accepted }) => accepted);
}

/** Leaves out what cannot be looked up now. */
async function collision(chainData: OwnTransactions['chainData'], txid: string, by: string): Promise<object> {
  const found = (await chainData.placed(by).catch(() => undefined))?.value;
  const bytes = found && { size: found.raw.length, hex: toHex(found.raw) };
  return { txid, reason: 'collision-in-block-tx', collidedWith: { txid: by, ...bytes }, blockhash: found?.block?.hash };
}
