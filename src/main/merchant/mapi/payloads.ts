import { z } from 'zod';
import { hashSchema } from '../../../contract/index.ts';

/** Fields a miner has nothing to say in are missing, null or empty, depending on its version (1.2.0 to 1.5.0). */
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

const rateSchema = z.object({
  satoshis: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  bytes: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER),
});
const policySchema = z.union([z.number(), z.boolean(), z.string(), z.array(z.string())]);

/** A fee quote or a policy quote. Policies of a kind that no version has are left out. */
export const quoteSchema = z.object({
  apiVersion: text,
  timestamp: z.iso.datetime({ offset: true }),
  expiryTime: z.iso.datetime({ offset: true }),
  currentHighestBlockHash: hashSchema.nullish().catch(null),
  currentHighestBlockHeight: z.number().int().nullish(),
  fees: z.array(z.object({ feeType: z.string(), miningFee: rateSchema, relayFee: rateSchema.nullish() })),
  policies: z
    .record(z.string(), z.unknown())
    .nullish()
    .transform((policies) =>
      Object.fromEntries(
        Object.entries(policies ?? {}).flatMap(([name, value]) => {
          const known = policySchema.safeParse(value);
          return known.success ? [[name, known.data] as const] : [];
        }),
      ),
    ),
});

const conflictSchema = z.object({ txid: hashSchema, hex: z.string().nullish() });
const conflicts = z
  .array(conflictSchema)
  .nullish()
  .transform((list) => list ?? []);

/** The result of one transaction, alone or in a batch. */
export const submitSchema = z.object({
  txid: text,
  returnResult: z.enum(['success', 'failure']),
  resultDescription: text,
  failureRetryable: z.boolean().nullish(),
  conflictedWith: conflicts,
});
export type SubmitPayload = z.infer<typeof submitSchema>;

/** Results come in another order than the transactions. */
export const batchSchema = z.object({ txs: z.array(submitSchema) });

export const statusSchema = z.object({
  returnResult: z.enum(['success', 'failure']),
  resultDescription: text,
  blockHash: hashSchema.nullish().or(z.literal('')),
  blockHeight: z.number().int().min(-1).nullish(),
  confirmations: z.number().int().nullish(),
});
export type StatusPayload = z.infer<typeof statusSchema>;
