import { z } from 'zod';
import { hashSchema, satoshisSchema, timestampSchema } from './common.ts';
import { decodedTransactionSchema } from './miners/submission.ts';
import { procedure } from './procedure.ts';

/** Decoded transactions that a request contains. */
export const MAX_SHOWN_TRANSACTIONS = 20;
export const LONGEST_PERMISSION_MS = 366 * 86_400_000;

const id = z.string().min(1).max(128);

/** `broadcast`: another program sends transactions through the node endpoint. `budget`: the data writer has reached its daily limit. */
export const approvalKindSchema = z.enum(['broadcast', 'budget']);
export type ApprovalKind = z.infer<typeof approvalKindSchema>;

/** How a request ended: by the person, a remembered permission, its expiry, the last page closed, the program gone, a lock, a stop. */
export const approvalReasonSchema = z.enum(['person', 'remembered', 'timeout', 'closed', 'left', 'locked', 'stopped']);
export type ApprovalReason = z.infer<typeof approvalReasonSchema>;

/** Who requests what. */
const subject = {
  id,
  kind: approvalKindSchema,
  /** The known name of the program: the name of its key, its origin, `cookie`. */
  program: z.string(),
  /** The command, such as `sendrawtransaction`. */
  method: z.string(),
  /** Everything that it spends including the fee and change; for a budget the additional amount. */
  amount: satoshisSchema,
  askedAt: timestampSchema,
};

/** A request of another program that waits for the person. */
export const approvalSchema = z.object({
  ...subject,
  /** The first of them. */
  transactions: z.array(decodedTransactionSchema),
  transactionCount: z.number().int(),
  /** For a budget: the daily limit that was reached. */
  cap: satoshisSchema.nullable(),
  /** When it expires and is denied. */
  expiresAt: timestampSchema,
  /** Digest of everything that is shown. An approval contains it, so that nothing else can be approved. */
  digest: hashSchema,
});
export type Approval = z.infer<typeof approvalSchema>;

export const approvalRecordSchema = z.object({
  ...subject,
  decidedAt: timestampSchema,
  outcome: z.enum(['approved', 'denied']),
  reason: approvalReasonSchema,
  /** The first of the approved transactions; their own pages show their state. Undefined if none was approved. */
  txids: z.array(hashSchema).optional(),
});
export type ApprovalRecord = z.infer<typeof approvalRecordSchema>;

/** What a program may do without a further request. */
export const permissionSchema = z.object({
  id,
  kind: approvalKindSchema,
  program: z.string(),
  method: z.string(),
  /** Satoshis per request, and per day (UTC). */
  mostEach: satoshisSchema,
  mostPerDay: satoshisSchema,
  usedToday: satoshisSchema,
  createdAt: timestampSchema,
  expiresAt: timestampSchema,
  lastUsedAt: timestampSchema.nullable(),
});
export type Permission = z.infer<typeof permissionSchema>;

export const rememberSchema = z.object({
  mostEach: satoshisSchema.min(1),
  mostPerDay: satoshisSchema.min(1),
  expiresAt: timestampSchema,
});
export type Remember = z.infer<typeof rememberSchema>;

export const approvalsSchema = z.object({
  /** Oldest first. */
  waiting: z.array(approvalSchema),
  permissions: z.array(permissionSchema),
  /** The last decisions, newest first. */
  records: z.array(approvalRecordSchema),
});
export type ApprovalList = z.infer<typeof approvalsSchema>;

/** Requests of other programs. A request that is not approved in time is denied. */
export const approvalsContract = {
  list: procedure.output(approvalsSchema),
  /** @throws `not-found` if it is no longer pending, `conflict` if something else was shown, `invalid-input` for a contradictory permission */
  approve: procedure.input(z.object({ id, digest: hashSchema, remember: rememberSchema.optional() })).output(z.void()),
  deny: procedure.input(z.object({ id })).output(z.void()),
  /** Ends a remembered permission. */
  revoke: procedure.input(z.object({ id })).output(z.void()),
};
