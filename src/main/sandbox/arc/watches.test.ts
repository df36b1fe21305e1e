import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openStore } from '../../store/store.ts';
import { StillClock } from '../../test-support/still-clock.ts';
import type { SandboxTables } from '../tables.ts';
import { arcMigrations } from './tables.ts';
import { ArcWatches, type ArcWatchesOptions } from './watches.ts';

it('more watches of a transaction than a call takes arguments are found', async () => {
  const opened = await openStore<SandboxTables>({ file: ':memory:', migrations: arcMigrations });
  const { db } = opened;
  const txid = 'ab'.repeat(32);
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000)
    insert into arc_watches select i, ${txid}, 'http://127.0.0.1:9/' || i, '', 0, 0 from n`.execute(db);
  const watches = await ArcWatches.open({ db, clock: new StillClock(0) } as unknown as ArcWatchesOptions);
  const seen = { txid, status: 'SEEN_ON_NETWORK', extraInfo: '', competing: [] } as const;
  const write = await watches.messagesFor([{ ...seen, blockHash: '', blockHeight: 0, changedAt: 0 }]);
  await write(db);
  // Nobody asked for this status.
  expect(await db.selectFrom('arc_callbacks').selectAll().execute()).toEqual([]);
  await opened.close();
});
