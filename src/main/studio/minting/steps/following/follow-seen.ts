import { transactionStates } from '../../../../../contract/index.ts';
import type { JobRow } from '../../../tables.ts';
import { planAnew } from '../building/plan-anew.ts';
import { submitAgain } from '../network.ts';
import type { StepContext, StepOutcome } from '../step-context.ts';
import { trackedOf } from './tracked.ts';

/** How often the tracker is asked, besides on every change that it reports. */
const POLL_MS = 2_000;
/** A transaction that stays unknown for so long is sent again. */
const SUBMIT_AGAIN_MS = 30_000;

/** `submitted` → `seen`: the node has it. If it stays unknown, the same bytes are sent again; if it never can be mined, others are built. */
export async function seenStep(ctx: StepContext, job: JobRow): Promise<StepOutcome> {
  const tracked = await trackedOf(ctx, job);
  if (tracked !== undefined && transactionStates.is(tracked.state, 'onNetwork')) {
    await ctx.journal.write(job.id, { state: 'seen', failure: null });
    ctx.crash('seen');
    return 'next';
  }
  const anew = await planAnew(ctx, job, tracked);
  if (anew !== undefined) return anew;
  // The clock may have been set back since.
  const waited = Math.abs(ctx.clock.now() - Number(job.updated_at));
  if (waited < SUBMIT_AGAIN_MS) return POLL_MS;
  await submitAgain(ctx, job);
  await ctx.journal.write(job.id, { failure: null });
  return POLL_MS;
}
