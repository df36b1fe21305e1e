import { type Kysely, sql } from 'kysely';
import type { StudioTables } from '../tables.ts';

/** Files that nothing uses: no item, no draft in the bin, no change that can be taken back, no import. @param before made before this time */
export function unusedFiles(db: Kysely<StudioTables>, before: number): Promise<{ sha256: string }[]> {
  return db
    .selectFrom('studio_files')
    .select('sha256')
    .where('created_at', '<', before)
    .where('sha256', 'not in', db.selectFrom('studio_items').select('sha256'))
    .where('sha256', 'not in', db.selectFrom('studio_removed_items').select('sha256'))
    .where(
      'sha256',
      'not in',
      db
        .selectFrom('studio_change_items')
        .select('sha256')
        .where('sha256', 'is not', null)
        .$castTo<{ sha256: string }>(),
    )
    .where(
      'sha256',
      'not in',
      db
        .selectFrom('studio_items')
        .select(sql<string>`json_extract(original, '$.sha256')`.as('sha256'))
        .where('original', 'is not', null),
    )
    .where(
      'sha256',
      'not in',
      db
        .selectFrom('studio_import_files')
        .select('sha256')
        .where('sha256', 'is not', null)
        .$castTo<{ sha256: string }>(),
    )
    .execute();
}
