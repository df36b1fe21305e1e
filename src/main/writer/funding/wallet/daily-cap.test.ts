import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PlanchetError } from '../../../../contract/index.ts';
import { TestHarness } from '../../test-support/harness.ts';
import { PATIENCE_MS, WriterProcesses } from '../../test-support/writer-client.ts';

let writers: WriterProcesses;
beforeEach(async () => {
  writers = await WriterProcesses.open();
});
afterEach(() => writers.close());

describe('the daily cap', () => {
  it('is not passed by a split that was signed while documents were paid for', async () => {
    const harness = new TestHarness(10_000_000);
    const client = await writers.start(harness);
    expect((await client.write('10')).status).toBe(201);
    const spent = async (): Promise<number> => (await client.service.view.status()).spentToday;
    // The miner cannot be reached, so that each document keeps the coin that pays for it.
    harness.beforeSubmit = () => {
      throw new PlanchetError({ code: 'upstream-unreachable', message: 'The merchant API cannot be reached.' });
    };
    let last = 10;
    const pay = async (): Promise<void> => {
      last += 1;
      const { json } = await client.send('POST', '/api/v1/write?wait=accepted', String(last));
      await client.untilState(String(json.id), 'signed');
    };
    const before = await spent();
    await pay();
    const each = (await spent()) - before;
    // With the eighth of sixteen coins spent, half of them are left: the next document begins a split.
    while (last < 18) await pay();
    const cap = (await spent()) + 3 * each + 10;
    client.set({ writerDailySpend: cap });
    const { promise: signing, resolve: reached } = Promise.withResolvers<void>();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { sign } = harness.wallet;
    harness.wallet.sign = async (...args) => {
      reached();
      await held;
      return sign(...args);
    };
    await pay();
    await signing;
    await pay();
    await pay();
    expect(await spent()).toBe(cap - 10);
    release();
    // What the wallet held for the split is free again.
    await expect.poll(() => harness.reservations.size, { timeout: PATIENCE_MS }).toBe(0);
    expect(await spent()).toBe(cap - 10);
    const splits = writers.db.selectFrom('writer_transactions').select('id').where('kind', '=', 'split');
    expect(await splits.execute()).toHaveLength(1);
  });
});
