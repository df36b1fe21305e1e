import { transactionStates } from '../../../../../contract/index.ts';
import type { JobRow } from '../../../tables.ts';
import type { StepContext, StepOutcome } from '../step-context.ts';
import { trackedOf } from './tracked.ts';

/** How often the tracker is asked, besides on every change that it reports. */
const POLL_MS = 15_000;

/** `seen` → `mined`: a block of the main chain holds it. */
export async function minedStep(ctx: StepContext, job: JobRow): Promise<StepOutcome> {
  const tracked = await trackedOf(ctx, job);
  // After a reorganisation the tracker looks for it first.
  if (tracked === undefined || tracked.state === 'stale') return POLL_MS;
  if (!transactionStates.is(tracked.state, 'onNetwork')) {
    // The node dropped it: the step before sends it again.
    await ctx.journal.write(job.id, { state: 'submitted', job: { block_hash: null, block_height: null } });
    return 'next';
  }
  if (tracked.block === null) {
    if (job.failure !== null) await ctx.journal.write(job.id, { failure: null });
    return POLL_MS;
  }
  const { hash, height } = tracked.block;
  await ctx.journal.write(job.id, { state: 'mined', failure: null, job: { block_hash: hash, block_height: height } });
  ctx.crash('mined');
  return 'next';
}
