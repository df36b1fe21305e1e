import { z } from 'zod';
import { hashSchema, timestampSchema } from '../common.ts';
import { transactionOriginSchema } from './transactions.ts';

/** Blocks of the main chain were replaced by others, and what that did to transactions that Planchet submitted. */
export const reorganisationSchema = z.object({
  at: timestampSchema,
  /** How many blocks left the main chain. */
  blocks: z.number().int(),
  /** Height of the new tip. */
  height: z.number().int(),
  /** Transactions whose block was replaced, as far as they are named. */
  affected: z.array(
    z.object({
      txid: hashSchema,
      origin: transactionOriginSchema,
      /** `waiting`: it waits for another block; `mined`: another block holds it already; `lost`: it was refused or double spent. */
      outcome: z.enum(['waiting', 'mined', 'lost']),
      /** Height of the block that holds it now. */
      height: z.number().int().nullable(),
      tokens: z.array(z.string()),
    }),
  ),
  /** Also those that are not named. */
  total: z.number().int(),
});
export type Reorganisation = z.infer<typeof reorganisationSchema>;
