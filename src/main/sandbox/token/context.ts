import type { Kysely } from 'kysely';
import type { z } from 'zod';
import { ApiError } from '../api/api-error.ts';
import type { ApiKeys } from '../api/api-keys.ts';
import type { SandboxParts } from '../parts.ts';
import type { TokenTables } from '../tables.ts';
import type { ContentFiles } from './content-files.ts';

/** Dependencies of the token project and quota APIs. */
export interface TokenContext extends Omit<SandboxParts, 'db'> {
  readonly db: Kysely<TokenTables>;
  readonly keys: ApiKeys;
  readonly files: ContentFiles;
}

/** The network name in projects and tokens. */
export const NETWORK = 'sandbox';
export const TOKEN_PROTOCOL = 'OneSatOrdinal';

/** The body of a successful answer. */
export function ok(data: unknown): { success: true; data: unknown } {
  return { success: true, data };
}

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Validates a request. @throws ApiError `invalid-request` naming the first invalid field */
export function read<T extends z.ZodType>(schema: T, value: unknown, what = 'body'): z.infer<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const at = issue?.path.join('.') ?? '';
  throw new ApiError('invalid-request', 'sandbox-api.field-invalid', {
    what,
    problem: `${at === '' ? '' : `${at}: `}${issue?.message ?? 'unknown'}`,
  });
}
