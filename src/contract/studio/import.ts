import { z } from 'zod';
import { hashSchema, timestampSchema } from '../common.ts';
import { failureSchema } from '../errors/index.ts';
import { allowed } from '../phrases/allowed.ts';
import { phraseValuesSchema } from '../phrases/phrase-schema.ts';
import { type ImportProblemCode, importProblemCodes } from './import-problems.ts';
import { itemCellsSchema, itemFieldNames } from './item-fields.ts';
import { fileInfoSchema, MAX_ROYALTIES, projectNameSchema, projectTypeSchema, royaltySchema } from './studio.ts';

/** Rows or files a page of an import has at most. */
export const MAX_IMPORT_PAGE = 500;

/** `reading → ready → committing → done`; `failed` if the files cannot be read at all. A discarded import is deleted. */
export const importPhases = ['reading', 'ready', 'committing', 'done', 'failed'] as const;

/** Targets of a column of a table or a key of a JSON file. */
export const importTargets = [
  'name',
  'description',
  'file',
  'number',
  ...itemFieldNames,
  'collectionId',
  'collectionName',
  'contentType',
  'royaltyBasisPoints',
  'creators',
  'trait',
  'key',
  'ignore',
] as const;
export type ImportTarget = (typeof importTargets)[number];

/** How files were assigned to most rows. */
export const importMatches = ['field', 'stem', 'number', 'order', 'none'] as const;

export const importProblemSchema = z.object({
  /** Id of the row, null where the problem is one of a file alone or of the whole import. */
  row: z.number().int().nullable(),
  /** Name of the file, or of the table the row stands in. */
  file: z.string().nullable(),
  code: z.enum(importProblemCodes as [ImportProblemCode, ...ImportProblemCode[]]),
  message: z.string(),
  /** What the message was filled with. */
  values: phraseValuesSchema,
  /** A row with an error is not imported; a warning does not prevent that. */
  severity: z.enum(['error', 'warning']),
  /** The cell to correct: `name`, `file`, `number`, `trait:Eyes`, … */
  field: z.string().nullable(),
});
export type ImportProblem = z.infer<typeof importProblemSchema>;

export const importFieldSchema = z.object({
  /** The column's or key's name, as it is written. */
  field: z.string(),
  target: z.enum(importTargets),
  /** Name of the trait or of the MAP key, where the target is one. */
  trait: z.string(),
  /** The first value that is not empty. */
  example: z.string(),
  count: z.number().int(),
  /** Signs of damage by a spreadsheet in this column. */
  damaged: z.enum(['leading-zeros', 'decimal-comma', 'date']).nullable(),
});
export type ImportField = z.infer<typeof importFieldSchema>;

/** Options of an import. */
export const importOptionsSchema = z.object({
  projectName: projectNameSchema,
  projectType: projectTypeSchema,
  /** Append to this project; null makes one, or appends to the one with this name and type. */
  projectUid: z.string().max(128).nullable(),
  /** The table that is used, if several were found; empty uses only the pictures. */
  table: z.string().max(1_024),
  /** Folder whose files are used where several hold the same names (`images` or `gifs`). */
  folder: z.string().max(1_024).nullable(),
  /** Text with `{name}`, `{n}` and `{file}` that makes names; null takes them from the table. */
  nameTemplate: z.string().max(200).nullable(),
  collectionDescription: z.string().max(2_000),
  /** Id of the file for the collection token; null takes `collection.png`, else the first row's file. */
  cover: z.number().int().nullable(),
  /** Write royalties. Addresses of others are never adopted automatically. */
  royalties: z.array(royaltySchema).max(MAX_ROYALTIES),
  /** Make tokens of equal pictures. */
  allowDuplicates: z.boolean(),
  /** Rows and files have the same order: confirmed by a person, for tables without any other link to the files. */
  pairByOrder: z.boolean(),
  /** Compute ranks and rarity labels where the table has none. */
  rarity: z.boolean(),
});
export type ImportOptions = z.infer<typeof importOptionsSchema>;

export const importMappingSchema = z.object({
  fields: z.array(importFieldSchema),
  options: importOptionsSchema,
  /** Tables that were found, with their rows. */
  tables: z.array(z.object({ name: z.string(), format: z.string(), rows: z.number().int() })),
  /** Folders that hold files, with their number. */
  folders: z.array(z.object({ path: z.string(), files: z.number().int() })),
  match: z.enum(importMatches),
  /** Royalties in the metadata, which are shares for addresses of others and need a confirmation. */
  royaltyProposal: z.array(z.object({ address: z.string(), percentage: z.string() })),
  /** Metadata of the collection; empty if there is none. */
  collectionProposal: z.object({ name: z.string(), description: z.string() }),
  /** The file for the collection token, null if there is none or the project is not a collection. */
  cover: fileInfoSchema.nullable(),
});
export type ImportMapping = z.infer<typeof importMappingSchema>;

export const importMappingInputSchema = z.object({
  id: z.string().min(1).max(128),
  /** Only what changes. */
  fields: z
    .array(
      z.object({ field: z.string().max(1_024), target: z.enum(importTargets), trait: z.string().max(64).optional() }),
    )
    .max(1_000)
    .optional(),
  options: importOptionsSchema.partial().optional(),
});

