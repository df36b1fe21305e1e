import { z } from 'zod';
import { hashSchema, networkSchema, satoshisSchema } from '../common.ts';
import { quoteSourceSchema } from '../miners/keys.ts';
import { phraseSchema } from '../phrases/phrase-schema.ts';

/**
 * Every check of a review, in order. `same-transaction` and `signatures` need the signed transaction, the
 * last two apply to redeemable tokens.
 */
export const reviewCheckIds = [
  'form',
  'txid',
  'version',
  'final',
  'inputs',
  'input-values',
  'input-scripts',
  'input-unspent',
  'outputs',
  'paymail',
  'paymail-key',
  'token-values',
  'destination',
  'content',
  'base64-content',
  'content-type',
  'pictures',
  'metadata',
  'hidden-marks',
  'change',
  'fee-minimum',
  'fee-maximum',
  'fee-limit',
  'fee-rate',
  'quote-signer',
  'miner-limits',
  'miner-rate',
  'transactions',
  'dust',
  'later',
  'replaces',
  'look-alike',
  'unanswered',
  'same-transaction',
  'signatures',
  'supply',
  'history',
] as const;

export const reviewCheckSchema = z.object({
  /** Stable id of the check: see `reviewCheckIds`. */
  id: z.string(),
  passed: z.boolean(),
  /** English sentence with the compared values; for a failed check, the difference. */
  text: z.string(),
  /** The same, sentence by sentence, for other languages; reviews of older versions lack it. */
  sentences: z.array(phraseSchema).optional(),
});
export type ReviewCheck = z.infer<typeof reviewCheckSchema>;

export const reviewInputSchema = z.object({
  txid: hashSchema,
  vout: z.number().int(),
  satoshis: satoshisSchema,
  address: z.string().nullable(),
});
export const reviewOutputSchema = z.object({
  index: z.number().int(),
  satoshis: satoshisSchema,
  kind: z.enum(['token', 'contract', 'redemption', 'payment', 'change', 'unknown']),
  address: z.string().nullable(),
  itemId: z.string().nullable(),
  contentType: z.string().nullable(),
  contentBytes: z.number().int().nullable(),
  contentSha256: z.string().nullable(),
});

/** The decoded transaction, compared with the request. */
export const reviewSchema = z.object({
  /** SHA-256 of the unsigned transaction's bytes: what an approval is bound to. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  ok: z.boolean(),
  checks: z.array(reviewCheckSchema),
  inputs: z.array(reviewInputSchema),
  outputs: z.array(reviewOutputSchema),
  fee: satoshisSchema,
  /** Bytes of the signed transaction, as predicted. */
  size: z.number().int(),
  destination: z.string(),
  network: networkSchema,
  /** Missing in reviews of earlier versions. */
  quote: quoteSourceSchema.optional(),
});
export type Review = z.infer<typeof reviewSchema>;
