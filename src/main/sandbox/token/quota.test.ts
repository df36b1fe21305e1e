import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refused, TestSandbox } from '../test-support/open-sandbox.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await TestSandbox.open();
});
afterAll(() => sandbox.remove());

describe('the mint quota', () => {
  it('is counted by key and month, and refuses before anything is built', async () => {
    const own = await TestSandbox.open({ monthlyMintLimit: 2 });
    try {
      expect((await own.token('GET', '/quota')).body).toEqual({
        success: true,
        data: {
          apiKey: own.service.apiKey(),
          startDate: '2026-11-01T00:00:00.000Z',
          endDate: '2026-11-30T23:59:59.999Z',
          monthlyMintLimit: 2,
          totalUsed: 0,
          available: 2,
        },
      });
      const waiting = await own.prepareMint();
      const first = await own.prepareMint();
      const second = await own.prepareMint();
      for (const { transactionUid, tx } of [first, second]) await own.token('POST', '/submit', { transactionUid, tx });
      const over = await own.createTransaction(second.projectUid, [await own.createOutput(second.projectUid)]);
      expect(over).toMatchObject(refused(403, 'quota-exceeded'));
      expect(
        await own.token('POST', '/submit', { transactionUid: waiting.transactionUid, tx: waiting.tx }),
      ).toMatchObject(refused(403, 'quota-exceeded'));
      expect((await own.token('GET', '/quota')).body.data).toMatchObject({ totalUsed: 2, available: 0 });

      own.clock.advance(10 * 24 * 3_600_000);
      expect((await own.token('GET', '/quota')).body.data).toMatchObject({
        startDate: '2026-12-01T00:00:00.000Z',
        totalUsed: 0,
      });
      expect(
        await own.token('POST', '/submit', { transactionUid: waiting.transactionUid, tx: waiting.tx }),
      ).toMatchObject({
        status: 200,
      });
    } finally {
      await own.remove();
    }
  });

  it('is returned for several keys of one user, in order, and not for those of others', async () => {
    const own = sandbox.service.apiKey();
    const second = (await sandbox.admin('POST', '/keys', {})).body.data.apiKey;
    const foreign = (await sandbox.admin('POST', '/keys', { sameUser: false })).body.data.apiKey;
    const ask = (apiKeys: unknown, apikey = own) =>
      sandbox.send('POST', '/console/v1/quota/keys', { apiKeys }, { apikey });
    const { body } = await ask([second, own]);
    expect(body.data.map(({ apiKey }: { apiKey: string }) => apiKey)).toEqual([second, own]);
    expect(body.data[0]).toMatchObject({ totalUsed: 0, available: 10_000 });
    expect((await ask([own, second], second)).status).toBe(200);
    expect(await ask([own, foreign])).toMatchObject(refused(403, 'api-key-foreign'));
    expect(await ask([own, 'unknown'])).toMatchObject(refused(403, 'api-key-foreign'));
    expect(await ask([])).toMatchObject(refused(400, 'invalid-request'));
    expect((await sandbox.token('POST', '/quota/keys', { apiKeys: [own] })).status).toBe(200);
  });
});