export const importStatusSchema = z.object({
  id: z.string(),
  phase: z.enum(importPhases),
  /** What is being counted in this phase: files while reading, rows while committing. */
  done: z.number().int(),
  total: z.number().int(),
  /** Rows of the table in use, and how they stand. */
  rows: z.number().int(),
  ready: z.number().int(),
  withErrors: z.number().int(),
  withWarnings: z.number().int(),
  excluded: z.number().int(),
  imported: z.number().int(),
  filesWithoutRow: z.number().int(),
  /** Problems of the import as a whole or of files without a row; at most 100. */
  problems: z.array(importProblemSchema),
  projectName: z.string(),
  projectUid: z.string().nullable(),
  failure: failureSchema.nullable(),
  createdAt: timestampSchema,
});
export type ImportStatus = z.infer<typeof importStatusSchema>;

export const importRowSchema = z.object({
  row: z.number().int(),
  /** Where it was read: the file and, in a table, the line. */
  source: z.object({ file: z.string(), line: z.number().int().nullable() }),
  state: z.enum(['ready', 'warning', 'error', 'excluded', 'imported']),
  name: z.string(),
  description: z.string(),
  number: z.number().int().nullable(),
  ...itemCellsSchema.shape,
  collectionId: z.string().nullable(),
  traits: z.array(z.object({ name: z.string(), value: z.string(), occurrencePercent: z.string().optional() })),
  /** Further keys of the token's MAP part. */
  keys: z.array(z.object({ name: z.string(), value: z.string() })),
  file: fileInfoSchema.extend({ id: z.number().int(), sha256: hashSchema.nullable() }).nullable(),
  problems: z.array(importProblemSchema),
  /** Cells a person changed. */
  edited: z.array(z.string()),
  itemId: z.string().nullable(),
});
export type ImportRow = z.infer<typeof importRowSchema>;

const pageInput = {
  offset: z.number().int().min(0).default(0),
  limit: z.number().int().min(1).max(MAX_IMPORT_PAGE).default(100),
};
export const importRowsInputSchema = z.object({
  id: z.string().min(1).max(128),
  filter: z.enum(['all', 'problems', 'errors', 'warnings', 'ready', 'excluded']).default('all'),
  /** Part of a name, file name, number or trait value. */
  search: z.string().max(200).default(''),
  ...pageInput,
});
export const importRowsSchema = z.object({ rows: z.array(importRowSchema), total: z.number().int() });

export const importFileSchema = fileInfoSchema.extend({
  id: z.number().int(),
  /** Path inside the given files. */
  path: z.string(),
  sha256: hashSchema.nullable(),
  /** Rows that use it. */
  rows: z.array(z.number().int()),
});
export type ImportFileView = z.infer<typeof importFileSchema>;
export const importFilesInputSchema = z.object({
  id: z.string().min(1).max(128),
  filter: z.enum(['all', 'unmatched']).default('all'),
  search: z.string().max(200).default(''),
  ...pageInput,
});
export const importFilesSchema = z.object({ files: z.array(importFileSchema), total: z.number().int() });

/**
 * One cell. `field` is `name`, `description`, `number`, one of `itemFields`, `collectionId`, `contentType`, `file` (id of a file),
 * `trait:<name>`, or `excluded` and `accept` (the code of a problem to accept). Null restores the original value.
 */
export const importEditSchema = z.object({
  row: z.number().int(),
  field: z.string().min(1).max(80),
  value: z.string().max(10_000).nullable(),
});
export type ImportEdit = z.infer<typeof importEditSchema>;
export const importEditInputSchema = z.object({
  id: z.string().min(1).max(128),
  edits: z.array(importEditSchema).min(1).max(1_000),
});

export const importTraitsSchema = z.array(
  z.object({
    name: z.string(),
    /** Rows that have it. */
    count: z.number().int(),
    /** How many values there are; `values` has the most frequent 500. */
    distinct: z.number().int(),
    /** Percentages with two decimals; those of all values sum to 100. */
    values: z.array(z.object({ value: z.string(), count: z.number().int(), percent: z.string() })),
  }),
);
export type ImportTraits = z.infer<typeof importTraitsSchema>;

/** `paths` are files and folders of the machine Planchet runs on; `uploadId` names files that were sent with `import.upload`. */
export const importOpenInputSchema = z
  .object({
    paths: z.array(z.string().min(1).max(4_096)).min(1).max(1_000).optional(),
    uploadId: z.string().min(1).max(128).optional(),
    projectName: projectNameSchema.optional(),
    projectUid: z.string().max(128).optional(),
    projectType: projectTypeSchema.default('collection'),
    /** Path or name of the one table to use. */
    table: z.string().max(4_096).optional(),
  })
  .refine(({ paths, uploadId }) => (paths === undefined) !== (uploadId === undefined), allowed('rule.one-of-two'));
export type ImportOpenInput = z.input<typeof importOpenInputSchema>;
