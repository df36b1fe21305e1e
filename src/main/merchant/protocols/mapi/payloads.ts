import { z } from 'zod';
import { hashSchema } from '../../../../contract/index.ts';

/** Fields a miner has nothing to say in are missing, null or empty, depending on its version (1.2.0 to 1.5.0). */
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

const rateSchema = z.object({
  satoshis: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  bytes: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
});
/** Miners fill the dictionary of policies freely; it is kept, so it is bounded. */
const MAX_POLICIES = 200;
const policyText = z.string().max(200);
const policySchema = z.union([z.number(), z.boolean(), policyText, z.array(policyText).max(100)]);

/** A fee quote or a policy quote. Policies of a kind or length that no version has are left out. */
export const quoteSchema = z.object({
  apiVersion: text,
  timestamp: z.iso.datetime({ offset: true }),
  expiryTime: z.iso.datetime({ offset: true }),
  currentHighestBlockHash: hashSchema.nullish().catch(null),
  currentHighestBlockHeight: z.number().int().nullish().catch(null),
  fees: z.array(z.object({ feeType: z.string(), miningFee: rateSchema, relayFee: rateSchema.nullish() })),
  policies: z
    .record(z.string(), z.unknown())
    .nullish()
    .transform((policies) =>
      Object.fromEntries(
        Object.entries(policies ?? {})
          .slice(0, MAX_POLICIES)
          .flatMap(([name, value]) => {
            const known = policySchema.safeParse(value);
            return known.success && name.length <= 200 ? [[name, known.data] as const] : [];
          }),
      ),
    ),
});
export type QuotePayload = z.infer<typeof quoteSchema>;

const conflictSchema = z.object({ txid: hashSchema, hex: z.string().nullish().catch(null) });
/** They are hints, so those that cannot be read are left out: the result itself counts. */
const conflicts = z
  .array(conflictSchema.nullable().catch(null))
  .nullish()
  .catch(null)
  .transform((list) => (list ?? []).filter((conflict) => conflict !== null));

/** Some versions write an empty word where a result could not be had: that is neither success nor failure. */
const returnResult = z
  .string()
  .nullable()
  .transform((word) => (word === 'success' || word === 'failure' ? word : 'none'));

/** The result of one transaction, alone or in a batch. */
export const submitSchema = z.object({
  txid: text,
  returnResult,
  resultDescription: text,
  failureRetryable: z.boolean().nullish(),
  conflictedWith: conflicts,
});
export type SubmitPayload = z.infer<typeof submitSchema>;

/** Results come in another order than the transactions. */
export const batchSchema = z.object({ txs: z.array(submitSchema) });

export const statusSchema = z.object({
  returnResult,
  resultDescription: text,
  blockHash: hashSchema.nullish().or(z.literal('')),
  blockHeight: z.number().int().min(-1).nullish(),
  confirmations: z.number().int().nullish(),
  /** From 1.5.0 on. It is verified as any other proof. */
  merkleProof: z.looseObject({}).nullish().catch(null),
});
export type StatusPayload = z.infer<typeof statusSchema>;

/** An output that a miner was asked for (version 1.5.0). */
const outputSchema = z.object({
  error: text,
  scriptPubKey: z
    .string()
    .regex(/^(?:[0-9a-fA-F]{2})*$/)
    .nullish(),
  /** In BSV. */
  value: z.number().min(0).max(21_000_000).nullish(),
  confirmations: z.number().int().min(0).nullish(),
  collidedWith: z.object({ txid: hashSchema }).nullish().catch(null),
});
export type OutputPayload = z.infer<typeof outputSchema>;

/** One element for each output that was asked for, in the same order. */
export const outputsSchema = z.object({
  returnResult,
  resultDescription: text,
  txouts: z
    .array(outputSchema)
    .nullish()
    .transform((list) => list ?? []),
});
