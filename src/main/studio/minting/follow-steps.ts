import { fromHex } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { placedTransaction } from '../review/chain-facts.ts';
import type { JobRow } from '../tables.ts';
import { fetchProof } from './proof.ts';
import { networkKnows } from './sign-steps.ts';
import type { StepContext, StepOutcome } from './step-context.ts';

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
  await handOutAgain(ctx, job);
  await ctx.journal.write(job.id, { failure: null });
  return LOOK_FOR_MS;
}

/** The same bytes as before. @throws PlanchetError `rejected` where the network does not take them */
export async function handOutAgain(ctx: StepContext, job: JobRow): Promise<void> {
  const { raw_tx } = await ctx.journal.transaction(job.id);
  try {
    await ctx.merchant.submit(fromHex(raw_tx as string));
  } catch (error) {
    // A miner that has it already also says no.
    if (!(await networkKnows(ctx, job.txid as string))) throw error;
  }
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
  if (found?.block?.hash !== job.block_hash) return takenBack(ctx, job, found !== undefined);
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

/**
 * The block that held the transaction has left the chain. One the network still knows is waited for anew. One it has lost, because another
 * took its place or a whole network was exchanged, is not handed out again behind anybody's back: a person says what becomes of it.
 */
export async function takenBack(
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

/** Of finished mints, newest first, those whose block has left the chain; what lies below a block that stands, stands as well. */
export async function* replacedJobs(
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
