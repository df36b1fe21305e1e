import type { TrackedTransaction } from '../../../../../contract/index.ts';
import type { JobRow } from '../../../tables.ts';
import { cancelled } from '../following/mined-after-all.ts';
import { refuseMinted } from '../replaced.ts';
import type { StepContext, StepOutcome } from '../step-context.ts';

/**
 * `submitted` → `uploaded` for a transaction that can never be mined, because a block has spent one of its coins elsewhere: the same tokens
 * are put into a new transaction, which is reviewed and approved like the first. `cancelled` where one of its drafts is gone for good.
 * @throws PlanchetError `conflict` where a cancelled mint of the same tokens is with the network
 * @returns undefined where it stands: it may still be mined, or it holds a collection token, whose id other tokens have in them
 */
export async function planAnew(
  ctx: StepContext,
  job: JobRow,
  tracked: TrackedTransaction | undefined,
): Promise<StepOutcome | undefined> {
  // The tracker says so only where the other transaction is in a block.
  if (tracked?.state !== 'double-spent') return undefined;
  await refuseMinted(ctx, job);
  const { itemIds } = ctx.journal.job(job.id);
  const items = await ctx.items.existing(itemIds);
  if (items.some(({ sub_type }) => sub_type === 'collection')) return undefined;
  const txid = job.txid as string;
  ctx.logger.warn({ job: job.id, txid, by: tracked.doubleSpentBy }, 'a mint was double spent and is built anew');
  await ctx.wallet.forget(txid);
  await ctx.wallet.release(job.id);
  if (items.length < itemIds.length) {
    // A draft that was deleted for good is in no other transaction.
    await ctx.journal.write(job.id, { ...cancelled, failure: null });
    return 'rest';
  }
  await ctx.journal.write(job.id, {
    state: 'uploaded',
    failure: null,
    job: {
      // The outputs are in the lost transaction: the build finds that out and uploads new ones.
      build_intent: 1,
      ...{ txid: null, fee: null, review: null, approved_digest: null, quote: null, coins: null },
      ...{ block_hash: null, block_height: null, halted: 0, unlocks: null },
    },
    transaction: { tx_obj: null, raw_tx: null },
    everyItem: { txid: null, vout: null },
  });
  return 'next';
}
