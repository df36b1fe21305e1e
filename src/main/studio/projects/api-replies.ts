import { z } from 'zod';
import { projectTypeSchema } from '../../../contract/index.ts';

/** Shapes of the replies of spec sections 4.1 and 4.2; other keys are ignored. */
const uid = z.string().min(1).max(128);

export const createdProjectSchema = z.object({ projectUid: uid });

/** Elements of lists are read one by one, with the schemas below. */
export const projectListSchema = z.object({ projectList: z.array(z.unknown()) });

export const projectDetailSchema = z.object({
  uid,
  name: z.string(),
  network: z.string().default(''),
  tokenProtocol: z.string().default(''),
  type: projectTypeSchema,
});
export type RemoteProject = z.infer<typeof projectDetailSchema>;
export const listedProjectSchema = projectDetailSchema.omit({ type: true });

export const createdOutputSchema = z.object({ uid });

/** Most fields of a token, which has some dozen. An object with more is refused before its names are read. */
const MAX_FIELDS = 1_000;
const fields = z.custom<Record<string, unknown>>(
  (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length <= MAX_FIELDS,
);

export const outputSchema = z.object({
  uid,
  createdAt: z.string().nullish(),
  transactionUid: z.string().nullish(),
  txId: z.string().nullish(),
  metadata: fields.nullish(),
  offChainData: z
    .object({ b64FileHash: z.string().nullish(), b64FileSize: z.number().nullish(), contentType: z.string().nullish() })
    .nullish(),
});
export type RemoteOutput = z.infer<typeof outputSchema>;

export const outputListSchema = z.object({ outputList: z.array(z.unknown()) });

export const unsignedTransactionSchema = z.object({
  transactionUid: uid,
  /** Nothing of it is trusted: the review checks it. */
  txObj: z.record(z.string(), z.unknown()),
});
export type UnsignedTransaction = z.infer<typeof unsignedTransactionSchema>;

export const submittedSchema = z.object({ txId: z.string().regex(/^[0-9a-fA-F]{64}$/) });

/** The message of a failed call. The services document no shape, so the usual fields are checked. */
export function failureText(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { message, error, data } = body as Record<string, unknown>;
  for (const candidate of [message, error, nested(error), nested(data)]) {
    if (typeof candidate === 'string' && candidate.trim() !== '') return printable(candidate);
  }
  return undefined;
}

/** Whether a failed call says that the key may mint no more: by a code or in words. */
export function saysQuotaIsUsedUp(body: unknown): boolean {
  const { error, code } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const inner = typeof error === 'object' && error !== null ? (error as Record<string, unknown>).code : undefined;
  return [code, inner, failureText(body)].some(
    (text) => typeof text === 'string' && /quota|(?:mint|monthly) limit/i.test(text),
  );
}

function nested(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const { message, error } = value as Record<string, unknown>;
  return message ?? error;
}

/** Text of another party made safe to show: one line, no control characters, at most 300 characters. */
function printable(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').trim();
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
