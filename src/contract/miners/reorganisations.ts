import { z } from 'zod';
import { hashSchema, timestampSchema } from '../common.ts';
import { transactionOriginSchema } from './transactions.ts';

/** A replacement of blocks of the main chain, and its effect on transactions that Planchet submitted. */
export const reorganisationSchema = z.object({
  at: timestampSchema,
  /** How many blocks left the main chain. */
  blocks: z.number().int(),
  /** Height of the new tip. */
  height: z.number().int(),
  /** Transactions whose block was replaced, if they are listed. */
  affected: z.array(
    z.object({
      txid: hashSchema,
      origin: transactionOriginSchema,
      /** `waiting`: back in the mempool; `mined`: in another block already; `lost`: refused or double-spent. */
      outcome: z.enum(['waiting', 'mined', 'lost']),
      /** Height of the block that holds it now. */
      height: z.number().int().nullable(),
      tokens: z.array(z.string()),
    }),
  ),
  /** Including those that are not listed. */
  total: z.number().int(),
});
export type Reorganisation = z.infer<typeof reorganisationSchema>;
