import { sql, type Transaction, type Updateable } from 'kysely';
import type { ItemRow, StudioTables } from '../tables.ts';

/** Writes changes of single items, by id. Changes of the same columns share one statement, since a mint has hundreds of items. */
export async function writePatches(
  db: Transaction<StudioTables>,
  patches: ReadonlyMap<string, Updateable<ItemRow>>,
): Promise<void> {
  for (const [columns, alike] of Map.groupBy(patches, ([, patch]) => Object.keys(patch).join())) {
    const names = columns.split(',').filter((name) => name !== '') as (keyof ItemRow)[];
    if (names.length === 0) continue;
    const rows = JSON.stringify(alike.map(([id, patch]) => [id, ...names.map((name) => patch[name])]));
    const values = names.map((name, i) => sql`${sql.ref(name)} = new.value ->> ${sql.lit(i + 1)}`);
    await sql`update studio_items set ${sql.join(values)} from json_each(${rows}) as new
      where studio_items.id = new.value ->> 0`.execute(db);
  }
}
