import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { p2pkhScript, satoshis, serializeTx } from '../../../chain/index.ts';
import { systemClock } from '../../clock.ts';
import { WriteQueue } from '../queue/queue.ts';
import { unsignedTx } from '../sending/data-transaction.ts';
import { newTransaction } from '../sending/new-transaction.ts';
import { openWriterStore, type WriterStore } from '../storage/store.ts';
import { createDatabase } from '../test-support/postgres.ts';

const CAP = 100;

let stores: WriterStore[];
beforeEach(async () => {
  const url = await createDatabase(inject('postgres') ?? '');
  stores = [await openWriterStore('', url), await openWriterStore('', url)];
});
afterEach(async () => {
  for (const store of stores) await store.close();
});

it('two processes that journal fees at the same time do not pass the cap of the day together', async () => {
  const queues = stores.map((store) => new WriteQueue(store, 'sandbox', systemClock));
  const both = Promise.withResolvers<void>();
  let begun = 0;
  const spend = (queue: WriteQueue): Promise<void> => {
    const rawTx = serializeTx(unsignedTx([], [{ satoshis: satoshis(0), script: p2pkhScript(new Uint8Array(20)) }]));
    const parts = { kind: 'split', source: 'wallet', state: 'signed', raw_tx: rawTx, fee: 60, documents: 0 } as const;
    return queue.db.transaction().execute(async (db) => {
      // Each of them alone is within the cap, as far as it can see.
      expect(await queue.spentToday(db)).toBe(0);
      begun += 1;
      if (begun === queues.length) both.resolve();
      await both.promise;
      await queue.insertTransactions(db, [{ row: newTransaction(queue, parts), documents: [], firstVout: 0 }], CAP);
    });
  };
  const done = await Promise.allSettled(queues.map(spend));
  expect(done.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(done).toContainEqual({ status: 'rejected', reason: expect.objectContaining({ id: 'writer.daily-cap' }) });
  expect(await queues[0]?.spentToday()).toBe(60);
});
