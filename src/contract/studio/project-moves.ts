import { z } from 'zod';
import { networkSchema, satoshisSchema } from '../common.ts';
import { failureSchema } from '../errors/index.ts';
import { procedure } from '../procedure.ts';
import { projectTypeSchema } from './studio.ts';

/** Royalty receivers that a preview lists. */
export const MAX_MOVED_ROYALTIES = 100;

/** Preview of a copy of a project on another network. */
export const projectPreviewSchema = z.object({
  name: z.string(),
  type: projectTypeSchema,
  /** All items, minted here or not: the copies are drafts. */
  items: z.number().int(),
  contentBytes: z.number().int(),
  /** Whether a project of this name exists there already; both are kept. */
  nameTaken: z.boolean(),
  /** Royalty receivers without an address on that network: each needs another one, or is left out. */
  royalties: z.array(z.string()).max(MAX_MOVED_ROYALTIES),
  /** What the miners of that network charge for all of it, according to their unverified quotes. */
  miners: z.array(
    z.object({
      name: z.string(),
      rate: z.object({ satoshis: z.number(), bytes: z.number() }).nullable(),
      transactions: z.number().int().nullable(),
      /** Fees and one satoshi a token. */
      total: satoshisSchema.nullable(),
      /** What it does not accept, or why it gave no price. */
      problems: z.array(failureSchema),
    }),
  ),
});
export type ProjectPreview = z.infer<typeof projectPreviewSchema>;

const target = { projectUid: z.string().min(1).max(128), to: networkSchema };

/** Projects copied to another network. The one here stays as it is. */
export const projectMovesContract = {
  /** What is copied and what will differ. Changes nothing. */
  preview: procedure.input(z.object(target)).output(projectPreviewSchema),
  /**
   * Copies files, texts, traits, order, royalties and the mapping of imports to a new project on that network, kept on this computer.
   * `royalties` gives each receiver without an address there another one, or empty text to leave it out.
   */
  copy: procedure
    .input(z.object({ ...target, royalties: z.record(z.string().max(256), z.string().trim().max(256)).default({}) }))
    .output(z.object({ projectUid: z.string(), items: z.number().int() })),
};
