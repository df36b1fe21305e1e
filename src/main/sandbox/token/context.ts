import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { Clock } from '../../ports/clock.ts';
import type { SettingsView } from '../../ports/settings.ts';
import { ApiError } from '../api/api-error.ts';
import type { ApiKeys } from '../api/api-keys.ts';
import type { Faults } from '../controls/faults.ts';
import type { SandboxNode, SubmitResult } from '../node/node.ts';
import type { TokenTables } from '../tables.ts';
import type { ContentFiles } from './content-files.ts';

/** What the token project and quota APIs stand on. */
export interface TokenContext {
  readonly db: Kysely<TokenTables>;
  readonly node: SandboxNode;
  readonly keys: ApiKeys;
  readonly files: ContentFiles;
  readonly settings: SettingsView;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly faults: Faults;
  /** Hands transactions to the node. @returns a result for each, in order */
  submit(raws: readonly Uint8Array[]): Promise<SubmitResult[]>;
}

/** What projects and tokens name as their network. */
export const NETWORK = 'sandbox';
export const TOKEN_PROTOCOL = 'OneSatOrdinal';

export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}

/** Reads what a request sent. @throws ApiError `invalid-request` that names the first wrong field */
export function read<T extends z.ZodType>(schema: T, value: unknown, what = 'body'): z.infer<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const at = issue?.path.join('.') ?? '';
  throw new ApiError(
    'invalid-request',
    `The ${what} is not as it should be: ${at === '' ? '' : `${at}: `}${issue?.message ?? 'unknown'}.`,
  );
}
