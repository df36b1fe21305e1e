import { z } from 'zod';
import { hashSchema, hexSchema, satoshisSchema } from '../common.ts';
import { failureSchema } from '../errors/index.ts';
import { phraseSchema } from '../phrases/phrase-schema.ts';
import { procedure } from '../procedure.ts';
import { transactionStateSchema } from '../states/state-schemas.ts';
import { transactionViewSchema } from '../studio/transaction-view.ts';
import { minerAnswerSchema, transactionReasonSchema } from './transactions.ts';

/** Characters of a text, or bytes of an upload, with transactions to submit. */
export const MAX_TRANSACTION_TEXT = 2_000_000;
/** The limit of a list in JSON: the bytes are in memory twice while they are parsed. */
export const MAX_TRANSACTION_UPLOAD_BYTES = 24 * 1_048_576;
export const MAX_DECODED_A_PAGE = 200;
/**
 * Transactions that the page and the command line submit per call: few enough that each reply arrives soon, that a person can stop
 * between two calls, and that the host never holds the reply for thousands.
 */
export const SUBMISSION_PART = 100;

/**
 * Transactions to read: a text (hex with one or more per line, or JSON), or an upload (such a text as a file, or consecutive binary
 * transactions). Each may be raw, in the extended format (BRC-30), or BEEF (BRC-62, 95, 96).
 */
export const transactionSourceSchema = z.union([
  z.object({ text: z.string().max(MAX_TRANSACTION_TEXT) }),
  z.object({ uploadId: z.string().max(64) }),
]);
export type TransactionSource = z.infer<typeof transactionSourceSchema>;

export const transactionFormatSchema = z.enum(['raw', 'ef', 'beef']);

/** Warnings before a transaction is sent. */
export const transactionWarningSchema = z.object({
  code: z.enum([
    'unsigned',
    'not-final',
    'input-unknown',
    'input-unchecked',
    'input-spent',
    'input-mined',
    'input-disputed',
    'input-twice',
    'token-spent',
    'money-in-data',
    'outputs-exceed-inputs',
    'fee-high',
    'malleable',
  ]),
  text: z.string(),
  sentence: phraseSchema,
});
export type TransactionWarning = z.infer<typeof transactionWarningSchema>;

/** A failed check before sending. */
export const preCheckSchema = z.object({
  code: z.enum([
    'unsigned',
    'input-missing',
    'input-spent',
    'input-mined',
    'input-disputed',
    'outputs-exceed-inputs',
    'fee',
    'fee-high',
    'size',
    'script-size',
    'ancestors',
    'sigops',
  ]),
  /** One sentence with number and limit. */
  text: z.string(),
  sentence: phraseSchema,
  value: z.number().nullable(),
  limit: z.number().nullable(),
  /** Whether `force` sends it anyway. */
  skippable: z.boolean(),
});
export type PreCheck = z.infer<typeof preCheckSchema>;

const { inputs, outputs } = transactionViewSchema.shape;

export const decodedTransactionSchema = z.object({
  txid: hashSchema,
  format: transactionFormatSchema,
  version: z.number().int(),
  lockTime: z.number().int(),
  /** Size of the raw form in bytes. */
  bytes: z.number().int(),
  /** Bytes of the scripts of its data outputs, which miners charge at the rate for data. */
  dataBytes: z.number().int(),
  /** The raw form; null for one above 1 MB. */
  rawTx: hexSchema.nullable(),
  /** Null if the value of an input is unknown. */
  fee: satoshisSchema.nullable(),
  /** Satoshis per 1,000 bytes; null as the fee is. */
  feeRate: z.number().nullable(),
  inputCount: z.number().int(),
  outputCount: z.number().int(),
  /** The first of them. */
  inputs: z.array(
    inputs.element.extend({
      sequence: z.number().int(),
      /** Where the spent output was found: in the extended format or BEEF, in the same source, among own transactions, or at the node. */
      source: z.enum(['given', 'source', 'own', 'node']).nullable(),
      inscription: outputs.element.shape.inscription,
    }),
  ),
  /** The first of them. */
  outputs,
  warnings: z.array(transactionWarningSchema),
  /** Checks that failed: without `force` it would not be sent. */
  checks: z.array(preCheckSchema),
  /** Its state if it was submitted from here before. */
  state: transactionStateSchema.nullable(),
});
export type DecodedTransaction = z.infer<typeof decodedTransactionSchema>;

