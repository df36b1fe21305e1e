import { z } from 'zod';
import { hashSchema, hexSchema, satoshisSchema } from '../common.ts';
import { failureSchema } from '../errors/index.ts';
import { phraseSchema } from '../phrases/phrase-schema.ts';
import { procedure } from '../procedure.ts';
import { transactionStateSchema } from '../states/state-schemas.ts';
import { transactionViewSchema } from '../studio/transaction-view.ts';
import { minerAnswerSchema, transactionReasonSchema } from './transactions.ts';

/** Characters of a text, and bytes of an upload, that hold transactions to submit. */
export const MAX_TRANSACTION_TEXT = 2_000_000;
/** As long as a list in JSON may be: the bytes are in memory twice while they are read. */
export const MAX_TRANSACTION_UPLOAD_BYTES = 24 * 1_048_576;
export const MAX_DECODED_A_PAGE = 200;
/**
 * Transactions that the page and the command line hand over with one call: few enough that each answer comes soon, that a person can stop
 * between two of them, and that the host never holds the answer of thousands.
 */
export const SUBMISSION_PART = 100;

/**
 * Transactions to read: a text (hex with one or more in a line, or JSON), or an upload (such a text as a file, or bytes one after the
 * other). Each may be raw, in the extended format (BRC-30), or BEEF (BRC-62, 95, 96).
 */
export const transactionSourceSchema = z.union([
  z.object({ text: z.string().max(MAX_TRANSACTION_TEXT) }),
  z.object({ uploadId: z.string().max(64) }),
]);
export type TransactionSource = z.infer<typeof transactionSourceSchema>;

export const transactionFormatSchema = z.enum(['raw', 'ef', 'beef']);

/** What a person should know before a transaction is sent. */
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

/** A check before sending that failed. */
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
  /** Whether `force` sends it all the same. */
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
  /** Null where the value of an input is not known. */
  fee: satoshisSchema.nullable(),
  /** Satoshis per 1,000 bytes; null as the fee is. */
  feeRate: z.number().nullable(),
  inputCount: z.number().int(),
  outputCount: z.number().int(),
  /** The first of them. */
  inputs: z.array(
    inputs.element.extend({
      sequence: z.number().int(),
      /** Where the spent output was found: in the extended form or BEEF, in the same source, among own transactions, or at the node. */
      source: z.enum(['given', 'source', 'own', 'node']).nullable(),
      inscription: outputs.element.shape.inscription,
    }),
  ),
  /** The first of them. */
  outputs,
  warnings: z.array(transactionWarningSchema),
  /** Checks that failed: without `force` it would not be sent. */
  checks: z.array(preCheckSchema),
  /** Its state where it was submitted from here before. */
  state: transactionStateSchema.nullable(),
});
export type DecodedTransaction = z.infer<typeof decodedTransactionSchema>;

/** A part of the source that holds no transaction. */
export const unreadableSchema = z.object({
  /** Line of a text, item of a JSON array, or transaction of a file, from 1. */
  place: z.number().int(),
  failure: failureSchema,
});

export const decodeInputSchema = z.object({
  source: transactionSourceSchema,
  /** How many to leave out. */
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

/** What may be asked of miners; one that cannot do it ignores it. */
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

/** Transactions that one call names. */
export const MAX_RETRIED_TRANSACTIONS = 500;

export const submissionInputSchema = z.object({
  source: transactionSourceSchema,
  /** Ids of miners; all that are switched on where left out. */
  minerIds: z.array(z.string().max(64)).min(1).max(32).optional(),
  /** `first` goes on to the next miner where one fails, `all` waits for all, `race` for the first that accepts. */
  strategy: z.enum(['first', 'all', 'race']).default('first'),
  options: submitOptionsSchema.default({}),
  label: z.string().max(200).default(''),
  /** Sends what a check would keep back, where that check can be left out. */
  force: z.boolean().default(false),
  /** How many to leave out, in the order in which they are sent: a long list is submitted in parts, one after the other. */
  offset: z.number().int().min(0).default(0),
  /** All where left out. */
  limit: z.number().int().min(1).optional(),
  /** Those of the source that are meant; all where left out. */
  txids: z.array(hashSchema).min(1).max(MAX_RETRIED_TRANSACTIONS).optional(),
});

export const submittedTransactionSchema = z.object({
  txid: hashSchema,
  /** `kept-back` where a check failed, so that nothing was sent. */
  state: transactionStateSchema,
  sent: z.boolean(),
  reason: transactionReasonSchema.nullable(),
  /** What to do; null where nothing failed. */
  advice: z.string().nullable(),
  checks: z.array(preCheckSchema),
  /** What each miner last said. */
  endpoints: z.array(minerAnswerSchema),
});
export type SubmittedTransaction = z.infer<typeof submittedTransactionSchema>;

/** Procedures that read and send transactions by hand. */
export const submissionContract = {
  /** Takes a file in pieces; it is kept in memory for 30 minutes. Without an id a new upload begins. */
  upload: procedure
    .input(z.object({ uploadId: z.string().max(64).optional(), piece: z.instanceof(Blob) }))
    .output(z.object({ uploadId: z.string(), bytes: z.number().int() })),
  /** Nothing is sent or written down. */
  decode: procedure.input(decodeInputSchema).output(decodedPageSchema),
  /** The content inscribed in an output, for a preview. Never to be put into the page itself: see docs/security.md. */
  inscribed: procedure
    .input(z.object({ source: transactionSourceSchema, txid: hashSchema, output: z.number().int().min(0) }))
    .output(z.instanceof(Blob)),
  /** Parents go before children, whatever their order in the source. @throws `invalid-input` where a part of the source is unreadable */
  submit: procedure.input(submissionInputSchema).output(z.array(submittedTransactionSchema)),
  /** Sends tracked transactions that are not mined again, exactly as they are. */
  retry: procedure
    .input(
      z.object({
        txids: z.array(hashSchema).min(1).max(MAX_RETRIED_TRANSACTIONS),
        minerIds: z.array(z.string().max(64)).min(1).max(32).optional(),
      }),
    )
    .output(z.array(submittedTransactionSchema)),
};
