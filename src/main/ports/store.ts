import type { Kysely } from 'kysely';

/** An open database with the tables that its migrations made. */
export interface Store<Tables> {
  readonly db: Kysely<Tables>;
  close(): Promise<void>;
}
