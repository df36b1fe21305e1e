import { placedTransaction } from '../../review/chain-facts.ts';
import type { JobRow } from '../../tables.ts';
import { fetchProof } from '../proof.ts';
import { returnToPool } from './reorganisation.ts';
import type { StepContext, StepOutcome } from './step-context.ts';

/** How often the node is asked for a proof it does not have yet. */
const POLL_MS = 5_000;

/** `mined` → `proven`: its Merkle proof holds. A block that left the chain takes the job back to `seen`. */
export async function provenStep(ctx: StepContext, job: JobRow): Promise<StepOutcome> {
  const txid = job.txid as string;
  const found = await placedTransaction(ctx.node, txid, ctx.signal);
  if (found?.block?.hash !== job.block_hash) return returnToPool(ctx, job, found !== undefined);
  const proof = await fetchProof(ctx.node, txid, job.block_hash as string, ctx.clock.now(), ctx.signal);
  if (proof === undefined) return POLL_MS;
  await ctx.journal.write(job.id, {
    state: 'proven',
    failure: null,
    job: { proof: JSON.stringify(proof), block_height: proof.blockHeight },
  });
  ctx.crash('proven');
  return 'rest';
}
