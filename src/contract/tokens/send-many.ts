import { z } from 'zod';
import { outpointSchema } from '../common.ts';
import { failureSchema } from '../errors/index.ts';
import { allowed } from '../phrases/allowed.ts';
import { phraseSchema } from '../phrases/phrase-schema.ts';
import { procedure } from '../procedure.ts';
import { addressNotesSchema, tokenMoveSchema, walletSendSchema } from '../wallet/wallet.ts';

/** Tokens per list. */
export const MAX_SEND_MANY = 8_000;
/** Bytes of a list of receivers: room for that many lines with an address and an outpoint. */
export const MAX_LIST_BYTES = 2_000_000;

/** A problem of a line. A line with an error is not sent. */
export const sendManyProblemSchema = z.object({
  severity: z.enum(['error', 'warning']),
  /** The English sentence. */
  text: z.string(),
  /** The sentence for translation; null if it is that of the failure. */
  phrase: phraseSchema.nullable(),
  failure: failureSchema.nullable(),
});
export type SendManyProblem = z.infer<typeof sendManyProblemSchema>;

/** A receiver of the list with the token that it gets. */
export const sendManyRowSchema = z.object({
  /** Number of the line, from 1; null if the table does not tell it. */
  line: z.number().int().nullable(),
  /** As written, or the address of the named contact. */
  address: z.string(),
  contact: addressNotesSchema.shape.contact,
  resembles: addressNotesSchema.shape.resembles,
  /** Null if no token was found for it. */
  token: z.object({ outpoint: outpointSchema, name: z.string(), number: z.number().nullable() }).nullable(),
  problems: z.array(sendManyProblemSchema),
});
export type SendManyRow = z.infer<typeof sendManyRowSchema>;

/** A parsed list of receivers. */
export const sendManyListSchema = z.object({
  rows: z.array(sendManyRowSchema),
  /** Selected tokens that are not assigned to a receiver. */
  left: z.array(outpointSchema),
  /** How tokens were assigned: by the list, or in the order of selection. */
  pairedBy: z.enum(['token', 'order']),
});
export type SendManyList = z.infer<typeof sendManyListSchema>;

const idempotencyKey = z.string().min(8).max(128);

/** Sends many tokens, each to an address of its own: one review, one approval, each token once. Approved, paused, cancelled and followed as `wallet.send`. */
export const sendManyContract = {
  /**
   * Parses a list of receivers and assigns tokens. Nothing is stored.
   * @param list one address, or name of a contact, a line; or a table (XLSX, CSV, TSV) with a column of addresses and one of tokens, which are named
   *   by number, name or outpoint. A header is optional.
   * @param name of its file, whose extension determines the format
   * @param tokens selected ones; without any, the list has to name tokens of the wallet
   */
  read: procedure
    .input(
      z.object({
        list: z
          .instanceof(Blob)
          .refine(({ size }) => size <= MAX_LIST_BYTES, allowed('rule.bytes', { most: MAX_LIST_BYTES })),
        name: z.string().min(1).max(1_024).default('list.csv'),
        tokens: z.array(outpointSchema).max(10_000).default([]),
      }),
    )
    .output(sendManyListSchema),
  /** The same key returns the same payment, which waits for approval. */
  prepare: procedure
    .input(z.object({ moves: z.array(tokenMoveSchema).min(1).max(MAX_SEND_MANY), idempotencyKey }))
    .output(walletSendSchema),
};
