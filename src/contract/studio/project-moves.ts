import { z } from 'zod';
import { networkSchema, satoshisSchema } from '../common.ts';
import { failureSchema } from '../errors/index.ts';
import { procedure } from '../procedure.ts';
import { projectTypeSchema } from './studio.ts';

/** Receivers of royalties that a preview names, at most. */
export const MAX_MOVED_ROYALTIES = 100;

/** What a project would be on another network, before it is copied there. */
export const projectPreviewSchema = z.object({
  name: z.string(),
  type: projectTypeSchema,
  /** All items, minted here or not: there they are drafts. */
  items: z.number().int(),
  contentBytes: z.number().int(),
  /** A project of this name is there already; both stay. */
  nameTaken: z.boolean(),
  /** Receivers of royalties that have no address on that network: each needs another one, or is left out. */
  royalties: z.array(z.string()).max(MAX_MOVED_ROYALTIES),
  /** What the miners of that network ask for all of it, as each says now and unchecked. */
  miners: z.array(
    z.object({
      name: z.string(),
      rate: z.object({ satoshis: z.number(), bytes: z.number() }).nullable(),
      transactions: z.number().int().nullable(),
      /** Fees and one satoshi a token. */
      total: satoshisSchema.nullable(),
      /** What it does not take, or why it gave no price. */
      problems: z.array(failureSchema),
    }),
  ),
});
export type ProjectPreview = z.infer<typeof projectPreviewSchema>;

const target = { projectUid: z.string().min(1).max(128), to: networkSchema };

/** Projects copied to another network. The one here stays as it is. */
export const projectMovesContract = {
  /** What is copied and what differs there. Changes nothing. */
  preview: procedure.input(z.object(target)).output(projectPreviewSchema),
  /**
   * Copies files, texts, traits, order, royalties and the mapping of imports to a new project on that network, kept on this computer.
   * `royalties` gives each receiver without an address there another one, or empty text to leave it out.
   */
  copy: procedure
    .input(z.object({ ...target, royalties: z.record(z.string().max(256), z.string().trim().max(256)).default({}) }))
    .output(z.object({ projectUid: z.string(), items: z.number().int() })),
};
