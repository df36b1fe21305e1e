import { z } from 'zod';
import { hashSchema, hexSchema, satoshisSchema, timestampSchema } from '../common.ts';
import { failureSchema } from '../errors/index.ts';
import { phraseSchema } from '../phrases/phrase-schema.ts';
import { procedure } from '../procedure.ts';
import { transactionStateSchema } from '../states/state-schemas.ts';
import { minerKindSchema } from './protocols.ts';

/** Which part of Planchet submitted a transaction. */
export const transactionOrigins = ['mint', 'wallet', 'token', 'writer', 'gateway', 'manual'] as const;
export const transactionOriginSchema = z.enum(transactionOrigins);
export type TransactionOrigin = z.infer<typeof transactionOriginSchema>;

/** Why a transaction was not accepted, and the fix. */
export const transactionReasonSchema = z.object({
  /** A code of `src/main/merchant/refusals.ts`. */
  code: z.string(),
  /** The miner's own text, or Planchet's if no miner replied. */
  text: z.string(),
  /** What a person can do. */
  advice: z.string(),
  /** Whether Planchet resends it automatically. */
  retriedByItself: z.boolean(),
  /** Entry of the error catalogue with the advice; absent in older histories. */
  id: z.string().optional(),
  /** The values of its message, if that is the text. */
  values: failureSchema.shape.values,
  /** Id of the text, if a check before sending wrote it; `advice.<code>` is then the id of the advice. */
  sentence: phraseSchema.optional(),
});
export type TransactionReason = z.infer<typeof transactionReasonSchema>;

/** The last answer of one miner about a transaction. */
export const minerAnswerSchema = z.object({
  minerId: z.string(),
  name: z.string(),
  kind: minerKindSchema,
  at: timestampSchema,
  request: z.enum(['submit', 'status', 'callback']),
  /** The miner's own word: `success`, `failure`, or a status of ARC such as `SEEN_ON_NETWORK`. */
  status: z.string(),
  accepted: z.boolean(),
  reason: transactionReasonSchema.nullable(),
});
export type MinerAnswer = z.infer<typeof minerAnswerSchema>;

/** Number of miners whose last answer is stored with a transaction; its history has all answers. */
export const MAX_LAST_ANSWERS = 8;

/** The last answer of one miner, in the short form for lists. */
export const lastAnswerSchema = minerAnswerSchema.pick({ minerId: true, name: true, status: true, accepted: true });
export type LastAnswer = z.infer<typeof lastAnswerSchema>;

export const trackedTransactionSchema = z.object({
  txid: hashSchema,
  state: transactionStateSchema,
  origin: transactionOriginSchema,
  label: z.string(),
  bytes: z.number().int(),
  /** Null if the values of its inputs are unknown. */
  fee: satoshisSchema.nullable(),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
  block: z.object({ hash: hashSchema, height: z.number().int() }).nullable(),
  /** Blocks from its own to the tip, both counted; 0 while it is not mined. */
  confirmations: z.number().int(),
  reason: transactionReasonSchema.nullable(),
  /** When Planchet resends it automatically; undefined if it does not. */
  nextAttemptAt: timestampSchema.optional(),
  /** The transaction that spends the same coin; null if none is known. */
  doubleSpentBy: hashSchema.nullable(),
  /** The last answer of each miner, in the order in which they first answered. */
  answers: z.array(lastAnswerSchema).max(MAX_LAST_ANSWERS),
});
export type TrackedTransaction = z.infer<typeof trackedTransactionSchema>;

/** One line of a transaction's history, oldest first. */
export const transactionEventSchema = z.object({
  at: timestampSchema,
  kind: z.enum(['state', 'answer', 'callback', 'retry', 'reorganisation', 'double-spend']),
  state: transactionStateSchema.nullable(),
  /** One sentence. */
  text: z.string(),
  /** Id of the text; null if there is none, and in older histories. */
  sentence: phraseSchema.nullable(),
  answer: minerAnswerSchema.nullable(),
  /** The answer as it came, with its envelope; null where there was none. */
  raw: z.string().nullable(),
  signature: z.enum(['valid', 'unsigned', 'none']).nullable(),
});
export type TransactionEvent = z.infer<typeof transactionEventSchema>;

/** One level of a Merkle proof: a hash and its sibling. */
export const pathLevelSchema = z.object({
  /** The hash on the way from the transaction to the root. */
  hash: hashSchema,
  sibling: hashSchema,
  siblingSide: z.enum(['left', 'right']),
  /** The hash is the last of its level, so it is paired with itself. */
  duplicate: z.boolean(),
});

export const trackedDetailSchema = trackedTransactionSchema.extend({
  rawTx: hexSchema.nullable(),
  events: z.array(transactionEventSchema),
  /** Verified against the header of its block; null until then. */
  proof: z
    .object({
      /** BRC-74. */
      bump: hexSchema,
      header: hexSchema,
      height: z.number().int(),
      blockHash: hashSchema,
      /** Index of the transaction in its block. */
      index: z.number().int(),
      merkleRoot: hashSchema,
      /** From the transaction up to the level below the root. */
      path: z.array(pathLevelSchema),
    })
    .nullable(),
});
export type TrackedDetail = z.infer<typeof trackedDetailSchema>;

export const MAX_TRANSACTIONS_A_PAGE = 500;

export const trackedQuerySchema = z.object({
  limit: z.number().int().min(1).max(MAX_TRANSACTIONS_A_PAGE).default(100),
  /** `next` of the page before. */
  after: z.string().max(128).optional(),
  states: z.array(transactionStateSchema).optional(),
  origins: z.array(transactionOriginSchema).optional(),
  txids: z.array(hashSchema).min(1).max(MAX_TRANSACTIONS_A_PAGE).optional(),
  /** A txid or its start, or a part of a label. */
  search: z.string().max(128).optional(),
});
export type TrackedQuery = z.input<typeof trackedQuerySchema>;

export const trackedPageSchema = z.object({
  transactions: z.array(trackedTransactionSchema),
  next: z.string().nullable(),
});
export type TrackedPage = z.infer<typeof trackedPageSchema>;

/** How many transactions there are in each state; a state without any is left out. */
const trackedCountsSchema = z.partialRecord(transactionStateSchema, z.number().int());
export type TrackedCounts = z.infer<typeof trackedCountsSchema>;

/** Procedures of the transactions that Planchet submitted, for whatever service. */
export const trackedContract = {
  /** Newest first. */
  list: procedure.input(trackedQuerySchema).output(trackedPageSchema),
  counts: procedure.output(trackedCountsSchema),
  get: procedure.input(z.object({ txid: hashSchema })).output(trackedDetailSchema),
  label: procedure.input(z.object({ txid: hashSchema, label: z.string().max(200) })).output(trackedTransactionSchema),
};
