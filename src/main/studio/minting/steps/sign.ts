import { type FundingUtxo, txidOf } from '../../../../chain/index.ts';
import { PlanchetError } from '../../../../contract/index.ts';
import { minerLimitsCheck, minerTerms } from '../../../transaction-jobs/miner-limits.ts';
import { withChecks } from '../../../transaction-jobs/replacement-check.ts';
import { coinFacts } from '../../review/chain-facts.ts';
import { reviewSignedTransaction, reviewTransaction } from '../../review/review.ts';
import { readTransaction, unsignedBytes } from '../../review/unsigned.ts';
import type { JobRow } from '../../tables.ts';
import { rebuilt } from './building/rebuilt.ts';
import { replacementChecks } from './replaced.ts';
import { reviewFailed, reviewRequest } from './review.ts';
import type { StepContext, StepOutcome } from './step-context.ts';

/**
 * `reviewed` → `signed`, for a job whose approval is journalled; back to `uploaded` where its coins were released since. The coins are checked
 * again, since an approval may come hours after the review. The signed transaction is reviewed before it is written, and written before it is sent.
 * @throws PlanchetError `review-failed` | `vault-locked` | `conflict`
 */
export async function signStep(ctx: StepContext, job: JobRow): Promise<StepOutcome> {
  const digest = job.approved_digest as string;
  const request = await reviewRequest(ctx, job);
  const txObj = await ctx.journal.transactions.unsigned(job.id);
  const facts = { coins: await coinFacts(ctx.chainData, request.coins) };
  const review = reviewTransaction(request, txObj, facts);
  if (!review.ok) throw reviewFailed(review);
  const { tx } = readTransaction(txObj);
  const replacement = withChecks(review, await replacementChecks(ctx, job, tx.inputs));
  if (!replacement.ok) throw reviewFailed(replacement);
  // a miner may have lowered its limits or gone since the review
  const limits = withChecks(review, minerLimitsCheck(tx, review.fee, await minerTerms(ctx.merchant)));
  if (!limits.ok) throw reviewFailed(limits);
  if (review.digest !== digest) throw new PlanchetError('mint.approval-outdated');
  const reserved = ctx.wallet.reserved(job.id);
  const spent = tx.inputs.map(({ txid, vout }) => reserved.find((coin) => coin.txid === txid && coin.vout === vout));
  if (spent.includes(undefined)) {
    // A new plan of the run released the coins of its unsigned jobs.
    ctx.logger.info({ job: job.id }, 'the coins of a mint are no longer reserved, so it is built anew');
    await ctx.wallet.release(job.id);
    await ctx.journal.write(job.id, rebuilt);
    return 'next';
  }
  const raw = await ctx.wallet.sign(unsignedBytes(txObj), spent as FundingUtxo[]);
  const signedReview = reviewSignedTransaction(request, raw, facts, digest);
  if (!signedReview.ok) throw reviewFailed(signedReview);
  ctx.crash('sign-done');
  const txid = txidOf(raw);
  await ctx.journal.write(job.id, {
    state: 'signed',
    failure: null,
    job: {
      ...{ txid, fee: signedReview.fee, approved_digest: digest },
      unlocks: ctx.journal.transactions.keepSigned(job.id, raw),
      review: JSON.stringify(withChecks(signedReview, replacement.checks.slice(review.checks.length))),
    },
    items: new Map(request.items.map(({ itemId }, vout) => [itemId, { txid, vout }])),
  });
  ctx.crash('signed');
  return 'next';
}
