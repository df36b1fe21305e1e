import { z } from 'zod';
import { publicKeySchema, timestampSchema } from '../common.ts';
import { type Phrase, phrase } from '../phrases/phrase.ts';

/** A miner's key in the form it is compared in: compressed, 66 lower-case hex digits; null for answers without a signature. */
export const merchantKeyValueSchema = publicKeySchema.nullable();

/** The known key for signatures of one merchant API. */
export const merchantKeySchema = z.object({
  /** Address of the merchant API, without credentials. */
  endpoint: z.string(),
  publicKey: merchantKeyValueSchema,
  /** When this key was first seen or accepted. */
  since: timestampSchema,
  /** True if the setting `mapiPublicKey` names the key, so that no other key can be accepted. */
  pinned: z.boolean(),
  /** The last answer that was refused since the program started; null if there was none. */
  refused: z.object({ publicKey: merchantKeyValueSchema, at: timestampSchema }).nullable(),
  /** Earlier changes, oldest first. */
  changes: z.array(
    z.object({
      from: merchantKeyValueSchema,
      to: merchantKeyValueSchema,
      at: timestampSchema,
      /** `accepted` by a person, `pinned` by the setting, `signed` if an endpoint without signatures began to sign. */
      reason: z.enum(['accepted', 'pinned', 'signed']),
    }),
  ),
});
export type MerchantKey = z.infer<typeof merchantKeySchema>;

/** Contains the key itself, so that nothing is accepted that the person has not seen. */
export const acceptMerchantKeySchema = z.object({
  endpoint: z.string().max(2_048),
  publicKey: merchantKeyValueSchema,
});

/** Who gave the fee quote of a review. */
export const quoteSourceSchema = z.object({
  /** Address of the merchant API, without credentials. */
  endpoint: z.string(),
  /** The key that signed the quote; null for an unsigned one. */
  publicKey: merchantKeyValueSchema,
  /** Since when this endpoint is known to sign with this key, or not to sign. */
  since: timestampSchema,
  /** True if the key is the one in the setting `mapiPublicKey`. */
  pinned: z.boolean(),
});
export type QuoteSource = z.infer<typeof quoteSourceSchema>;

/** The source of a quote, as a sentence of a review. */
export function quoteSignerPhrase({ endpoint, publicKey: key, since, pinned }: QuoteSource): Phrase {
  if (key === null) return phrase('review.quote-signer.unsigned', { endpoint });
  const time = new Date(since).toISOString().slice(0, 16).replace('T', ' ');
  return pinned
    ? phrase('review.quote-signer.pinned', { endpoint, key })
    : phrase('review.quote-signer.since', { endpoint, key, time });
}
