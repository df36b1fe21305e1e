import { z } from 'zod';
import { outpointSchema } from '../common.ts';
import { failureSchema } from '../errors/index.ts';
import { allowed } from '../phrases/allowed.ts';
import { phraseSchema } from '../phrases/phrase-schema.ts';
import { procedure } from '../procedure.ts';
import { addressNotesSchema, tokenMoveSchema, walletSendSchema } from '../wallet/wallet.ts';

/** Tokens that one list names at most. */
export const MAX_SEND_MANY = 8_000;
/** Bytes of a list of receivers: so many lines with an address and an outpoint, and more. */
export const MAX_LIST_BYTES = 2_000_000;

/** What is wrong with a line, or may be: a line with an error is not sent. */
export const sendManyProblemSchema = z.object({
  severity: z.enum(['error', 'warning']),
  /** The English sentence. */
  text: z.string(),
  /** It for other languages; null where it is what the failure says. */
  phrase: phraseSchema.nullable(),
  failure: failureSchema.nullable(),
});
export type SendManyProblem = z.infer<typeof sendManyProblemSchema>;

/** A receiver of the list with the token that it gets. */
export const sendManyRowSchema = z.object({
  /** Of the list, the first one being 1; null where the table does not tell. */
  line: z.number().int().nullable(),
  /** As it was written; of a contact that was named, its address. */
  address: z.string(),
  contact: addressNotesSchema.shape.contact,
  resembles: addressNotesSchema.shape.resembles,
  /** Null where none was found for it. */
  token: z.object({ outpoint: outpointSchema, name: z.string(), number: z.number().nullable() }).nullable(),
  problems: z.array(sendManyProblemSchema),
});
export type SendManyRow = z.infer<typeof sendManyRowSchema>;

/** A list of receivers as it was understood. */
export const sendManyListSchema = z.object({
  rows: z.array(sendManyRowSchema),
  /** Chosen tokens that nobody of the list gets. */
  left: z.array(outpointSchema),
  /** How tokens were found: by what the list names, or one after the other as they were chosen. */
  pairedBy: z.enum(['token', 'order']),
});
export type SendManyList = z.infer<typeof sendManyListSchema>;

const idempotencyKey = z.string().min(8).max(128);

/** Sends many tokens, each to an address of its own: one review, one approval, each token once. Approved, paused, cancelled and followed as `wallet.send`. */
export const sendManyContract = {
  /**
   * Reads a list of receivers and pairs it with tokens. Nothing is kept of it.
   * @param list one address, or name of a contact, a line; or a table (XLSX, CSV, TSV) with a column of addresses and one of tokens, which are named
   *   by number, name or outpoint. A header is optional.
   * @param name of its file, whose ending says what it is
   * @param tokens that were chosen; without any, the list has to name them, of all that are in the wallet
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
  /** The same key gives the same payment, which waits for approval. */
  prepare: procedure
    .input(z.object({ moves: z.array(tokenMoveSchema).min(1).max(MAX_SEND_MANY), idempotencyKey }))
    .output(walletSendSchema),
};
