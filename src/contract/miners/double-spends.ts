import { z } from 'zod';
import { hashSchema, hexSchema, outpointSchema, satoshisSchema, timestampSchema } from '../common.ts';
import { phraseSchema } from '../phrases/phrase-schema.ts';
import { procedure } from '../procedure.ts';

/** Inputs and outputs of one of two conflicting transactions that are listed, the first of them. */
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

/** A transaction that spends a coin of one of ours. */
export const rivalTransactionSchema = z.object({
  txid: hashSchema,
  /** When it was first heard of, and from whom. */
  at: timestampSchema,
  source: z.string(),
  /** Which of the two a block holds; `open` while none does. */
  outcome: z.enum(['open', 'ours', 'theirs']),
  /** Coins that both spend; none while the other one was not read. */
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
  /** Null while nobody gave the transaction itself: then only a miner's word says that there is one. */
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
