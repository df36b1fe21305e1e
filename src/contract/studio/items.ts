import { z } from 'zod';
import { hashSchema } from '../common.ts';
import { procedure as base } from '../procedure.ts';
import {
  itemChangeSchema,
  itemMetadataSchema,
  itemSchema,
  MAX_BIN_ITEMS,
  MAX_EDITION,
  MAX_ITEMS_A_PAGE,
  MAX_ITEMS_TOGETHER,
  removedItemSchema,
  subTypes,
} from './studio.ts';

const id = z.string().min(1).max(128);

/** Unminted tokens. */
export const itemsContract = {
  /** In their order. With a limit, one page of them: a full one is followed by that after the position of its last item. */
  list: base
    .input(
      z.object({
        projectUid: id,
        after: z.number().int().optional(),
        limit: z.number().int().min(1).max(MAX_ITEMS_A_PAGE).optional(),
      }),
    )
    .output(z.array(itemSchema)),
  create: base
    .input(
      z.object({
        projectUid: id,
        sha256: hashSchema,
        fileName: z.string().min(1).max(255),
        metadata: itemMetadataSchema,
        /** Left out: `single` in a single project; in a collection, `collection` for the first item and `collectionItem` after it. */
        subType: z.enum(subTypes).optional(),
        /** The same key and content give the same item. */
        idempotencyKey: z.uuid().optional(),
      }),
    )
    .output(itemSchema),
  update: base.input(z.object({ id, metadata: itemMetadataSchema })).output(itemSchema),
  /** Several drafts at once, all or none. */
  updateMany: base
    .input(
      z.object({
        changes: z
          .array(z.object({ id, metadata: itemMetadataSchema }))
          .min(1)
          .max(MAX_ITEMS_TOGETHER),
      }),
    )
    .output(z.array(itemSchema)),
  /** Sets the order of these drafts. `renumber` assigns their mint numbers again in that order. */
  reorder: base
    .input(z.object({ projectUid: id, ids: z.array(id).min(1).max(50_000), renumber: z.boolean() }))
    .output(z.void()),
  /** Replaces the files of drafts, all or none. `keepsOriginal` keeps the earlier files for `putOriginals`. */
  replaceFiles: base
    .input(
      z.object({
        changes: z
          .array(z.object({ id, sha256: hashSchema, fileName: z.string().min(1).max(255) }))
          .min(1)
          .max(MAX_ITEMS_TOGETHER),
        keepsOriginal: z.boolean(),
      }),
    )
    .output(z.array(itemSchema)),
  /** Restores the files that drafts had before smaller copies. */
  putOriginals: base.input(z.object({ ids: z.array(id).min(1).max(MAX_ITEMS_TOGETHER) })).output(z.array(itemSchema)),
  /** Makes an edition of a draft: `count` numbered drafts of its file. */
  makeEdition: base
    .input(z.object({ id, count: z.number().int().min(2).max(MAX_EDITION) }))
    .output(z.array(itemSchema)),
  /** Moves drafts into the bin, all or none. */
  remove: base.input(z.object({ ids: z.array(id).min(1).max(50_000) })).output(z.void()),
  /** Restores drafts from the bin; all or none. @throws `not-found` */
  restore: base.input(z.object({ ids: z.array(id).min(1).max(MAX_ITEMS_TOGETHER) })).output(z.void()),
  /** Undoes the last change of a project's drafts. @returns what it was @throws `not-found` if there is none */
  undo: base.input(z.object({ projectUid: id })).output(itemChangeSchema),
  history: {
    /** The change that `undo` takes back, and how many drafts lie in the bin. */
    get: base
      .input(z.object({ projectUid: id }))
      .output(z.object({ last: itemChangeSchema.nullable(), inBin: z.number().int() })),
    /** Removed drafts, newest first. */
    bin: base
      .input(z.object({ projectUid: id, limit: z.number().int().min(1).max(MAX_BIN_ITEMS).default(MAX_BIN_ITEMS) }))
      .output(z.array(removedItemSchema)),
    /** Deletes the removed drafts of a project permanently. */
    emptyBin: base.input(z.object({ projectUid: id })).output(z.void()),
  },
};
