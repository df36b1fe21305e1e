import type { Kysely } from 'kysely';

/** An open database with the tables that its migrations made. */
export interface Store<Tables> {
  readonly db: Kysely<Tables>;
  close(): Promise<void>;
}

/**
 * A database with the tables of several owners; each is given it as a store of its own. Which tables are in it is not written here: the type
 * check would compare all of them with those of each owner, every query included.
 */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type SharedStore = Store<any>;
