import { z } from 'zod';
import { procedure as base } from '../procedure.ts';
import {
  importEditInputSchema,
  importFilesInputSchema,
  importFilesSchema,
  importMappingInputSchema,
  importMappingSchema,
  importOpenInputSchema,
  importRowsInputSchema,
  importRowsSchema,
  importStatusSchema,
  importTraitsSchema,
} from './import.ts';
import { MAX_RUN_ITEMS_A_PAGE, MAX_RUNS_A_PAGE, runItemSchema, runPlanSchema, runSchema } from './runs.ts';
import { newOutputSchema, outputFilterSchema, serviceOutputSchema } from './studio.ts';

const id = z.string().min(1).max(128);
const blob = z.instanceof(Blob);

/** What the token service holds of a project. */
export const outputsContract = {
  list: base
    .input(z.object({ projectUid: id, filter: outputFilterSchema.optional() }))
    .output(z.array(serviceOutputSchema)),
  /** Makes an output that belongs to no mint. @returns its id */
  create: base.input(newOutputSchema).output(z.object({ uid: id })),
  /** Renames an unused output. */
  update: base.input(z.object({ projectUid: id, uid: id, name: z.string().trim().min(1).max(120) })).output(z.void()),
  remove: base.input(z.object({ projectUid: id, uid: id })).output(z.void()),
};

/** Import of folders, archives and tables as items. */
export const importContract = {
  /** Files of a browser, sent before `open`. */
  upload: {
    begin: base.output(z.object({ uploadId: id })),
    /** `name` is a path with `/` below what was dropped: `images/1.png`. Pieces of one file come in order. */
    append: base
      .input(
        z.object({ uploadId: id, name: z.string().min(1).max(1_024), offset: z.number().int().min(0), piece: blob }),
      )
      .output(z.object({ received: z.number().int() })),
    abort: base.input(z.object({ uploadId: id })).output(z.void()),
  },
  /** Starts to read the given files; `status` reports the progress. No tokens are made before `commit`. */
  open: base.input(importOpenInputSchema).output(importStatusSchema),
  /** Imports that are not finished, newest first. */
  list: base.output(z.array(importStatusSchema)),
  status: base.input(z.object({ id })).output(importStatusSchema),
  /** The targets of columns, and the options of the import. */
  mapping: {
    get: base.input(z.object({ id })).output(importMappingSchema),
    set: base.input(importMappingInputSchema).output(importMappingSchema),
  },
  rows: base.input(importRowsInputSchema).output(importRowsSchema),
  files: base.input(importFilesInputSchema).output(importFilesSchema),
  traits: base.input(z.object({ id })).output(importTraitsSchema),
  /** Changes cells; the answer has the changed rows, checked again. */
  edit: base.input(importEditInputSchema).output(importRowsSchema),
  /** Makes items of all rows without errors, in a new project or an existing one. `status` reports the progress. */
  commit: base.input(z.object({ id })).output(importStatusSchema),
  /** Discards an import. Committed items stay. */
  discard: base.input(z.object({ id })).output(z.void()),
};

/** Mints of whole projects. */
export const runsContract = {
  /** What minting all drafts of a project will do and cost. Changes nothing. */
  plan: base
    .input(z.object({ projectUid: id, destination: z.string().max(128), direct: z.boolean().default(false) }))
    .output(runPlanSchema),
  /** Journals a run of all drafts of a project. It waits for approval. */
  create: base
    .input(
      z.object({
        projectUid: id,
        destination: z.string().max(128),
        direct: z.boolean().default(false),
        idempotencyKey: z.string().min(8).max(128),
      }),
    )
    .output(runSchema),
  get: base.input(z.object({ id })).output(z.object({ run: runSchema, plan: runPlanSchema })),
  /** Newest first. */
  list: base
    .input(z.object({ limit: z.number().int().min(1).max(MAX_RUNS_A_PAGE), after: id.optional() }))
    .output(z.object({ runs: z.array(runSchema), next: id.nullable() })),
  /** The run's tokens in the order of the project. `next` is the offset of the next page. */
  items: base
    .input(
      z.object({
        id,
        offset: z.number().int().min(0).default(0),
        limit: z.number().int().min(1).max(MAX_RUN_ITEMS_A_PAGE),
      }),
    )
    .output(z.object({ items: z.array(runItemSchema), next: z.number().int().nullable() })),
  /** Approves the plan with this digest. Each transaction is checked against it before it is signed. */
  approve: base.input(z.object({ id, digest: z.string().regex(/^[0-9a-f]{64}$/) })).output(runSchema),
  /** Signs no further transactions. Signed ones are still submitted and followed. */
  pause: base.input(z.object({ id })).output(runSchema),
  resume: base.input(z.object({ id })).output(runSchema),
  /** Cancels what is not signed. */
  cancel: base.input(z.object({ id })).output(runSchema),
  /** Tries only what failed again. @param jobId tries that of one transaction alone */
  retry: base.input(z.object({ id, jobId: id.optional() })).output(runSchema),
};
