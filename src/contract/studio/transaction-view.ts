import { z } from 'zod';
import { hashSchema, hexSchema, satoshisSchema } from '../common.ts';

/** Maximum number of inputs and of outputs in a view of a transaction: a foreign one may have tens of thousands. */
export const MAX_LISTED_PARTS = 1_000;

export const transactionViewSchema = z.object({
  txid: hashSchema,
  version: z.number().int(),
  /** Whether it can be changed, together with its id, until it is mined: since Chronicle for versions above 1. */
  isMalleable: z.boolean(),
  /** Inputs with a signature whose hash type has 0x20, the first of them. */
  originalDigest: z.array(z.number().int()),
  /** Inputs whose unlocking script does more than push data, the first of them. */
  computing: z.array(z.number().int()),
  hex: z.string(),
  size: z.number().int(),
  fee: satoshisSchema.nullable(),
  blockHash: hashSchema.nullable(),
  blockHeight: z.number().int().nullable(),
  confirmations: z.number().int(),
  /** How many inputs and outputs there are; the lists hold the first of them. */
  inputCount: z.number().int(),
  outputCount: z.number().int(),
  inputs: z.array(
    z.object({
      txid: z.string(),
      vout: z.number().int(),
      satoshis: satoshisSchema.nullable(),
      address: z.string().nullable(),
      scriptAsm: z.string(),
    }),
  ),
  outputs: z.array(
    z.object({
      index: z.number().int(),
      satoshis: satoshisSchema,
      address: z.string().nullable(),
      scriptAsm: z.string(),
      inscription: z
        .object({
          contentType: z.string(),
          bytes: z.number().int(),
          sha256: z.string(),
          metadata: z.record(z.string(), z.string()),
        })
        .nullable(),
      /** What follows OP_RETURN; null without one. */
      data: z
        .object({
          /** Of all pushes together. */
          bytes: z.number().int(),
          /** The first of them; long ones are cut. */
          pushes: z.array(
            z.object({
              bytes: z.number().int(),
              hex: z.string(),
              /** Null if it is not readable UTF-8. */
              text: z.string().nullable(),
            }),
          ),
        })
        .nullable(),
    }),
  ),
});
export type TransactionView = z.infer<typeof transactionViewSchema>;

/** The state of an output, as far as the node and Planchet's own records know. */
export const outputSpendSchema = z.object({
  index: z.number().int(),
  /** `spent` if the node no longer has it, which includes unspendable outputs; `unknown` if the node cannot say. */
  state: z.enum(['unspent', 'spent', 'unknown']),
  /** Null if nothing spent it or the spending transaction is unknown: nodes have no index of it. */
  by: z
    .object({
      txid: hashSchema,
      /** Number of the input; null if only the transaction is known. */
      input: z.number().int().nullable(),
      /** Of its block; null while no block holds it. */
      height: z.number().int().nullable(),
    })
    .nullable(),
});
export type OutputSpend = z.infer<typeof outputSpendSchema>;

export const ancestorsSchema = z.object({
  /** The nearest first. */
  txids: z.array(hashSchema),
  /** False if there are more than are searched. */
  isComplete: z.boolean(),
});
export type Ancestors = z.infer<typeof ancestorsSchema>;

/** A transaction in the formats of other tools, in hex unless stated otherwise; null if the data for a format is unknown. */
export const transactionFormsSchema = z.object({
  /** The extended format (BRC-30), with the outputs that it spends. */
  ef: hexSchema.nullable(),
  /** With its Merkle path, or with its unconfirmed ancestors down to Merkle paths (BRC-62). */
  beef: hexSchema.nullable(),
  /** Its Merkle path (BRC-74). */
  bump: hexSchema.nullable(),
  /** 80 bytes: the header of its block. */
  header: hexSchema.nullable(),
  /** As JSON in the format of a node. */
  json: z.string(),
});
export type TransactionForms = z.infer<typeof transactionFormsSchema>;
