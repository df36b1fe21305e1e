import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../store/store.ts';
import { StillClock } from '../../test-support/still-clock.ts';
import { Handover } from './handover.ts';
import { Receipts } from './receipts.ts';
import { callbackMigrations } from './tables.ts';

const DAY_MS = 86_400_000;

it('old callbacks that cannot be removed stop nothing, and are removed at the next try', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'planchet-handover-'));
  const store = await openStore({ file: join(folder, 'callbacks.db'), migrations: callbackMigrations });
  const clock = new StillClock(0);
  const receipts = await Receipts.open(store, clock);
  const handover = new Handover({
    receipts,
    read: () => undefined,
    miner: () => undefined,
    answered: async () => undefined,
    isRecorded: async () => false,
    told: () => undefined,
    clock,
    logger: pino({ level: 'silent' }),
  });
  onTestFinished(async () => {
    await handover.stop();
    await receipts.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await receipts.add([{ minerId: 'miner', identity: 'one', signature: 'none', message: '{}' }]);
  receipts.handled(1);
  const kept = () => store.sqlite.prepare('select count(*) from callback_receipts').pluck().get();
  clock.advance(8 * DAY_MS);
  store.sqlite.exec(
    "create trigger full before delete on callback_receipts begin select raise(abort, 'database or disk is full'); end",
  );
  handover.start();
  clock.advance(DAY_MS);
  expect(kept()).toBe(1);
  store.sqlite.exec('drop trigger full');
  clock.advance(3_600_000);
  expect(kept()).toBe(0);
});
