import { z } from 'zod';
import { hashSchema, satoshisSchema, timestampSchema } from './common.ts';
import { failureSchema } from './errors/index.ts';
import { allowed } from './phrases/allowed.ts';
import { procedure } from './procedure.ts';
import { writerStateSchema } from './states/state-schemas.ts';

const count = z.number().int().min(0);

export const writerStatusSchema = z.object({
  /** Number of documents in each state. */
  states: z.record(writerStateSchema, count),
  /** Number of all documents ever accepted. */
  documents: count,
  bytes: count,
  /** Documents per second over the last ten seconds: accepted, and submitted to a miner. */
  acceptedRate: z.number().min(0),
  writtenRate: z.number().min(0),
  /** When the oldest unconfirmed document was accepted. */
  oldestOpenSince: timestampSchema.nullable(),
  spentToday: satoshisSchema,
  dailySpend: satoshisSchema,
  funding: z.enum(['wallet', 'service', 'sandbox']),
  database: z.enum(['sqlite', 'postgres']),
  /** Why accepted documents are not being written. */
  degraded: failureSchema.nullable(),
  /** When that is tried again; null if it is not tried by itself. */
  nextAttemptAt: timestampSchema.nullable(),
  at: timestampSchema,
});
export type WriterStatus = z.infer<typeof writerStatusSchema>;

export const writerDocumentViewSchema = z.object({
  id: z.string(),
  keyId: z.string(),
  state: writerStateSchema,
  txid: hashSchema.nullable(),
  vout: count.nullable(),
  tag: z.string().nullable(),
  contentType: z.string(),
  bytes: count,
  /** Its share of the transaction's fee. */
  fee: satoshisSchema.nullable(),
  attempts: count,
  /** Time of the next retry; null if no attempt failed or none follows. */
  nextAttemptAt: z.string().nullable(),
  /** Why the last attempt failed; for a dead document, why it was given up. */
  reason: z.string().nullable(),
  /** The same as an entry of the error catalogue; null if it is in the words of another program. */
  failure: failureSchema.nullable(),
  createdAt: z.string(),
  updatedAt: z.string(),
  blockHash: hashSchema.nullable(),
  blockHeight: count.nullable(),
  /** Whether the document was given up and can be retried. */
  canRetry: z.boolean(),
});
export type WriterDocumentView = z.infer<typeof writerDocumentViewSchema>;

export const writerDocumentPageSchema = z.object({
  documents: z.array(writerDocumentViewSchema),
  next: z.string().nullable(),
});
export type WriterDocumentPage = z.infer<typeof writerDocumentPageSchema>;

export const writerDocumentSchema = writerDocumentViewSchema.extend({
  /** The content on the chain, base64; at most the first 65,536 bytes. It must never be inserted into the page itself. */
  body: z.string(),
  bodyIsComplete: z.boolean(),
  /** Locking script of its output, hex; at most the first 65,536 bytes. */
  script: z.string(),
  rawTx: z.string().nullable(),
  timeline: z.array(z.object({ state: writerStateSchema, at: timestampSchema })),
  /** JSON of a TSC proof. */
  proof: z.string().nullable(),
});
export type WriterDocument = z.infer<typeof writerDocumentSchema>;

export const writerKeySchema = z.object({
  keyId: z.string(),
  /** The key's first characters. */
  label: z.string(),
  publicKey: z.string(),
  address: z.string(),
  createdAt: timestampSchema,
  revokedAt: timestampSchema.nullable(),
});
export type WriterKey = z.infer<typeof writerKeySchema>;

export const writerUsageHourSchema = z.object({
  keyId: z.string(),
  hour: timestampSchema,
  tag: z.string().nullable(),
  documents: count,
  bytes: count,
});
export type WriterUsageHour = z.infer<typeof writerUsageHourSchema>;

const documentId = z.string().regex(/^(?:[0-9a-f]{32}|[0-9a-f]{64})$/, allowed('rule.document'));
const keyId = z.string().regex(/^[0-9a-f]{16}$/);

export const writerListInputSchema = z.object({
  keyId: keyId.optional(),
  tag: z.string().max(512).optional(),
  state: writerStateSchema.optional(),
  since: timestampSchema.min(0).optional(),
  cursor: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .optional(),
  order: z.enum(['asc', 'desc']).default('desc'),
  limit: z.number().int().min(1).max(1_000).default(100),
});
export const writerGetInputSchema = z.object({ id: documentId });
export const writerRetryInputSchema = z.object({ ids: z.array(documentId).min(1).max(1_000).optional() });
/** The result of retrying dead letters. */
export const writerRetryResultSchema = z.object({
  /** Documents that are in the queue again. */
  retried: count,
  /** Documents that stay dead for now. */
  kept: count,
  /** Why the first of those does. */
  reason: z.string().nullable(),
  failure: failureSchema.nullable(),
});
export type WriterRetryResult = z.infer<typeof writerRetryResultSchema>;

export const writerRegisterInputSchema = z.object({ apiKey: z.string().min(4).max(256) });
export const writerRevokeInputSchema = z.object({ keyId });
export const writerWriteInputSchema = z.object({
  body: z.string().max(100_000_000),
  contentType: z.string().max(255).default('application/json'),
  tag: z.string().max(512).optional(),
  mode: z.enum(['raw', 'hash', 'encrypt']).default('raw'),
  keyId: keyId.optional(),
  idempotencyKey: z.string().max(255).optional(),
  wait: z.enum(['accepted', 'submitted', 'mined']).default('submitted'),
  waitMs: z.number().int().min(0).max(120_000).default(10_000),
});

export const writerContract = {
  status: procedure.output(writerStatusSchema),
  documents: {
    /** Newest first by default; `next` of a page is the `cursor` of the one after it. */
    list: procedure.input(writerListInputSchema).output(writerDocumentPageSchema),
    /** By id or txid. */
    get: procedure.input(writerGetInputSchema).output(writerDocumentSchema),
  },
  dead: {
    list: procedure.input(writerListInputSchema.omit({ state: true })).output(writerDocumentPageSchema),
    /** Takes these up again, or all of them. */
    retry: procedure.input(writerRetryInputSchema).output(writerRetryResultSchema),
  },
  keys: {
    list: procedure.output(z.array(writerKeySchema)),
    register: procedure.input(writerRegisterInputSchema).output(writerKeySchema),
    revoke: procedure.input(writerRevokeInputSchema).output(z.void()),
  },
  usage: procedure.output(z.array(writerUsageHourSchema)),
  write: procedure.input(writerWriteInputSchema).output(writerDocumentSchema),
};
