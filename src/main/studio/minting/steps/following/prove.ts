import { transactionStates } from '../../../../../contract/index.ts';
import type { JobRow } from '../../../tables.ts';
import { proofIn } from '../../proof.ts';
import type { StepContext, StepOutcome } from '../step-context.ts';
import { returnToPool } from './reorganisation.ts';
import { trackedOf } from './tracked.ts';

/** How often a missing proof is asked for. */
const POLL_MS = 5_000;

/** `mined` → `proven`: its Merkle proof holds. A block that left the chain takes the job back to `seen`. */
export async function provenStep(ctx: StepContext, job: JobRow): Promise<StepOutcome> {
  const txid = job.txid as string;
  const tracked = await trackedOf(ctx, job);
  // After a reorganisation the tracker looks for it first.
  if (tracked === undefined || tracked.state === 'stale') return POLL_MS;
  if (tracked.block?.hash !== job.block_hash)
    return returnToPool(ctx, job, transactionStates.is(tracked.state, 'onNetwork'));
  const proof = await proofIn(ctx, txid, job.block_hash as string, ctx.clock.now());
  if (proof === undefined) return POLL_MS;
  await ctx.journal.write(job.id, {
    state: 'proven',
    failure: null,
    job: { proof: JSON.stringify(proof), block_height: proof.blockHeight },
  });
  ctx.crash('proven');
  return 'rest';
}
