import { PlanchetError, transactionStates } from '../../../../../contract/index.ts';
import type { JobRow } from '../../../tables.ts';
import type { StepContext, StepOutcome } from '../step-context.ts';
import { trackedOf } from './tracked.ts';

/** How many of the newest finished mints are checked after a start. */
const LOOKED_AT = 1_000;

/**
 * Takes a job back after a reorganisation removed its block. If the network still has the transaction, the job waits for the next block. If
 * not (another transaction replaced it, or the sandbox was reset), the job stops and a person decides: it is not sent again automatically.
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

/**
 * Finished mints whose transaction is no longer in the block that was journalled.
 * @param txids the transactions to look at; undefined for those of the newest finished mints
 */
export async function* jobsOfReplacedBlocks(
  ctx: Pick<StepContext, 'tracker' | 'journal'>,
  txids: ReadonlySet<string> | undefined,
): AsyncGenerator<{ id: string; isKnown: boolean }> {
  const proven = ctx.journal.jobs().filter(({ state }) => state === 'proven');
  const doubted = txids ? proven.filter(({ txid }) => txids.has(txid as string)) : proven.slice(0, LOOKED_AT);
  for (const { id, txid, blockHash } of doubted) {
    const tracked = await trackedOf(ctx, { id, txid });
    // The tracker still looks for it and will report the result.
    if (tracked === undefined || tracked.state === 'queued' || tracked.state === 'stale') continue;
    if (tracked.block?.hash === blockHash) continue;
    yield { id, isKnown: transactionStates.is(tracked.state, 'onNetwork') };
  }
}
