import { z } from 'zod';
import { hashSchema, outpointSchema, satoshisSchema, timestampSchema } from '../common.ts';
import { failureSchema } from '../errors/index.ts';
import { allowed } from '../phrases/allowed.ts';
import { mintStateSchema } from '../states/state-schemas.ts';
import { MAX_ITEM_NAME } from './edition-names.ts';
import { itemFieldsSchema } from './item-fields.ts';
import { reviewSchema } from './review.ts';

export const projectTypes = ['single', 'collection'] as const;
export const projectTypeSchema = z.enum(projectTypes);

export const fileInfoSchema = z.object({
  /** SHA-256 of the bytes, hex as digests are printed. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  name: z.string(),
  contentType: z.string(),
  bytes: z.number().int(),
});
export type FileInfo = z.infer<typeof fileInfoSchema>;

/** A token in a list: its picture and its name. */
export const artSchema = z.object({ name: z.string(), file: fileInfoSchema });
export type Art = z.infer<typeof artSchema>;

/** Maximum number of pictures of a project. */
export const MAX_PROJECT_ART = 4;

/** A project (spec 2.1), at a token service or on this computer only, with a summary of its items. */
export const projectSchema = z.object({
  uid: z.string(),
  /** Name of its token service, empty if the name is unknown; null for a project on this computer only. */
  service: z.string().nullable(),
  /** Whether it is always minted directly, since the current token service, if there is one, does not know it. */
  direct: z.boolean(),
  name: z.string(),
  type: projectTypeSchema,
  network: z.string(),
  tokenProtocol: z.string(),
  createdAt: timestampSchema.nullable(),
  itemCount: z.number().int(),
  mintedCount: z.number().int(),
  /** Its cover first: the token of the collection, or else the first items. */
  art: z.array(artSchema).max(MAX_PROJECT_ART),
});
export type Project = z.infer<typeof projectSchema>;

export const projectNameSchema = z.string().trim().min(1).max(120);

export const subTypes = ['single', 'collection', 'collectionItem'] as const;

/** Most characters of the value of a trait. */
export const MAX_TRAIT_CHARS = 256;

export const traitSchema = z.object({
  name: z
    .string()
    .trim()
    .min(1)
    .max(64)
    .refine(
      (name) => !['name', 'type', 'subType', 'subTypeData', 'description', 'app'].includes(name),
      allowed('rule.protocol-name'),
    ),
  value: z.string().trim().min(1).max(MAX_TRAIT_CHARS),
  /** Share of the collection's items with this value, in per cent: `12.5`. */
  occurrencePercent: z.string().max(16).optional(),
});
export type Trait = z.infer<typeof traitSchema>;

/** Maximum number of royalty receivers of a token. */
export const MAX_ROYALTIES = 16;

/** A receiver of a share of each later sale. */
export const royaltySchema = z.object({
  destination: z.string().trim().min(1).max(256),
  /** A share of the price as a decimal: `0.05` is five per cent. */
  percentage: z.string().regex(/^(?:0(?:\.\d{1,6})?|1(?:\.0{1,6})?)$/),
});

/** Names in the MAP part of a token that the protocol itself uses. */
export const protocolKeys: readonly string[] = [
  'app',
  'name',
  'type',
  'subType',
  'subTypeData',
  'description',
  'royalties',
];

export const mapKeySchema = z.object({
  name: z
    .string()
    .trim()
    .min(1)
    .max(64)
    .refine((name) => !protocolKeys.includes(name) && name !== '__proto__', allowed('rule.protocol-name')),
  value: z.string().trim().min(1).max(1_000),
});

/** The metadata of a token. The studio derives `type`, `subType` and `subTypeData` (spec 2.2). */
export const itemMetadataSchema = z.object({
  name: z.string().trim().min(1).max(MAX_ITEM_NAME),
  description: z.string().trim().max(2_000).default(''),
  traits: z
    .array(traitSchema)
    .max(64)
    .refine((traits) => new Set(traits.map((t) => t.name)).size === traits.length, allowed('rule.trait-once'))
    .default([]),
  /** Number in the collection. An item that has one carries its traits in `subTypeData`. */
  mintNumber: z.number().int().min(0).optional(),
  ...itemFieldsSchema.shape,
  /** Rank and label are computed from the traits of the collection, and computed again when it changes. */
  rankComputed: z.literal(true).optional(),
  royalties: z.array(royaltySchema).max(MAX_ROYALTIES).optional(),
  /** Further keys of the token's MAP part, such as `external_url`. */
  keys: z.array(mapKeySchema).max(32).optional(),
  /** Of a collection token alone. */
  collection: z
    .object({
      quantity: z.number().int().min(0),
      /** Share of the items that have each label, in per cent; together 100. */
      rarityLabels: z.array(z.object({ label: z.string().max(64), percent: z.string().max(16) })).max(200),
      traits: z
        .array(
          z.object({
            name: z.string().max(64),
            values: z.array(z.object({ value: z.string().max(256), percent: z.string().max(16) })),
          }),
        )
        .max(200),
    })
    .optional(),
});
export type ItemMetadata = z.infer<typeof itemMetadataSchema>;

export const MAX_ITEMS_A_PAGE = 5_000;
/** Items per request that changes or restores them. */
export const MAX_ITEMS_TOGETHER = 2_000;

/** One token to be minted: a file with its metadata, and its state. */
export const itemSchema = z.object({
  id: z.string(),
  projectUid: z.string(),
  subType: z.enum(subTypes),
  /** Position in the project: items are shown and minted in this order. */
  position: z.number().int(),
  file: fileInfoSchema,
  metadata: itemMetadataSchema,
  state: mintStateSchema,
  jobId: z.string().nullable(),
  outpoint: outpointSchema.nullable(),
  failure: failureSchema.nullable(),
  /** The file before it was replaced by a smaller copy; it can be restored. */
  original: fileInfoSchema.optional(),
  createdAt: timestampSchema,
});
export type Item = z.infer<typeof itemSchema>;

/** Kinds of changes to the drafts of a project, each of which can be undone. */
export const itemChanges = ['added', 'removed', 'restored', 'edited', 'reordered', 'file', 'copied'] as const;

export const itemChangeSchema = z.object({
  what: z.enum(itemChanges),
  /** How many items it changed. */
  items: z.number().int(),
  at: timestampSchema,
});
export type ItemChange = z.infer<typeof itemChangeSchema>;

/** A draft in the bin. */
export const removedItemSchema = z.object({ item: itemSchema, removedAt: timestampSchema });
export type RemovedItem = z.infer<typeof removedItemSchema>;

/** Removed drafts that are listed, at most. */
export const MAX_BIN_ITEMS = 1_000;
/** Tokens of one edition, at most. */
export const MAX_EDITION = 1_000;

/** Filters of the outputs of a project (spec 4.1); what is left out does not filter. */
export const outputFilterSchema = z.object({
  onChain: z.boolean().optional(),
  type: z.enum(['collection', 'collectionItem']).optional(),
});
export type OutputFilter = z.infer<typeof outputFilterSchema>;

/** An unminted token at the token service (spec 2.2). */
export const serviceOutputSchema = z.object({
  uid: z.string(),
  createdAt: timestampSchema.nullable(),
  name: z.string(),
  subType: z.string(),
  contentType: z.string(),
  /** Only unused ones can be changed and deleted. */
  state: z.enum(['unused', 'in-transaction', 'on-chain']),
  /** A mint here created it and needs it. */
  inMint: z.boolean(),
});
export type ServiceOutput = z.infer<typeof serviceOutputSchema>;

/** A single output made of a stored file, which belongs to no mint. */
export const newOutputSchema = z.object({
  projectUid: z.string().min(1).max(128),
  /** Digest of the stored file, whose content type the output gets. */
  sha256: hashSchema,
  subType: z.enum(subTypes),
  name: itemMetadataSchema.shape.name,
  description: itemMetadataSchema.shape.description,
  /** A JSON object as text. Without it, the metadata is written as in a mint. */
  subTypeData: z.string().trim().min(2).max(100_000).optional(),
});
export type NewServiceOutput = z.input<typeof newOutputSchema>;

export const proofSchema = z.object({
  blockHash: hashSchema,
  blockHeight: z.number().int(),
  /** 160 hex digits: the 80-byte block header the proof leads to. */
  header: z.string().regex(/^[0-9a-f]{160}$/),
  index: z.number().int(),
  /** TSC nodes: hex hashes in display order or `*`. */
  nodes: z.array(z.string()),
  verifiedAt: timestampSchema,
});

/** What a person can do with a job now. The host decides, so that no view repeats its rules about money. */
export const jobActionsShape = {
  /** It waits for approval and every check of its review passed. */
  canApprove: z.boolean(),
  /** No part of it can be spent any more, so cancelling it loses nothing. */
  canCancel: z.boolean(),
  /** It stopped at a failure and is not retried automatically. */
  canRetry: z.boolean(),
} as const;

/** Tokens by which a mint is named, at most. */
export const MAX_ART = 3;

/** One mint transaction from request to proof. */
export const mintJobSchema = z.object({
  id: z.string(),
  projectUid: z.string(),
  itemIds: z.array(z.string()),
  /** The first of its tokens, for lists that name a mint by its art. */
  art: z.array(artSchema).max(MAX_ART),
  destination: z.string(),
  /** Planchet builds and submits the transaction itself, without the token service. */
  direct: z.boolean(),
  state: mintStateSchema,
  /** True while the job waits for the person to approve what it will sign. */
  awaitingApproval: z.boolean(),
  ...jobActionsShape,
  /** True while a step is running or will be retried automatically. */
  active: z.boolean(),
  failure: failureSchema.nullable(),
  /** When the failed step is retried automatically; null if it is not. */
  retryAt: timestampSchema.nullable(),
  review: reviewSchema.nullable(),
  txid: hashSchema.nullable(),
  blockHash: hashSchema.nullable(),
  blockHeight: z.number().int().nullable(),
  fee: satoshisSchema.nullable(),
  proof: proofSchema.nullable(),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
  /** When each state was reached, in order. */
  history: z.array(z.object({ state: mintStateSchema, at: timestampSchema })),
});
export type MintJob = z.infer<typeof mintJobSchema>;

/** A job without the parts that grow with the transaction, for lists, snapshots and live events. `mint.get` returns all of it. */
export const mintJobSummarySchema = mintJobSchema
  .omit({ itemIds: true, review: true, proof: true })
  .extend({ tokenCount: z.number().int() });
export type MintJobSummary = z.infer<typeof mintJobSummarySchema>;

export const MAX_JOBS_A_PAGE = 200;

/** Projects that minted files of the plan already, those with most of them first. */
export const MAX_REPEATS = 5;
/** A project that already minted files of the plan, with the number of these files. */
export const repeatSchema = z.object({ projectUid: z.string(), projectName: z.string(), files: z.number().int() });
export type Repeat = z.infer<typeof repeatSchema>;
export const repeatsSchema = z.array(repeatSchema).max(MAX_REPEATS);

export const mintEstimateSchema = z.object({
  tokens: z.number().int(),
  /** See `mintJobSchema`. */
  direct: z.boolean(),
  /** Bytes of the signed transaction, predicted. */
  size: z.number().int(),
  fee: satoshisSchema,
  /** Fee plus one satoshi a token. */
  total: satoshisSchema,
  spendable: satoshisSchema,
  quotaAvailable: z.number().int().nullable(),
  /** See `runPlanSchema`. */
  royalties: z.array(royaltySchema).max(MAX_ROYALTIES),
  /** See `runPlanSchema`. */
  repeats: repeatsSchema,
  /** What prevents the mint, each with its fix. */
  problems: z.array(failureSchema),
});
export type MintEstimate = z.infer<typeof mintEstimateSchema>;

/** What `mint --wait mined --json` prints for each file. */
export const mintResultSchema = z.object({
  txid: hashSchema,
  outpoint: outpointSchema,
  blockHash: hashSchema.nullable(),
  blockHeight: z.number().int().nullable(),
  contentType: z.string(),
  bytes: z.number().int(),
  fee: satoshisSchema,
});

export const quotaSchema = z.object({
  monthlyMintLimit: z.number().int(),
  totalUsed: z.number().int(),
  available: z.number().int(),
  startDate: z.string(),
  endDate: z.string(),
});
export type Quota = z.infer<typeof quotaSchema>;

export const tokenSchema = z.object({
  outpoint: outpointSchema,
  txid: hashSchema,
  name: z.string(),
  projectUid: z.string(),
  itemId: z.string(),
  file: fileInfoSchema,
  state: mintStateSchema,
  blockHeight: z.number().int().nullable(),
  at: timestampSchema,
});
export type Token = z.infer<typeof tokenSchema>;
