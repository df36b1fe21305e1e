import { z } from 'zod';
import { hashSchema } from './common.ts';
import { procedure } from './procedure.ts';

/** Transactions of a block that are told at once. */
export const MAX_BLOCK_ROWS = 250;

const errorSchema = z.object({ code: z.number().int(), message: z.string() });

const blockPartSchema = z.object({
  /** The node's answer to `getblock` without the list of transactions. */
  block: z.record(z.string(), z.unknown()),
  /** In the whole block. */
  transactions: z.number().int(),
  /** Those that were wanted. */
  found: z.number().int(),
  rows: z.array(z.object({ position: z.number().int(), txid: z.string() })).max(MAX_BLOCK_ROWS),
});
export type BlockPart = z.infer<typeof blockPartSchema>;

export const nodeContract = {
  /** One JSON-RPC call through the gateway's rules; `result` is the node's own answer. */
  call: procedure
    .input(z.object({ method: z.string().min(1).max(64), params: z.array(z.unknown()).max(16) }))
    .output(z.object({ result: z.unknown(), error: errorSchema.nullable() })),
  /** A block with a part of its transactions, in their order; `error` is the node's own. */
  block: procedure
    .input(
      z.object({
        hash: hashSchema,
        /** A part of the ids that are wanted; empty for all. */
        search: z.string().max(64).default(''),
        from: z.number().int().min(0).default(0),
      }),
    )
    .output(z.object({ result: blockPartSchema.nullable(), error: errorSchema.nullable() })),
};
