import { z } from 'zod';
import { hashSchema, satoshisSchema, timestampSchema } from './common.ts';
import { decodedTransactionSchema } from './miners/submission.ts';
import { procedure } from './procedure.ts';

/** Decoded transactions that a request shows. */
export const MAX_SHOWN_TRANSACTIONS = 20;
export const LONGEST_PERMISSION_MS = 366 * 86_400_000;

const id = z.string().min(1).max(128);

/** `broadcast`: another program sends transactions through the node endpoint. `budget`: the data writer has used up its cap of the day. */
export const approvalKindSchema = z.enum(['broadcast', 'budget']);
export type ApprovalKind = z.infer<typeof approvalKindSchema>;

/** How a request ended: by the person, a remembered permission, its time, the last page closed, the program gone, a lock, a stop. */
export const approvalReasonSchema = z.enum(['person', 'remembered', 'timeout', 'closed', 'left', 'locked', 'stopped']);
export type ApprovalReason = z.infer<typeof approvalReasonSchema>;

/** Who asked for what. */
const subject = {
  id,
  kind: approvalKindSchema,
  /** Who asks, as it is known here: the name of its key, its origin, `cookie`. */
  program: z.string(),
  /** The command, such as `sendrawtransaction`. */
  method: z.string(),
  /** All that it moves with the fee, change included; of a budget what may be spent in addition. */
  amount: satoshisSchema,
  askedAt: timestampSchema,
};

/** Something that another program asks for and that waits for the person. */
export const approvalSchema = z.object({
  ...subject,
  /** The first of them. */
  transactions: z.array(decodedTransactionSchema),
  transactionCount: z.number().int(),
  /** Of a budget: the cap of the day that is used up. */
  cap: satoshisSchema.nullable(),
  /** When it is denied without a decision. */
  expiresAt: timestampSchema,
  /** Of all that is shown; an approval names it, so that nothing else can be approved by it. */
  digest: hashSchema,
});
export type Approval = z.infer<typeof approvalSchema>;

export const approvalRecordSchema = z.object({
  ...subject,
  decidedAt: timestampSchema,
  outcome: z.enum(['approved', 'denied']),
  reason: approvalReasonSchema,
  /** The transactions that were approved, the first of them; their own pages say what became of each. Left out where none was. */
  txids: z.array(hashSchema).optional(),
});
export type ApprovalRecord = z.infer<typeof approvalRecordSchema>;

/** What a program may do without being asked again. */
export const permissionSchema = z.object({
  id,
  kind: approvalKindSchema,
  program: z.string(),
  method: z.string(),
  /** Satoshis of one request, and of all of a day (UTC). */
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

/** What other programs ask for. Whatever is not approved in time is denied. */
export const approvalsContract = {
  list: procedure.output(approvalsSchema),
  /** @throws `not-found` if it no longer waits, `conflict` if something else was shown, `invalid-input` for a permission without sense */
  approve: procedure.input(z.object({ id, digest: hashSchema, remember: rememberSchema.optional() })).output(z.void()),
  deny: procedure.input(z.object({ id })).output(z.void()),
  /** Ends a remembered permission. */
  revoke: procedure.input(z.object({ id })).output(z.void()),
};
