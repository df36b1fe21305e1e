import { z } from 'zod';
import { hashSchema, networkSchema, outpointSchema, satoshisSchema, timestampSchema } from '../common.ts';
import { failureSchema } from '../errors/index.ts';
import { quoteSourceSchema } from '../miners/keys.ts';
import { mintStateSchema } from '../states/state-schemas.ts';
import { artSchema, MAX_ART, MAX_ROYALTIES, repeatsSchema, royaltySchema, subTypes } from './studio.ts';

/**
 * States of a mint run. `planned` waits for approval; `minting` is running; `paused` waits for the cause in `failure` to pass
 * if `waits` is true, and otherwise for a person, with the reason in `failure` unless a person paused it. In `done` nothing more happens: every transaction is proven, cancelled or has failed.
 */
export const runStates = ['planned', 'minting', 'paused', 'done', 'cancelled'] as const;
export const runStateSchema = z.enum(runStates);

/** Transactions that a plan lists one by one; larger plans list the first of them. */
export const MAX_PLAN_TRANSACTIONS = 200;
export const MAX_RUN_ITEMS_A_PAGE = 1_000;
export const MAX_RUNS_A_PAGE = 100;

export const plannedTransactionSchema = z.object({
  kind: z.enum(['collection', 'items']),
  tokens: z.number().int(),
  contentBytes: z.number().int(),
  /** Bytes of the signed transaction, predicted. */
  size: z.number().int(),
  /** The fee at the quoted rate. */
  fee: satoshisSchema,
  /** A transaction with a higher fee is not signed under the approval of this plan. */
  maxFee: satoshisSchema,
});
export type PlannedTransaction = z.infer<typeof plannedTransactionSchema>;

/** The effect and cost of a run, before it starts. */
export const runPlanSchema = z.object({
  projectUid: z.string(),
  destination: z.string(),
  network: networkSchema,
  /** SHA-256 over the whole plan: what an approval is bound to. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  /** SHA-256 over the files, the texts and their division into transactions alone: the same on every network. */
  contentDigest: hashSchema,
  /** Planchet builds and submits the transactions itself, without the token service. */
  direct: z.boolean(),
  tokens: z.number().int(),
  contentBytes: z.number().int(),
  /** First, one transaction divides the wallet's money into a coin for each mint transaction; null where there is only one. */
  split: z.object({ outputs: z.number().int(), size: z.number().int(), fee: satoshisSchema }).nullable(),
  /** All transactions of a run: the one that divides the money, and the mints. */
  transactionCount: z.number().int(),
  /** The first mints in their order; a collection token comes before its items. */
  transactions: z.array(plannedTransactionSchema).max(MAX_PLAN_TRANSACTIONS),
  rate: z.object({ satoshis: z.number(), bytes: z.number() }),
  /** The limits that the miner states; null if it states none. The plan respects them. */
  policy: z.object({
    maxTxBytes: z.number().int().nullable(),
    maxSigops: z.number().int().nullable(),
    maxAncestors: z.number().int().nullable(),
  }),
  /** Who quoted the rate; null if nobody replied and the usual rate is used. */
  quote: quoteSourceSchema.nullable(),
  /** Bytes of all signed transactions, predicted. */
  size: z.number().int(),
  /** All fees at the quoted rate. */
  fee: satoshisSchema,
  /** Fees plus one satoshi a token. */
  total: satoshisSchema,
  /** The most that this approval can cost: fees at their limits plus one satoshi a token. */
  maxTotal: satoshisSchema,
  /** The amount that the wallet must have; the remainder comes back as change. */
  needed: satoshisSchema,
  spendable: satoshisSchema,
  quotaAvailable: z.number().int().nullable(),
  /** Royalty receivers, each once. They are permanent parts of the tokens. Missing in plans of earlier versions. */
  royalties: z.array(royaltySchema).max(MAX_ROYALTIES).default([]),
  /** Projects that minted files of this plan already, with the number of these files: a hint, for each is minted once more. */
  repeats: repeatsSchema.default([]),
  /** What prevents the run, each with its fix. */
  problems: z.array(failureSchema),
});
export type RunPlan = z.infer<typeof runPlanSchema>;

/** A run as lists and live events carry it. Its size does not grow with the project. */
export const runSchema = z.object({
  id: z.string(),
  projectUid: z.string(),
  projectName: z.string(),
  /** The first of its tokens, for lists that name a run by its art. */
  art: z.array(artSchema).max(MAX_ART),
  destination: z.string(),
  /** See `runPlanSchema`. */
  direct: z.boolean(),
  state: runStateSchema,
  /** Why it is paused, or which failure one of its transactions is retried after. */
  failure: failureSchema.nullable(),
  /** It is paused and continues automatically once the cause in `failure` has passed. */
  waits: z.boolean(),
  /** Tokens of the run; the other counts are parts of it, and `minted` are those the network has. */
  items: z.number().int(),
  minted: z.number().int(),
  failed: z.number().int(),
  cancelled: z.number().int(),
  /** Tokens by the state of their transaction; a failed one counts in the state where it stopped. */
  byState: z.partialRecord(mintStateSchema, z.number().int()),
  /** The one that divides the money is among them, cancelled ones are not. */
  transactions: z.object({
    total: z.number().int(),
    submitted: z.number().int(),
    proven: z.number().int(),
    failed: z.number().int(),
  }),
  splitTxid: hashSchema.nullable(),
  /** Fees of what is signed, the split included. */
  fee: satoshisSchema,
  plannedFee: satoshisSchema,
  /** Most that the plan can cost: see `runPlanSchema`. */
  maxTotal: satoshisSchema,
  /** Tokens per second since the start; null before the first. */
  rate: z.number().nullable(),
  /** Estimated from the rate so far; null where it is unknown or over. */
  millisecondsLeft: z.number().int().nullable(),
  /** Digest that an approval must contain. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  canApprove: z.boolean(),
  canPause: z.boolean(),
  canResume: z.boolean(),
  /** Cancels what is not signed yet. */
  canCancel: z.boolean(),
  /** Something has failed and can be tried again. */
  canRetry: z.boolean(),
  createdAt: timestampSchema,
  approvedAt: timestampSchema.nullable(),
  endedAt: timestampSchema.nullable(),
});
export type Run = z.infer<typeof runSchema>;

export const runItemSchema = z.object({
  id: z.string(),
  name: z.string(),
  subType: z.enum(subTypes),
  sha256: hashSchema,
  contentType: z.string(),
  /** Mint job of its transaction: `mint.get` has its review and proof. */
  jobId: z.string(),
  state: mintStateSchema,
  /** The file is at the token service. */
  uploaded: z.boolean(),
  failure: failureSchema.nullable(),
  outpoint: outpointSchema.nullable(),
});
export type RunItem = z.infer<typeof runItemSchema>;

/** What `mint --project NAME --json` prints. */
export const runResultSchema = z.object({
  jobId: z.string(),
  items: z.number().int(),
  minted: z.number().int(),
  failed: z.number().int(),
  transactions: z.number().int(),
  fee: satoshisSchema,
  seconds: z.number(),
});
export type RunResult = z.infer<typeof runResultSchema>;
