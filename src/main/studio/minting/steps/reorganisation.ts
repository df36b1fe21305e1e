import { PlanchetError } from '../../../../contract/index.ts';
import { placedTransaction } from '../../review/chain-facts.ts';
import type { JobRow } from '../../tables.ts';
import type { StepContext, StepOutcome } from './step-context.ts';

/**
 * Takes a job back after a reorganisation removed its block. If the network still has the transaction, the job waits for the next block. If
 * not (another transaction replaced it, or the sandbox was reset), the job stops and a person decides: it is not sent again unasked.
 */
export async function returnToPool(
  ctx: Pick<StepContext, 'journal'>,
  job: JobRow,
  isKnown: boolean,
): Promise<StepOutcome> {
  const placed = { block_hash: null, block_height: null, proof: null };
  if (isKnown) {
    await ctx.journal.write(job.id, { state: 'seen', job: placed });
    return 'next';
  }
  const lost = new PlanchetError('mint.transaction-lost');
  await ctx.journal.write(job.id, { state: 'submitted', failure: lost.toFailure(), job: { ...placed, halted: 1 } });
  return 'rest';
}

/** Finished mints whose block has left the main chain, newest first. It stops at the first block that is still there: blocks below it are too. */
export async function* jobsOfReplacedBlocks(
  ctx: Pick<StepContext, 'node' | 'journal'>,
): AsyncGenerator<{ id: string; isKnown: boolean }> {
  const proven = ctx.journal.jobs().filter(({ state }) => state === 'proven');
  proven.sort((a, b) => (b.blockHeight ?? 0) - (a.blockHeight ?? 0));
  for (const { id, txid, blockHash } of proven) {
    const found = await placedTransaction(ctx.node, txid as string);
    if (found?.block?.hash === blockHash) return;
    yield { id, isKnown: found !== undefined };
  }
}
