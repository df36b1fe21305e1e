import { z } from 'zod';
import { hashSchema, hexSchema, outpointSchema, satoshisSchema, timestampSchema } from '../common.ts';
import { phraseSchema } from '../phrases/phrase-schema.ts';
import { procedure } from '../procedure.ts';

/** Maximum number of listed inputs and outputs of one of two conflicting transactions. */
export const MAX_RIVAL_PARTS = 200;

const rivalPartsSchema = z.object({
  inputCount: z.number().int(),
  outputCount: z.number().int(),
  /** Of all outputs. */
  satoshis: satoshisSchema,
  inputs: z.array(
    z.object({
      outpoint: outpointSchema,
      /** Both transactions spend it. */
      shared: z.boolean(),
    }),
  ),
  outputs: z.array(
    z.object({
      satoshis: satoshisSchema,
      address: z.string().nullable(),
      /** The other transaction has an output with the same script and value. */
      inBoth: z.boolean(),
    }),
  ),
});

/** A transaction that spends a coin of one of our transactions. */
export const rivalTransactionSchema = z.object({
  txid: hashSchema,
  /** When and from whom it was first reported. */
  at: timestampSchema,
  source: z.string(),
  /** Which of the two was mined; `open` if neither. */
  outcome: z.enum(['open', 'ours', 'theirs']),
  /** Coins that both spend; empty if the other transaction was not read. */
  shared: z.array(
    z.object({
      outpoint: outpointSchema,
      theirInput: z.number().int(),
      ourInput: z.number().int(),
      /** Whether a transaction that Planchet submitted made this coin. */
      fromOurs: z.boolean(),
    }),
  ),
  ours: rivalPartsSchema,
  /** Null if nobody provided the transaction itself: its existence is only a miner's claim then. */
  theirs: rivalPartsSchema.extend({ rawTx: hexSchema }).nullable(),
  /** What a person can do. */
  advice: phraseSchema,
});
export type RivalTransaction = z.infer<typeof rivalTransactionSchema>;

/** Procedures about conflicting transactions. */
export const doubleSpendsContract = {
  /** Transactions that spend coins of one of ours, oldest first. */
  doubleSpends: procedure.input(z.object({ txid: hashSchema })).output(z.array(rivalTransactionSchema)),
};
