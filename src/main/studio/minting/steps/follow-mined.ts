import { isWaiting, placedTransaction } from '../../review/chain-facts.ts';
import type { JobRow } from '../../tables.ts';
import type { StepContext, StepOutcome } from './step-context.ts';

/** How often the node is asked besides at every new block, in case an announcement was missed. */
const POLL_MS = 15_000;

/** `seen` → `mined`: a block of the main chain holds it. */
export async function minedStep(ctx: StepContext, job: JobRow): Promise<StepOutcome> {
  const txid = job.txid as string;
  const isInPool = await isWaiting(ctx.node, txid, ctx.signal);
  const found = isInPool ? { block: null } : await placedTransaction(ctx.node, txid, ctx.signal);
  if (found === undefined) {
    // The node dropped it, as after a reorganisation: the step before sends it again.
    await ctx.journal.write(job.id, { state: 'submitted', job: { block_hash: null, block_height: null } });
    return 'next';
  }
  if (found.block === null) {
    if (job.failure !== null) await ctx.journal.write(job.id, { failure: null });
    return POLL_MS;
  }
  const { hash, height } = found.block;
  await ctx.journal.write(job.id, {
    state: 'mined',
    failure: null,
    job: { block_hash: hash, block_height: height ?? null },
  });
  ctx.crash('mined');
  return 'next';
}
