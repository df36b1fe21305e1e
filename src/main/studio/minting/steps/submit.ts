import { PlanchetError } from '../../../../contract/index.ts';
import type { JobRow } from '../../tables.ts';
import { isOnNetworkSoon } from './network.ts';
import type { StepContext, StepOutcome } from './step-context.ts';

/**
 * `signed` → `submitted`: through the token service, or to the miner where no service takes part. However often this runs, it sends the same
 * bytes. If the service refuses, the network is asked first whether it has the transaction, because the reply to an earlier attempt may have
 * been lost.
 */
export async function submitStep(ctx: StepContext, job: JobRow): Promise<StepOutcome> {
  const raw = await ctx.journal.transactions.signed(job.id);
  const txid = job.txid as string;
  // Also followed where the token service submits it, and from before that.
  await ctx.tracker.track([{ rawTx: raw, origin: 'mint', fee: job.fee ?? undefined }]);
  // A party that refuses the transaction may keep its bytes.
  await ctx.wallet.noteSigned(job.id, raw);
  try {
    const named =
      job.direct === 1
        ? (await ctx.merchant.submit(raw)).txid
        : await ctx.api.submit(job.transaction_uid as string, raw, ctx.signal);
    if (named !== txid) throw new PlanchetError('mint.other-txid', { answered: named, txid });
  } catch (error) {
    if (error instanceof PlanchetError && error.code === 'cancelled') throw error;
    if (!(await isOnNetworkSoon(ctx, txid))) throw error;
  }
  ctx.crash('submit-sent');
  await ctx.wallet.observe(raw);
  await ctx.journal.write(job.id, { state: 'submitted', failure: null });
  ctx.journal.transactions.forget(job.id);
  ctx.crash('submitted');
  return 'next';
}
