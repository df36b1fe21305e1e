import { fromHex } from '../../chain/index.ts';
import { placedTransaction } from './chain-facts.ts';
import { fetchProof } from './proof.ts';
import { networkKnows } from './sign-steps.ts';
import type { StepContext, StepOutcome } from './steps.ts';
import type { JobRow } from './tables.ts';

/** A transaction the service took should be with the node in a moment. */
const LOOK_FOR_MS = 2_000;
/** After this it is handed to the network again. */
const SEND_AGAIN_MS = 30_000;
/** New blocks are announced; this is for announcements that were missed. */
const LOOK_FOR_BLOCK_MS = 15_000;
const LOOK_FOR_PROOF_MS = 5_000;

/** `submitted` → `seen`: the node has it. One that stays unknown is handed to the network again, the same bytes. */
export async function seenStep(ctx: StepContext, job: JobRow): Promise<StepOutcome> {
  const txid = job.txid as string;
  if ((await placedTransaction(ctx.node, txid, ctx.signal)) !== undefined) {
    await ctx.journal.write(job.id, { state: 'seen', failure: null });
    ctx.crash('seen');
    return 'next';
  }
  const waited = ctx.clock.now() - Number(job.updated_at);
  if (waited < SEND_AGAIN_MS) return LOOK_FOR_MS;
  const { raw_tx } = await ctx.journal.transaction(job.id);
  try {
    await ctx.merchant.submit(fromHex(raw_tx as string));
  } catch (error) {
    // A miner that has it already also says no.
    if (!(await networkKnows(ctx, txid))) throw error;
  }
  await ctx.journal.write(job.id, { failure: null });
  return LOOK_FOR_MS;
}

/** `seen` → `mined`: a block of the main chain holds it. */
export async function minedStep(ctx: StepContext, job: JobRow): Promise<StepOutcome> {
  const found = await placedTransaction(ctx.node, job.txid as string, ctx.signal);
  if (found === undefined) {
    // Dropped by the node, as after a reorganisation: it is handed out again from there.
    await ctx.journal.write(job.id, { state: 'submitted', job: { block_hash: null, block_height: null } });
    return 'next';
  }
  if (found.block === null) {
    if (job.failure !== null) await ctx.journal.write(job.id, { failure: null });
    return LOOK_FOR_BLOCK_MS;
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

/** `mined` → `proven`: its Merkle proof holds. A block that left the chain takes the job back to `seen`. */
export async function provenStep(ctx: StepContext, job: JobRow): Promise<StepOutcome> {
  const txid = job.txid as string;
  const found = await placedTransaction(ctx.node, txid, ctx.signal);
  if (found?.block?.hash !== job.block_hash) {
    await ctx.journal.write(job.id, { state: 'seen', job: { block_hash: null, block_height: null } });
    return 'next';
  }
  const proof = await fetchProof(ctx.node, txid, job.block_hash as string, ctx.clock.now(), ctx.signal);
  if (proof === undefined) return LOOK_FOR_PROOF_MS;
  await ctx.journal.write(job.id, {
    state: 'proven',
    failure: null,
    job: { proof: JSON.stringify(proof), block_height: proof.blockHeight },
  });
  ctx.crash('proven');
  return 'rest';
}
