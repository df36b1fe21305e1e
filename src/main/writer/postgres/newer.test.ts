import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { openWriterStore } from '../storage/store.ts';
import { createDatabase } from '../test-support/postgres.ts';

it('a database of a newer program is refused as such, and opens again once its step is known', async () => {
  const url = await createDatabase(inject('postgres') ?? '');
  await (await openWriterStore('', url)).close();
  const client = new pg.Client(url);
  await client.connect();
  try {
    const later = 'writer-9999-later';
    await client.query('insert into kysely_migration (name, timestamp) values ($1, $2)', [later, '2099-01-01']);
    const tables = async () => (await client.query('select name from kysely_migration order by name')).rows;
    const before = await tables();
    const refused = await openWriterStore('', url).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'store-failed', id: 'store.newer' });
    expect((refused as Error).message).toContain('databaseUrl');
    expect((refused as Error).message).not.toContain(url);
    expect(await tables()).toEqual(before);
    await client.query('delete from kysely_migration where name = $1', [later]);
  } finally {
    await client.end();
  }
  await (await openWriterStore('', url)).close();
});
