import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStore, type SqliteStore } from '../../store/store.ts';
import { GroupCommit } from './group-commit.ts';

interface Tables {
  things: { name: string };
}

let folder = '';
let store: SqliteStore<Tables>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-group-'));
  const up = async (db: Kysely<unknown>) => {
    await db.schema
      .createTable('things')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .execute();
  };
  store = await openStore({ file: join(folder, 'things.db'), migrations: [{ name: 'test-0001-things', up }] });
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

it('GroupCommit commits concurrent writes in one transaction, and rolls back only the one that fails', async () => {
  const commits = new GroupCommit(store.db);
  const connections = new Set<unknown>();
  const insert = (name: string) =>
    commits.write(async (db) => {
      connections.add(db);
      await db.insertInto('things').values({ name }).execute();
    });
  const names = Array.from({ length: 40 }, (_, n) => `thing ${n}`);
  await Promise.all(names.map(insert));
  expect(connections.size).toBe(1);

  const outcomes = await Promise.allSettled(['new', 'thing 7', 'newer'].map(insert));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  const rows = await store.db.selectFrom('things').select('name').execute();
  expect(rows.map(({ name }) => name).sort()).toEqual([...names, 'new', 'newer'].sort());
});
