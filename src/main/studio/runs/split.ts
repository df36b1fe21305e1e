import {
  FINAL_SEQUENCE,
  feeFor,
  fromHex,
  LEAST_CHANGE,
  satoshis,
  serializeTx,
  type Tx,
  toHex,
  txidOf,
} from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import type { FeeRate } from '../../ports/merchant/merchant.ts';
import type { MintWallet } from '../../ports/wallet.ts';
import { requireTaken } from '../../transaction-jobs/miner-limits.ts';
import { isOnNetwork } from '../minting/steps/network.ts';
import { ownerOfRun, replacedOwners } from '../minting/steps/replaced.ts';
import type { StepContext } from '../minting/steps/step-context.ts';
import { coinFor, splitSize } from './plan.ts';
import type { RunStore, SignedSplit, StoredRun } from './run-store.ts';

/** Where a test may end the process while the money is divided. */
const splitCrashPoints = ['split-reserved', 'split-journalled', 'split-sent', 'split-held'] as const;

export interface SplitContext extends Pick<StepContext, 'wallet' | 'merchant' | 'chainData' | 'journal'> {
  readonly store: RunStore;
  readonly crash: (where: (typeof splitCrashPoints)[number]) => void;
}

/** A job of the run and what it may pay. */
export interface SplitShare {
  readonly jobId: string;
  readonly tokens: number;
  readonly maxFee: number;
}

/**
 * Divides the wallet's money into a coin for each job, so that the mints do not wait for each other's change. The signed transaction is
 * journalled before it is sent, and the same bytes are sent however often this runs.
 * @throws PlanchetError `funds-insufficient` | `vault-locked` | `review-failed` where no miner in use takes it | `rejected` | `upstream-*`
 */
export async function splitMoney(ctx: SplitContext, run: StoredRun, shares: readonly SplitShare[]): Promise<StoredRun> {
  const { hex, fee } = (await ctx.store.splitOf(run.id)) ?? (await signSplit(ctx, run, shares));
  const raw = fromHex(hex);
  await ctx.wallet.noteSigned(ownerOfRun(run.id), raw);
  try {
    await ctx.merchant.submit(raw, fee);
  } catch (error) {
    // A miner may also refuse what it already has.
    if (!(await isOnNetwork(ctx, txidOf(raw)))) {
      if (error instanceof PlanchetError && error.code === 'rejected') await abandonSplit(ctx, run.id);
      throw error;
    }
  }
  ctx.crash('split-sent');
  await ctx.wallet.observe(raw);
  const txid = txidOf(raw);
  for (const [vout, { jobId }] of shares.entries()) await holdCoin(ctx.wallet, jobId, txid, vout);
  ctx.crash('split-held');
  return ctx.store.write(run.id, { split_done: 1 });
}

/**
 * Brings a split back that the network no longer has: the same bytes are sent again.
 * @returns false where its coins are spent elsewhere, so that it can never come back. @throws PlanchetError `upstream-*`
 */
export async function bringBackSplit(ctx: SplitContext, run: StoredRun): Promise<boolean> {
  const { hex, fee } = (await ctx.store.splitOf(run.id)) ?? { hex: '', fee: 0 };
  const raw = fromHex(hex);
  try {
    await ctx.merchant.submit(raw, fee);
  } catch (error) {
    if (!(error instanceof PlanchetError && error.code === 'rejected')) throw error;
    if (!(await isOnNetwork(ctx, txidOf(raw)))) return false;
  }
  return true;
}

/** Forgets a split that the network does not have, and releases its coins. */
export async function abandonSplit({ wallet, store }: SplitContext, runId: string): Promise<StoredRun> {
  const run = await store.write(runId, { split_raw: null, split_txid: null, split_fee: null });
  await wallet.release(ownerOfRun(runId));
  return run;
}

async function signSplit(ctx: SplitContext, run: StoredRun, shares: readonly SplitShare[]): Promise<SignedSplit> {
  const { wallet, store } = ctx;
  const rate = run.plan.rate;
  const jobIds = shares.map(({ jobId }) => jobId);
  const amounts = shares.map(({ tokens, maxFee }) => coinFor(tokens, maxFee));
  const total = satoshis(amounts.reduce((sum, amount) => sum + amount, 0));
  const coins = await wallet.reserve(ownerOfRun(run.id), total, (inputs) => splitFee(inputs, shares.length, rate), {
    replaces: await replacedOwners(ctx, jobIds),
  });
  ctx.crash('split-reserved');
  const held = coins.reduce((sum, coin) => sum + coin.satoshis, 0);
  const script = wallet.lockingScript();
  const change = held - total - splitFee(coins.length, shares.length, rate);
  const values = change >= LEAST_CHANGE ? [...amounts, change] : amounts;
  const tx: Tx = {
    version: 1,
    inputs: coins.map(({ txid, vout }) => ({ txid, vout, script: new Uint8Array(0), sequence: FINAL_SEQUENCE })),
    outputs: values.map((value) => ({ satoshis: satoshis(value), script })),
    lockTime: 0,
  };
  const fee = held - values.reduce((sum, value) => sum + value, 0);
  try {
    await requireTaken(tx, fee, ctx.merchant);
  } catch (error) {
    await wallet.release(ownerOfRun(run.id));
    throw error;
  }
  const raw = await wallet.sign(serializeTx(tx), coins);
  await store.write(run.id, { split_raw: toHex(raw), split_txid: txidOf(raw), split_fee: fee });
  ctx.crash('split-journalled');
  return { hex: toHex(raw), fee };
}

function splitFee(inputs: number, coins: number, rate: FeeRate) {
  return feeFor(splitSize(inputs, coins), rate);
}

/** Holds a coin for a job. If it is gone or taken, the job reserves other coins later. */
async function holdCoin(wallet: MintWallet, jobId: string, txid: string, vout: number): Promise<void> {
  try {
    await wallet.hold(jobId, [{ txid, vout }]);
  } catch (error) {
    const code = error instanceof PlanchetError ? error.code : undefined;
    if (code !== 'conflict' && code !== 'not-found') throw error;
  }
}
