import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toFailure } from '../../contract/index.ts';
import { type NamedMigration, openStore } from './store.ts';

interface Tables {
  things: { id: number; text: string };
  parts: { id: number; thing_id: number };
}

const migrations: NamedMigration[] = [
  {
    name: 'things-0001-table',
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('things')
        .addColumn('id', 'integer', (c) => c.primaryKey())
        .addColumn('text', 'text')
        .execute();
    },
  },
  {
    name: 'things-0002-parts',
    up: async (db: Kysely<unknown>) => {
      await db.schema
        .createTable('parts')
        .addColumn('id', 'integer', (c) => c.primaryKey())
        .addColumn('thing_id', 'integer', (c) => c.references('things.id'))
        .execute();
    },
  },
];

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-store-'));
  file = join(folder, 'deep', 'app.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the store', () => {
  it('uses WAL mode, syncs every commit and enforces foreign keys', async () => {
    const store = await openStore<Tables>({ file, migrations });
    const pragma = async (name: string): Promise<unknown> =>
      Object.values((await sql.raw(`pragma ${name}`).execute(store.db)).rows[0] as object)[0];
    expect(await pragma('journal_mode')).toBe('wal');
    expect(await pragma('synchronous')).toBe(2);
    await expect(store.db.insertInto('parts').values({ id: 1, thing_id: 99 }).execute()).rejects.toThrow(/FOREIGN KEY/);
    await store.close();
  });

  it('applies each migration once, including those of another owner added later', async () => {
    const first = await openStore<Tables>({ file, migrations: migrations.slice(0, 1) });
    await first.db.insertInto('things').values({ id: 1, text: 'kept' }).execute();
    await first.close();
    const earlierName: NamedMigration = {
      name: 'a-0001-index',
      up: (db: Kysely<unknown>) => db.schema.createIndex('by_text').on('things').column('text').execute(),
    };
    const second = await openStore<Tables>({ file, migrations: [earlierName, ...migrations] });
    expect(await second.db.selectFrom('things').selectAll().execute()).toEqual([{ id: 1, text: 'kept' }]);
    await second.close();
  });

  it('refuses a file of a newer program, and one that is not a database, without changing it', async () => {
    await (await openStore<Tables>({ file, migrations })).close();
    await expect(openStore<Tables>({ file, migrations: migrations.slice(0, 1) })).rejects.toMatchObject({
      code: 'store-failed',
      id: 'store.newer',
    });
    const other = join(folder, 'other.db');
    writeFileSync(other, 'this is a text file and not a database at all, however long it may be');
    await expect(openStore<Tables>({ file: other, migrations })).rejects.toMatchObject({ code: 'store-failed' });
  });

  it.skipIf(process.platform === 'win32')(
    'is for its owner alone, with its log and index, whatever the mode it was made with',
    async () => {
      const modes = (): string[] =>
        ['', '-wal', '-shm'].map((end) => (statSync(`${file}${end}`).mode & 0o777).toString(8));
      const store = await openStore<Tables>({ file, migrations });
      expect(modes()).toEqual(['600', '600', '600']);
      expect(statSync(join(folder, 'deep')).mode & 0o777).toBe(0o700);
      // as an earlier version left them, while another connection keeps the log
      for (const end of ['', '-wal', '-shm']) chmodSync(`${file}${end}`, 0o644);
      const again = await openStore<Tables>({ file, migrations });
      expect(modes()).toEqual(['600', '600', '600']);
      await again.close();
      await store.close();
    },
  );

  it('makes no file of a database in memory', async () => {
    const store = await openStore<Tables>({ file: ':memory:', migrations });
    expect(existsSync(':memory:')).toBe(false);
    await store.close();
  });

  it('reports a full disk as the reason, and keeps what was committed', async () => {
    const store = await openStore<Tables>({ file, migrations });
    await store.db.insertInto('things').values({ id: 1, text: 'kept' }).execute();
    const pages = (await sql<{ page_count: number }>`pragma page_count`.execute(store.db)).rows[0]?.page_count ?? 0;
    await sql.raw(`pragma max_page_count = ${pages + 1}`).execute(store.db);
    const failed = await store.db
      .transaction()
      .execute(async (trx) => {
        for (let id = 2; id < 200; id += 1)
          await trx
            .insertInto('things')
            .values({ id, text: 'x'.repeat(1_000) })
            .execute();
      })
      .catch((error: unknown) => toFailure(error));
    expect(failed).toMatchObject({ code: 'disk-full' });
    expect(await store.db.selectFrom('things').select('id').execute()).toEqual([{ id: 1 }]);
    await store.close();
  });
});

// A shell's limit for the size of a file. SQLite has one error for it and for a spent quota.
it.skipIf(process.platform === 'win32')(
  'a database says what stops it at a limit of file sizes, and the process goes on',
  () => {
    const file = join(folder, 'limited.db');
    const of = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href);
    const code = `
    import { surviveFileLimit } from ${of('../infrastructure/file-limit.ts')};
    import { openStore } from ${of('./store.ts')};
    import { toFailure } from ${of('../../contract/index.ts')};
    surviveFileLimit();
    const { sqlite, close } = await openStore({ file: ${JSON.stringify(file)}, migrations: [] });
    sqlite.exec('create table things (text)');
    const add = () => sqlite.prepare('insert into things values (?)').run('x'.repeat(2_000_000));
    try { add(); } catch (error) { console.log(toFailure(error).code, toFailure(error).message); }
    console.log(sqlite.prepare('select count(*) from things').pluck().get());
    await close();`;
    const limited = 'ulimit -f 1000; exec "$0" --input-type=module -e "$1"';
    const { stdout, stderr } = spawnSync('sh', ['-c', limited, process.execPath, code], { encoding: 'utf8' });
    expect(stdout, stderr).toBe('store-failed The database in the data folder cannot be used: disk I/O error\n0\n');
  },
);

describe.skipIf(process.platform === 'win32')('a database whose files go while it is open', () => {
  const add = (db: Kysely<Tables>, id: number) => db.insertInto('things').values({ id, text: 'x' }).execute();
  const removed = { id: 'store.removed', code: 'store-failed' };

  it.each(['', '-wal'])('takes nothing more that would be lost, and goes on when they are back: *%s', async (end) => {
    const store = await openStore<Tables>({ file, migrations });
    await add(store.db, 1);
    renameSync(`${file}${end}`, `${file}.away`);
    await expect(add(store.db, 2)).rejects.toMatchObject(removed);
    await expect(store.db.transaction().execute((db) => add(db as never, 3))).rejects.toMatchObject(removed);
    expect(() => store.requirePresent()).toThrow(expect.objectContaining(removed));
    renameSync(`${file}.away`, `${file}${end}`);
    await add(store.db, 4);
    await store.close();
  });

  it('keeps what was stored where its log alone is removed', async () => {
    const store = await openStore<Tables>({ file, migrations });
    await add(store.db, 1);
    rmSync(`${file}-wal`);
    await expect(add(store.db, 2)).rejects.toMatchObject(removed);
    const other = join(folder, 'copy.db');
    copyFileSync(file, other);
    const copy = await openStore<Tables>({ file: other, migrations });
    expect(await copy.db.selectFrom('things').select('id').execute()).toEqual([{ id: 1 }]);
    await copy.close();
    await store.close();
  });

  it('takes nothing more where another file stands in its place', async () => {
    const store = await openStore<Tables>({ file, migrations });
    await add(store.db, 1);
    copyFileSync(file, `${file}.copy`);
    renameSync(`${file}.copy`, file);
    await expect(add(store.db, 2)).rejects.toMatchObject(removed);
    await store.close();
  });
});
