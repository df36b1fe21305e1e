import { type FundingUtxo, feeWithRoom, satoshis, toHex } from '../../../../../chain/index.ts';
import { PlanchetError, phrase } from '../../../../../contract/index.ts';
import { notWhatWasAskedFor } from '../../../projects/token-api.ts';
import type { ItemRow, JobRow } from '../../../tables.ts';
import { coinsFor, mayBeBase64, tokenSizes } from '../../estimate.ts';
import { mintSizes, type TokenSize } from '../../size.ts';
import { refuseMinted, replacedOwners } from '../replaced.ts';
import type { Quote, StepContext, StepOutcome } from '../step-context.ts';
import { directTransaction } from './direct-transaction.ts';
import { uploadItems } from './upload.ts';

/** How often the answer to a build may be lost before a person is asked. */
const MAX_LOST_BUILDS = 10;

/** `uploaded` → `built`: coins are reserved and the service, or Planchet itself, makes the unsigned transaction. */
export async function buildStep(ctx: StepContext, job: JobRow): Promise<StepOutcome> {
  await refuseMinted(ctx, job);
  if (job.direct === 1) return buildDirectly(ctx, job);
  if (job.build_intent === 1) await forgetUsedOutputs(ctx, job);
  // The process may have ended after used outputs were forgotten and before new ones took their place.
  const again = await uploadItems(ctx, job);
  if (again.size > 0) {
    await ctx.journal.write(job.id, { items: again });
    ctx.crash('uploaded');
  }
  const items = await ctx.journal.items(job.id);
  const { coins, journalled } = await reserveCoins(ctx, job, items);
  await ctx.journal.write(job.id, { job: { ...journalled, build_intent: 1 } });
  ctx.crash('build-intent');
  const { transactionUid, txObj } = await ctx.api.createTransaction(
    {
      projectUid: job.project_uid,
      publicKey: ctx.wallet.publicKey(),
      dstAddress: job.destination,
      outputList: items.map(({ output_uid }) => output_uid as string),
      utxoList: coins.map(({ txid, vout }) => ({ outputIndex: vout, txId: txid })),
    },
    mintSizes(await sizesOf(ctx, job, items))(coins.length),
    ctx.signal,
  );
  requireAboutTheSize(txObj, items.length + 1, coins.length);
  ctx.crash('build-sent');
  await ctx.journal.write(job.id, {
    state: 'built',
    failure: null,
    job: { build_intent: 0, builds: 0, transaction_uid: transactionUid, review: null },
    transaction: ctx.journal.transactions.keepUnsigned(job.id, txObj),
  });
  ctx.crash('built');
  return 'next';
}

async function buildDirectly(ctx: StepContext, job: JobRow): Promise<StepOutcome> {
  const items = await ctx.journal.items(job.id);
  const { coins, journalled } = await reserveCoins(ctx, job, items);
  const txObj = await directTransaction(ctx, job, coins, JSON.parse(journalled.quote) as Quote);
  await ctx.journal.write(job.id, {
    state: 'built',
    failure: null,
    job: { ...journalled, build_intent: 0, review: null },
    transaction: ctx.journal.transactions.keepUnsigned(job.id, txObj),
  });
  ctx.crash('built');
  return 'next';
}

/** Most inputs or outputs beyond those asked for that a review names one by one. */
const NAMED_EXTRAS = 20;

/**
 * Counts before anything is decoded, reviewed or stored.
 * @throws PlanchetError `review-failed` where there are many more inputs or outputs than were asked for
 */
function requireAboutTheSize(txObj: Record<string, unknown>, outputs: number, inputs: number): void {
  for (const [key, asked] of [
    ['outputs', outputs],
    ['inputs', inputs],
  ] as const) {
    const list = txObj[key];
    if (Array.isArray(list) && list.length > asked + NAMED_EXTRAS) {
      throw notWhatWasAskedFor(phrase(`reason.more-${key}`, { count: list.length, asked }));
    }
  }
}

/**
 * After a build whose answer is lost: outputs that are in a transaction cannot be put into another one, so new ones take their place.
 * The lost transaction was never signed and spends nothing.
 */
async function forgetUsedOutputs(ctx: StepContext, job: JobRow): Promise<void> {
  if (job.builds >= MAX_LOST_BUILDS) throw new PlanchetError('mint.no-transaction');
  const listed = await ctx.api.listOutputs(job.project_uid, ctx.signal);
  const remote = new Map(listed.map((output) => [output.uid, output]));
  const used = (await ctx.journal.items(job.id)).filter(({ output_uid }) => {
    // One that is not uploaded yet keeps its upload intent.
    if (output_uid === null) return false;
    const output = remote.get(output_uid);
    return output === undefined || (output.transactionUid ?? null) !== null;
  });
  // a service that failed without building anything has lost no answer
  const builds = used.length === 0 ? job.builds : job.builds + 1;
  const blank = new Map(used.map(({ id }) => [id, { output_uid: null, upload_intent: 0 }]));
  await ctx.journal.write(job.id, { items: blank, job: { build_intent: 0, builds } });
}

/** @returns the job's coins, and what its next write journals of them */
async function reserveCoins(
  ctx: StepContext,
  job: JobRow,
  items: readonly ItemRow[],
): Promise<{ coins: FundingUtxo[]; journalled: { quote: string; coins: string } }> {
  const held = ctx.wallet.reserved(job.id);
  if (held.length > 0 && job.quote !== null && job.coins === coinsText(held)) {
    return { coins: held, journalled: { quote: job.quote, coins: coinsText(held) } };
  }
  const { standard, data, source } = await ctx.merchant.feeQuote();
  const sizeOf = mintSizes(await sizesOf(ctx, job, items));
  const replaces = await replacedOwners(ctx, [job.id]);
  const coins =
    held.length > 0 && ctx.wallet.notExcluded(replaces, held).length === 0
      ? held
      : await ctx.wallet.reserve(job.id, satoshis(items.length), (inputs) => feeWithRoom(sizeOf(inputs), standard), {
          replaces,
          from: coinsFor(job.direct === 1),
        });
  ctx.crash('coins-reserved');
  const quote = JSON.stringify({ standard, data, source } satisfies Quote);
  return { coins, journalled: { quote, coins: coinsText(coins) } };
}

/** The largest size that the tokens may have. */
async function sizesOf(ctx: StepContext, job: JobRow, items: readonly ItemRow[]): Promise<TokenSize[]> {
  const collectionId = await ctx.items.collectionId(job.project_uid);
  return tokenSizes(items, collectionId, mayBeBase64(ctx.settings, job.direct === 1));
}

/** Reserved coins as the journal keeps them. */
function coinsText(coins: readonly FundingUtxo[]): string {
  return JSON.stringify(
    coins.map(({ txid, vout, satoshis: value, lockingScript }) => ({
      txid,
      vout,
      satoshis: value,
      lockingScript: toHex(lockingScript),
    })),
  );
}
