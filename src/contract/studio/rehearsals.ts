import { z } from 'zod';
import { satoshisSchema, timestampSchema } from '../common.ts';
import { failureSchema } from '../errors/index.ts';
import { procedure } from '../procedure.ts';
import { MAX_RUN_ITEMS_A_PAGE, runItemSchema, runPlanSchema, runSchema } from './runs.ts';

/**
 * States of a rehearsal. `preparing` starts its network and copies the drafts; `minting` mints them there; in the others its network is
 * removed and the result is kept.
 */
export const rehearsalStates = ['preparing', 'minting', 'done', 'failed', 'cancelled'] as const;

/**
 * A rehearsal: the drafts of a project minted on a temporary sandbox. Its plan, run and items refer to
 * transactions of that network.
 */
export const rehearsalSchema = z.object({
  id: z.string(),
  projectUid: z.string(),
  projectName: z.string(),
  /** Whether Planchet built the transactions itself. */
  direct: z.boolean(),
  state: z.enum(rehearsalStates),
  /** Why it failed, or what it waits for. */
  failure: failureSchema.nullable(),
  /** Drafts to mint, and how many of them have been copied to the rehearsal's network. */
  items: z.number().int(),
  copied: z.number().int(),
  /** null until it is made. */
  plan: runPlanSchema.nullable(),
  run: runSchema.nullable(),
  /** Bytes of all its signed transactions; null until they are mined. */
  bytes: z.number().int().nullable(),
  /** Fees of all its transactions in satoshis; null until they are mined. */
  fee: satoshisSchema.nullable(),
  /** Milliseconds from the approval until the network had every token; null until then. */
  milliseconds: z.number().int().nullable(),
  startedAt: timestampSchema,
  endedAt: timestampSchema.nullable(),
});
export type Rehearsal = z.infer<typeof rehearsalSchema>;

/** A page of a rehearsal's tokens. `next` is the offset of the next page. */
export const rehearsalItemsSchema = z.object({
  items: z.array(runItemSchema),
  next: z.number().int().nullable(),
});

/** A rehearsal is over: its network is gone. */
export function isRehearsalOver({ state }: Pick<Rehearsal, 'state'>): boolean {
  return state !== 'preparing' && state !== 'minting';
}

const base = procedure;
const id = z.string().min(1).max(128);

/** Rehearsals. One runs at a time; the newest finished ones are stored. */
export const rehearsalsContract = {
  /** Starts a temporary network and mints the drafts of a project there. For the same project it returns the running rehearsal. */
  start: base.input(z.object({ projectUid: id, direct: z.boolean().default(false) })).output(rehearsalSchema),
  get: base.input(z.object({ id })).output(rehearsalSchema),
  /** Newest first. */
  list: base.output(z.array(rehearsalSchema)),
  items: base
    .input(
      z.object({
        id,
        offset: z.number().int().min(0).default(0),
        limit: z.number().int().min(1).max(MAX_RUN_ITEMS_A_PAGE),
      }),
    )
    .output(rehearsalItemsSchema),
  /** Ends a running rehearsal and removes its network. */
  cancel: base.input(z.object({ id })).output(rehearsalSchema),
  /** Journals a run of the rehearsed plan on the network in use. It needs its own approval. */
  mint: base
    .input(z.object({ id, destination: z.string().max(128), idempotencyKey: z.string().min(8).max(128) }))
    .output(runSchema),
};
