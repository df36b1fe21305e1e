import { eventIterator } from '@orpc/contract';
import { z } from 'zod';
import { hashSchema, timestampSchema } from '../common.ts';
import { procedure } from '../procedure.ts';
import { minerKindSchema } from './protocols.ts';

/** A message sent by a miner without a request. */
export const callbackNoticeSchema = z.object({
  at: timestampSchema,
  minerId: z.string(),
  miner: z.string(),
  kind: minerKindSchema,
  txid: hashSchema,
  /** `merkleProof`, `doubleSpend` or `doubleSpendAttempt` of a merchant API, or a status of ARC. */
  status: z.string(),
  /** The block that the miner names; not verified. */
  block: z.object({ hash: hashSchema, height: z.number().int() }).nullable(),
  /** Transactions that spend the same coins, according to the miner. */
  conflicts: z.array(hashSchema),
  signature: z.enum(['valid', 'unsigned', 'none']),
});
export type CallbackNotice = z.infer<typeof callbackNoticeSchema>;

/** Procedures for callbacks of miners. */
export const callbacksContract = {
  /** Each message once it is recorded, from now on. */
  callbacks: procedure.output(eventIterator(callbackNoticeSchema)),
};
