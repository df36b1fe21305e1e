import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWriterStore } from '../storage/store.ts';
import { TestFundingService } from '../test-support/funding-service.ts';
import { TestHarness } from '../test-support/harness.ts';
import {
  API_KEY,
  PATIENCE_MS,
  scriptOf,
  type WriterClient,
  WriterProcesses,
  written,
} from '../test-support/writer-client.ts';

/** Short, so that work of a machine that is gone is soon taken over (milliseconds of the tests' clock). */
const CLAIM_MS = 5_000;
const otherPoolKey = Uint8Array.from(Buffer.from('7'.padStart(64, '0'), 'hex'));

let harness: TestHarness;
let service: TestFundingService;
/** Two machines with one database. */
let here: WriterProcesses;
let there: WriterProcesses;
beforeEach(async () => {
  harness = new TestHarness();
  service = await TestFundingService.open(harness, API_KEY);
  here = await WriterProcesses.open();
  there = await WriterProcesses.sharing(here);
});
afterEach(async () => {
  await here.close();
  await there.close();
  await service.close();
});

async function start(machine: WriterProcesses, options: object = {}): Promise<WriterClient> {
  const settings = { writerFunding: 'service', fundingUrl: service.url, fundingTimeout: '2s' } as const;
  return machine.start(harness, { settings, options: { claimMs: CLAIM_MS, ...options } });
}

const signersOf = ({ secrets }: WriterProcesses): string[] =>
  [...secrets.keys()].filter((name) => name.startsWith('signer:'));

describe('an API key registered on one of two machines with one database', () => {
  it('writes on the other too, where that has the same wallet', async () => {
    const first = await start(here);
    await first.service.view.keys.register({ apiKey: API_KEY });
    const second = await start(there);
    expect(signersOf(there)).toEqual([]);
    expect((await second.write('1')).status).toBe(201);
    await first.service.stop();
    expect((await second.write('2')).status).toBe(201);
    expect(written(harness)).toEqual([scriptOf('1'), scriptOf('2')]);
  });

  it('is registered on the other without a request to the service, and refused there a second time', async () => {
    const first = await start(here);
    const key = await first.service.view.keys.register({ apiKey: API_KEY });
    const second = await start(there);
    await service.close();
    expect(await second.service.view.keys.register({ apiKey: API_KEY })).toEqual(key);
    expect(signersOf(there)).toEqual(signersOf(here));
    await expect(second.service.view.keys.register({ apiKey: API_KEY })).rejects.toMatchObject({
      code: 'conflict',
      hint: 'It can be used as it is.',
    });
    await service.listen(0);
  });

  it('may be registered by both at the same time', async () => {
    const [first, second] = [await start(here), await start(there)];
    const [one, other] = await Promise.all([
      first.service.view.keys.register({ apiKey: API_KEY }),
      second.service.view.keys.register({ apiKey: API_KEY }),
    ]);
    expect(one.publicKey).toBe(other.publicKey);
    expect(await first.service.view.keys.list()).toHaveLength(1);
  });

  it('is sealed in the database, and gone from it when it is revoked and nothing waits for it', async () => {
    const first = await start(here);
    const { keyId } = await first.service.view.keys.register({ apiKey: API_KEY });
    const store = await openWriterStore('', here.databaseUrl);
    const sealed = async () =>
      (await store.db.selectFrom('writer_keys').selectAll().executeTakeFirst())?.sealed_api_key;
    try {
      const text = (await sealed()) ?? '';
      expect(text.length).toBeGreaterThan(API_KEY.length);
      expect(`${text} ${Buffer.from(text, 'base64').toString('latin1')}`).not.toContain(API_KEY);
      await first.service.view.keys.revoke({ keyId });
      expect(await sealed()).toBeNull();
    } finally {
      await store.close();
    }
    expect((await (await start(there)).write('1')).status).toBe(401);
  });

  it.each(['/txTemplates', '/submitTransactions'])(
    'is left to it by a machine with another wallet, which says so: no document dies (%s failed)',
    async (path) => {
      const first = await start(here);
      await first.service.view.keys.register({ apiKey: API_KEY });
      service.fail = (asked) => (asked === path ? { status: 503, when: 'before' } : undefined);
      const { id } = (await first.send('POST', '/api/v1/write?wait=accepted', '1')).json;
      await first.untilState(String(id), path === '/txTemplates' ? 'accepted' : 'signed');
      await first.service.stop();
      service.fail = () => undefined;
      const asked = service.queries.length;
      const second = await start(there, { poolKey: () => otherPoolKey });
      const degraded = async () => (await second.service.view.status()).degraded;
      await expect.poll(degraded, { timeout: PATIENCE_MS }).toMatchObject({
        code: 'api-key-missing',
        hint: 'Start the machine that registered their API key, or restore its wallet here.',
      });
      expect((await second.service.view.status()).states.dead).toBe(0);
      expect([service.submitted.length, service.queries.length]).toEqual([0, asked]);
      expect((await second.write('2')).json).toMatchObject({ status: 503, code: 13 });
      await expect(second.service.view.keys.register({ apiKey: API_KEY })).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('Another machine has registered this API key'),
        hint: expect.stringMatching(/wallet here is another one: restore the wallet of that machine/),
      });
      const again = await start(here);
      await again.untilState(String(id), 'submitted', 'seen');
      expect(written(harness)).toEqual([scriptOf('1')]);
      await expect.poll(degraded, { timeout: PATIENCE_MS }).toBeNull();
    },
  );
});
