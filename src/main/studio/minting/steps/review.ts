import { fromHex, type Utxo } from '../../../../chain/index.ts';
import { PlanchetError, type Review, type ReviewCheck } from '../../../../contract/index.ts';
import { minerLimitsCheck, minerTerms } from '../../../transaction-jobs/miner-limits.ts';
import { withChecks } from '../../../transaction-jobs/replacement-check.ts';
import { coinFacts } from '../../review/chain-facts.ts';
import { firstDifferences, type ReviewRequest, reviewTransaction } from '../../review/review.ts';
import { readTransaction } from '../../review/unsigned.ts';
import type { JobRow } from '../../tables.ts';
import { coinsFor, tokenSizes } from '../estimate.ts';
import { askedAgain } from './network.ts';
import { replacementChecks } from './replaced.ts';
import type { Quote, StepContext, StepOutcome } from './step-context.ts';

/** `built` → `reviewed`: checks the transaction against what was asked for. Then the job waits for approval. */
export async function reviewStep(ctx: StepContext, job: JobRow): Promise<StepOutcome> {
  const request = await reviewRequest(ctx, job);
  const txObj = await ctx.journal.transactions.unsigned(job.id);
  // In a reorganisation, or after a change of the upstream, the node may miss a coin for a moment.
  const reviewed = await askedAgain(
    ctx,
    async () => reviewTransaction(request, txObj, { coins: await coinFacts(ctx.chainData, request.coins) }),
    ({ checks }) => checks.every(({ id, passed }) => passed || id !== 'input-unspent'),
  );
  const review = reviewed.ok ? withChecks(reviewed, await furtherChecks(ctx, job, reviewed, txObj)) : reviewed;
  if (!review.ok) {
    await ctx.journal.write(job.id, { job: { review: JSON.stringify(review) } });
    throw reviewFailed(review);
  }
  await ctx.journal.write(job.id, {
    state: 'reviewed',
    failure: null,
    job: { review: JSON.stringify(review), fee: review.fee, approved_digest: null },
  });
  ctx.crash('reviewed');
  return 'next';
}

/** Further checks of a transaction that passed the review. */
async function furtherChecks(ctx: StepContext, job: JobRow, { fee }: Review, txObj: unknown): Promise<ReviewCheck[]> {
  const { tx } = readTransaction(txObj);
  return [
    ...minerLimitsCheck(tx, fee, await minerTerms(ctx.merchant)),
    ...(await replacementChecks(ctx, job, tx.inputs)),
  ];
}

/** What a job asked for: the standard its transaction is checked against. */
export async function reviewRequest(ctx: StepContext, job: JobRow): Promise<ReviewRequest> {
  const items = await ctx.journal.items(job.id);
  const sizes = tokenSizes(items, await ctx.items.collectionId(job.project_uid));
  const unreadable = await Promise.all(
    items.map(({ sha256, content_type }) => ctx.isUnreadable({ sha256, contentType: content_type })),
  );
  return {
    network: ctx.network,
    destination: job.destination,
    items: items.map((item, i) => ({
      itemId: item.id,
      sha256: item.sha256,
      bytes: Number(item.bytes),
      contentType: item.content_type,
      isUnreadable: unreadable[i] === true,
      metadata: sizes[i]?.metadata ?? {},
    })),
    coins: chosenCoins(job.coins as string),
    changeScript: ctx.wallet.lockingScript(),
    paysFrom: coinsFor(job.direct === 1) === 'all' ? ctx.wallet.moneyScripts() : [ctx.wallet.lockingScript()],
    quote: JSON.parse(job.quote as string) as Quote,
    maxFee: ctx.settings.current().maxFeeSatoshis,
    maxFeeRate: ctx.settings.current().maxFeeRate,
    acceptsBase64: ctx.settings.current().base64Content === 'accept',
  };
}

/** The reserved coins as the journal keeps them. */
function chosenCoins(journalled: string): Utxo[] {
  const coins = JSON.parse(journalled) as (Omit<Utxo, 'lockingScript'> & { lockingScript: string })[];
  return coins.map((coin) => ({ ...coin, lockingScript: fromHex(coin.lockingScript) }));
}

/** Why a review failed. What a setting can allow has an error of its own. */
export function reviewFailed(review: Review): PlanchetError {
  const failed = review.checks.filter(({ passed }) => !passed);
  if (failed.length === 1 && failed[0]?.id === 'base64-content') return new PlanchetError('mint.base64-content');
  if (failed.length === 1 && failed[0]?.id === 'pictures')
    return new PlanchetError('mint.picture-unreadable', { differences: firstDifferences(review) });
  return new PlanchetError('mint.review-failed', { differences: firstDifferences(review) });
}
