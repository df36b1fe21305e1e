import type { Kysely } from 'kysely';
import { chunks } from '../../../chunks.ts';
import type { StudioTables } from '../../tables.ts';

/** Rows that one statement writes: SQLite binds at most 32,766 values. */
const ROWS_AT_ONCE = 5_000;

/** The web addresses of published pages of projects, so that a token has a link that others can open. */
export class PublishedAddresses {
  readonly #db: Kysely<StudioTables>;

  constructor(db: Kysely<StudioTables>) {
    this.#db = db;
  }

  /** @returns the address of a project's folder, null where none was said */
  async of(projectUid: string): Promise<string | null> {
    const row = await this.#db
      .selectFrom('studio_publications')
      .select('base_url')
      .where('project_uid', '=', projectUid)
      .executeTakeFirst();
    return row?.base_url ?? null;
  }

  async set(projectUid: string, baseUrl: string | null): Promise<void> {
    await this.#db
      .insertInto('studio_publications')
      .values({ project_uid: projectUid, base_url: baseUrl })
      .onConflict((conflict) => conflict.column('project_uid').doUpdateSet({ base_url: baseUrl }))
      .execute();
  }

  /**
   * Stores which page shows which token: a later publication may number them differently.
   * @param pages by outpoint of the inscription, with their path in the folder
   */
  async remember(projectUid: string, pages: ReadonlyMap<string, string>): Promise<void> {
    const rows = [...pages].map(([origin, path]) => ({ origin, project_uid: projectUid, path }));
    await this.#db.transaction().execute(async (db) => {
      await db.deleteFrom('studio_published_pages').where('project_uid', '=', projectUid).execute();
      for (const some of chunks(rows, ROWS_AT_ONCE)) {
        await db.insertInto('studio_published_pages').values(some).execute();
      }
    });
  }

  /** @returns the web address of a token's page; null where it was not published, or nobody said where its folder stands */
  async linkOf(origin: string): Promise<string | null> {
    const row = await this.#db
      .selectFrom('studio_published_pages')
      .innerJoin('studio_publications', 'studio_publications.project_uid', 'studio_published_pages.project_uid')
      .select(['base_url', 'path'])
      .where('origin', '=', origin)
      .executeTakeFirst();
    return row === undefined || row.base_url === null ? null : row.base_url + row.path;
  }
}
