import { z } from 'zod';
import { hashSchema, hexSchema, outpointSchema, satoshisSchema } from './common.ts';
import { procedure } from './procedure.ts';

/** Transactions of a block per request. */
export const MAX_BLOCK_ROWS = 250;
/** Transactions that are described per request, since each is read completely. */
export const MAX_DESCRIBED = 25;
/** Blocks that are searched for an address per request. */
export const MAX_SEARCHED_BLOCKS = 8;

const height = z.number().int().min(0);
const blockFields = {
  hash: hashSchema,
  height,
  /** Seconds since 1970-01-01 UTC. */
  time: z.number().int(),
  /** Bytes; null if the node does not report them. */
  size: z.number().int().nullable(),
  merkleRoot: hashSchema,
};

const blockRowSchema = z.object({
  ...blockFields,
  /** Null if the node does not report them, like the fees in satoshis. */
  transactions: z.number().int().nullable(),
  fees: satoshisSchema.nullable(),
  /** Bytes of all transactions but the coinbase, over which the fees are a rate; null like the fees. */
  payingBytes: z.number().int().nullable(),
  /** Satoshis of all outputs but those of the coinbase; null like the fees. */
  value: satoshisSchema.nullable(),
});
export type BlockRow = z.infer<typeof blockRowSchema>;

const blockPartSchema = z.object({
  ...blockFields,
  /** Null for a block that is not part of the main chain. */
  confirmations: z.number().int().nullable(),
  version: z.number().int(),
  nonce: z.number().int(),
  difficulty: z.number(),
  previous: hashSchema.nullable(),
  next: hashSchema.nullable(),
  /** Of the complete block; null if unknown. */
  transactions: z.number().int().nullable(),
  /** The requested ones; null if they are not listed, since the block has too many or no source reports them. */
  found: z.number().int().nullable(),
  rows: z.array(z.object({ position: z.number().int(), txid: z.string() })).max(MAX_BLOCK_ROWS),
});
export type BlockPart = z.infer<typeof blockPartSchema>;

const describedSchema = z.object({
  txid: hashSchema,
  /** Bytes. */
  size: z.number().int(),
  inputs: z.number().int(),
  outputs: z.number().int(),
  /** Satoshis of all outputs. */
  value: satoshisSchema,
  /** Inscriptions of one satoshi. */
  tokens: z.number().int(),
  /** Null for a coinbase, if the node does not report what is spent, and if looking it up would take too long. */
  fee: satoshisSchema.nullable(),
});
/** Figures of a transaction in a block, from its own bytes and from the outputs that it spends. */
export type Described = z.infer<typeof describedSchema>;

const receiptSchema = z.object({
  outpoint: outpointSchema,
  satoshis: satoshisSchema,
  /** Null in the mempool, as the time in seconds since 1970-01-01 UTC. */
  height: height.nullable(),
  time: z.number().int().nullable(),
  unspent: z.boolean(),
});
/** An output that pays an address. */
export type Receipt = z.infer<typeof receiptSchema>;

const waitingSchema = z.object({
  txid: hashSchema,
  /** Bytes; null if the mempool is too large or no source reports them, like the following fields. */
  size: z.number().int().nullable(),
  fee: satoshisSchema.nullable(),
  /** When it entered the mempool, in seconds since 1970-01-01 UTC. */
  time: z.number().int().nullable(),
});
/** A transaction that waits for a block. */
export type Waiting = z.infer<typeof waitingSchema>;

export const explorerContract = {
  /** The height of the last block of the main chain. */
  height: procedure.output(height),
  /** The main chain's block at a height. @throws `not-found` above the tip */
  blockAt: procedure.input(z.object({ height })).output(blockRowSchema),
  /** A block with a part of its transactions, in their order. @throws `not-found` */
  block: procedure
    .input(
      z.object({
        hash: hashSchema,
        /** A part of the requested ids; empty for all. */
        search: z.string().max(64).default(''),
        from: z.number().int().min(0).default(0),
      }),
    )
    .output(blockPartSchema),
  /** Figures of transactions of a block. Unknown ones are left out, and all of them if each would need a request to a public service. */
  described: procedure
    .input(z.object({ txids: z.array(hashSchema).max(MAX_DESCRIBED) }))
    .output(z.array(describedSchema)),
  /** The transactions that wait for a block. */
  mempool: procedure.output(z.array(waitingSchema)),
  /** The branch from a transaction to the header of its block. @throws `not-found` */
  proof: procedure
    .input(z.object({ txid: hashSchema, blockHash: hashSchema }))
    .output(z.object({ index: z.number().int().min(0), nodes: z.array(z.string()), header: hexSchema })),
  /**
   * Outputs that pay an address: in blocks of the main chain, or in the mempool. There is no index of addresses.
   * @param heights left out for the mempool
   * @throws `not-found` if the block no longer exists
   */
  receipts: procedure
    .input(z.object({ address: z.string().max(64), heights: z.array(height).max(MAX_SEARCHED_BLOCKS).optional() }))
    .output(
      z.object({
        receipts: z.array(receiptSchema),
        /** Blocks that are too large to be searched. */
        skipped: z.number().int(),
      }),
    ),
};