/** A part of the source without a transaction. */
export const unreadableSchema = z.object({
  /** Line of a text, item of a JSON array, or transaction of a file, from 1. */
  place: z.number().int(),
  failure: failureSchema,
});

export const decodeInputSchema = z.object({
  source: transactionSourceSchema,
  /** Number of transactions to skip. */
  offset: z.number().int().min(0).default(0),
  limit: z.number().int().min(1).max(MAX_DECODED_A_PAGE).default(50),
});

export const decodedPageSchema = z.object({
  total: z.number().int(),
  /** Of all in the source together. */
  bytes: z.number().int(),
  transactions: z.array(decodedTransactionSchema),
  /** The first 100 of them. */
  unreadable: z.array(unreadableSchema),
});
export type DecodedPage = z.infer<typeof decodedPageSchema>;

/** Options for miners; one that does not support an option ignores it. */
export const submitOptionsSchema = z.object({
  merkleProof: z.boolean().optional(),
  dsCheck: z.boolean().optional(),
  /** ARC: answers only once this status is reached. */
  waitFor: z.string().max(64).optional(),
  /** ARC: seconds. */
  maxTimeout: z.number().int().min(1).max(30).optional(),
  skipFeeValidation: z.boolean().optional(),
  skipScriptValidation: z.boolean().optional(),
  skipTxValidation: z.boolean().optional(),
  cumulativeFeeValidation: z.boolean().optional(),
  forceValidation: z.boolean().optional(),
  fullStatusUpdates: z.boolean().optional(),
});

/** Transactions per call. */
export const MAX_RETRIED_TRANSACTIONS = 500;

export const submissionInputSchema = z.object({
  source: transactionSourceSchema,
  /** Ids of miners; all enabled ones if missing. */
  minerIds: z.array(z.string().max(64)).min(1).max(32).optional(),
  /** `first` tries the next miner if one fails, `all` waits for all, `race` for the first that accepts. */
  strategy: z.enum(['first', 'all', 'race']).default('first'),
  options: submitOptionsSchema.default({}),
  label: z.string().max(200).default(''),
  /** Sends transactions that a check would hold back, if that check can be overridden. */
  force: z.boolean().default(false),
  /** Number of transactions to skip, in sending order: a long list is submitted in parts. */
  offset: z.number().int().min(0).default(0),
  /** Maximum number; all if missing. */
  limit: z.number().int().min(1).optional(),
  /** The selected transactions of the source; all if missing. */
  txids: z.array(hashSchema).min(1).max(MAX_RETRIED_TRANSACTIONS).optional(),
});

export const submittedTransactionSchema = z.object({
  txid: hashSchema,
  /** `kept-back` if a check failed, so that nothing was sent. */
  state: transactionStateSchema,
  sent: z.boolean(),
  reason: transactionReasonSchema.nullable(),
  /** The fix; null if nothing failed. */
  advice: z.string().nullable(),
  checks: z.array(preCheckSchema),
  /** The last answer of each miner. */
  endpoints: z.array(minerAnswerSchema),
});
export type SubmittedTransaction = z.infer<typeof submittedTransactionSchema>;

/** Procedures that read and send transactions by hand. */
export const submissionContract = {
  /** Uploads a file in pieces. It is kept in memory for 30 minutes. Without an id a new upload starts. */
  upload: procedure
    .input(z.object({ uploadId: z.string().max(64).optional(), piece: z.instanceof(Blob) }))
    .output(z.object({ uploadId: z.string(), bytes: z.number().int() })),
  /** Nothing is sent or stored. */
  decode: procedure.input(decodeInputSchema).output(decodedPageSchema),
  /** The content inscribed in an output, for a preview. It must never be inserted into the page itself: see docs/security.md. */
  inscribed: procedure
    .input(z.object({ source: transactionSourceSchema, txid: hashSchema, output: z.number().int().min(0) }))
    .output(z.instanceof(Blob)),
  /** Parents are sent before children, whatever their order in the source. @throws `invalid-input` if a part of the source is unreadable */
  submit: procedure.input(submissionInputSchema).output(z.array(submittedTransactionSchema)),
  /** Resends tracked transactions that are not mined, unchanged. */
  retry: procedure
    .input(
      z.object({
        txids: z.array(hashSchema).min(1).max(MAX_RETRIED_TRANSACTIONS),
        minerIds: z.array(z.string().max(64)).min(1).max(32).optional(),
      }),
    )
    .output(z.array(submittedTransactionSchema)),
};
