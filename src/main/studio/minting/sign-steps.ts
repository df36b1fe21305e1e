import { type FundingUtxo, fromHex, parseTx, parseTxObj, serializeTx, toHex, txidOf } from '../../../chain/index.ts';
import { PlanchetError, type Review } from '../../../contract/index.ts';
import { coinFacts, rawTransaction } from '../review/chain-facts.ts';
import {
  firstDifferences,
  type ReviewRequest,
  reviewSignedTransaction,
  reviewTransaction,
  unsignedDigest,
} from '../review/review.ts';
import type { JobRow } from '../tables.ts';
import { tokenSizes } from './estimate.ts';
import type { Quote, StepContext, StepOutcome } from './step-context.ts';

const LOOKS = 3;
const BETWEEN_LOOKS_MS = 500;

/** `built` → `reviewed`: the transaction is held against what was asked for. Then the job waits for a person. */
export async function reviewStep(ctx: StepContext, job: JobRow): Promise<StepOutcome> {
  const request = await reviewRequest(ctx, job);
  const { tx_obj } = await ctx.journal.transaction(job.id);
  const facts = { coins: await coinFacts(ctx.node, request.coins, ctx.signal) };
  const review = reviewTransaction(request, JSON.parse(tx_obj as string), facts);
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

/**
 * `reviewed` → `signed`, for a job whose approval is journalled. The coins are looked at again, since hours may lie between a review
 * and its approval; what comes back from the wallet is reviewed before it is written down, and it is written down before it is sent.
 * @throws PlanchetError `review-failed` | `vault-locked` | `conflict`
 */
export async function signStep(ctx: StepContext, job: JobRow): Promise<StepOutcome> {
  const digest = job.approved_digest as string;
  const request = await reviewRequest(ctx, job);
  const { tx_obj } = await ctx.journal.transaction(job.id);
  const txObj: unknown = JSON.parse(tx_obj as string);
  const facts = { coins: await coinFacts(ctx.node, request.coins, ctx.signal) };
  const review = reviewTransaction(request, txObj, facts);
  if (!review.ok) throw reviewFailed(review);
  const { tx } = parseTxObj(txObj);
  const unsigned = serializeTx(tx);
  if (unsignedDigest(tx) !== digest) {
    throw new PlanchetError('mint.approval-outdated');
  }
  const reserved = ctx.wallet.reserved(job.id);
  const spent = tx.inputs.map(({ txid, vout }) => reserved.find((coin) => coin.txid === txid && coin.vout === vout));
  if (spent.includes(undefined)) {
    throw new PlanchetError('mint.coins-released');
  }
  const raw = await ctx.wallet.sign(unsigned, spent as FundingUtxo[]);
  const signedReview = reviewSignedTransaction(request, raw, facts, digest);
  if (!signedReview.ok) throw reviewFailed(signedReview);
  ctx.crash('sign-done');
  const txid = txidOf(parseTx(raw));
  const items = await ctx.journal.items(job.id);
  await ctx.journal.write(job.id, {
    state: 'signed',
    failure: null,
    job: { txid, fee: signedReview.fee, review: JSON.stringify(signedReview) },
    transaction: { raw_tx: toHex(raw) },
    items: new Map(items.map(({ id }, vout) => [id, { txid, vout }])),
  });
  ctx.crash('signed');
  return 'next';
}

/**
 * `signed` → `submitted`. The same bytes go out however often this runs. Where the service says no, the network is asked before it is
 * believed: the answer to an earlier attempt may have been lost.
 */
export async function submitStep(ctx: StepContext, job: JobRow): Promise<StepOutcome> {
  const { raw_tx } = await ctx.journal.transaction(job.id);
  const raw = raw_tx as string;
  const txid = job.txid as string;
  try {
    const named = await ctx.api.submit(job.transaction_uid as string, raw, ctx.signal);
    if (named !== txid) {
      throw new PlanchetError('mint.other-txid', { answered: named, txid });
    }
  } catch (error) {
    if (error instanceof PlanchetError && error.code === 'cancelled') throw error;
    if (!(await networkKnowsSoon(ctx, txid))) throw error;
  }
  ctx.crash('submit-sent');
  await ctx.wallet.observe(fromHex(raw));
  await ctx.journal.write(job.id, { state: 'submitted', failure: null });
  ctx.crash('submitted');
  return 'next';
}

/**
 * Whether the node or a miner has the transaction.
 * @throws what the calls throw: not being able to ask is no answer
 */
export async function networkKnows(ctx: Pick<StepContext, 'node' | 'merchant'>, txid: string): Promise<boolean> {
  if ((await rawTransaction(ctx.node, txid)) !== undefined) return true;
  return (await ctx.merchant.status(txid)).known;
}

/** Asks a few times: what the service was given a moment ago may still be on its way to the node. */
async function networkKnowsSoon(ctx: StepContext, txid: string): Promise<boolean> {
  for (let look = 1; ; look++) {
    if (await networkKnows(ctx, txid)) return true;
    if (look === LOOKS) return false;
    await new Promise<void>((resolve) => {
      const cancel = ctx.clock.after(BETWEEN_LOOKS_MS, resolve);
      const end = () => {
        cancel();
        resolve();
      };
      ctx.signal.addEventListener('abort', end, { once: true });
    });
    if (ctx.signal.aborted) throw new PlanchetError('mint.step-cancelled');
  }
}

async function reviewRequest(ctx: StepContext, job: JobRow): Promise<ReviewRequest> {
  const items = await ctx.journal.items(job.id);
  const sizes = tokenSizes(items, await ctx.items.collectionId(job.project_uid));
  return {
    network: ctx.network,
    destination: job.destination,
    items: items.map((item, i) => ({
      itemId: item.id,
      sha256: item.sha256,
      bytes: Number(item.bytes),
      contentType: item.content_type,
      metadata: sizes[i]?.metadata ?? {},
    })),
    coins: JSON.parse(job.coins as string) as ReviewRequest['coins'],
    changeScript: ctx.wallet.lockingScript(),
    quote: JSON.parse(job.quote as string) as Quote,
    maxFee: ctx.settings.current().maxFeeSatoshis,
    maxFeeRate: ctx.settings.current().maxFeeRate,
  };
}

function reviewFailed(review: Review): PlanchetError {
  return new PlanchetError('mint.review-failed', { differences: firstDifferences(review) });
}
