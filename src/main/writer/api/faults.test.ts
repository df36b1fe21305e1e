import { afterEach, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { satoshis as satoshisOf } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { WriteQueue } from '../queue/queue.ts';
import { type Place, TestHarness } from '../test-support/harness.ts';
import { PATIENCE_MS, scriptOf, WriterProcesses, written } from '../test-support/writer-client.ts';

const both: [string, boolean][] = [
  ['on', true],
  ['off', false],
];
const isLong = process.env.PLANCHET_LONG !== undefined;
const isOnPostgres = inject('postgres') !== undefined;
/** Both in the long run, where one of them is shown on PostgreSQL too; else one, on SQLite alone. */
const ways = both.slice(0, isLong ? (isOnPostgres ? 1 : 2) : isOnPostgres ? 0 : 1);
describe.each(ways)('with the fast accept switched %s', (_, fastAccept) => {
  let writers: WriterProcesses;
  beforeEach(async () => {
    writers = await WriterProcesses.open({ fastAccept });
  });
  afterEach(() => writers.close());

  describe('the writer handles', () => {
    it('a database that answers no more once the document is stored: 202, since an error would have it sent again', async () => {
      const harness = new TestHarness(1_000_000);
      const client = await writers.start(harness);
      const asked = vi.spyOn(WriteQueue.prototype, 'transaction').mockRejectedValue(new Error('connection lost'));
      onTestFinished(() => asked.mockRestore());
      const { json, headers } = await client.write('1');
      expect(json).toMatchObject({ status: 202, id: expect.any(String), state: 'submitted' });
      expect(headers.location).toBe(`/api/v1/writes/${json.id}`);
      asked.mockRestore();
      await client.untilState(String(json.id), 'submitted', 'seen');
      expect(written(harness)).toEqual([scriptOf('1')]);
    });

    it('too little money: 400 with code 13, and the coins stay free', async () => {
      const harness = new TestHarness(50);
      const client = await writers.start(harness);
      expect((await client.write('{}')).json).toMatchObject({ status: 400, code: 13 });
      expect(harness.balance).toBe(50);
      expect(harness.reservations.size).toBe(0);
    });

    it('too little money: the next is written when more has come', async () => {
      const harness = new TestHarness(50);
      const client = await writers.start(harness);
      expect((await client.write('1')).json).toMatchObject({ status: 400, code: 13 });
      harness.grant(harness.wallet.lockingScript(), 1_000_000);
      expect((await client.write('2')).json).toMatchObject({ status: 201 });
      expect(written(harness)).toEqual([scriptOf('2')]);
    });

    it.each([300, 3_000])(
      'the cap of a day, %i satoshis: no more is spent, coins split ahead of need included, and the rest waits',
      async (cap) => {
        const harness = new TestHarness(1_000_000);
        const client = await writers.start(harness, {
          settings: { writerDailySpend: cap, writerPoolCoinSatoshis: 700 },
        });
        const bodies = Array.from({ length: 40 }, (_, n) => `{"n":${n}}`);
        const ids: string[] = [];
        for (const body of bodies) {
          ids.push(String((await client.send('POST', '/api/v1/write?wait=accepted', body)).json.id));
        }
        await expect
          .poll(async () => (await client.service.view.status()).degraded?.message, { timeout: PATIENCE_MS })
          .toContain('writerDailySpend');
        const { spentToday } = await client.service.view.status();
        const left = [...harness.coins.values()].reduce((sum, coin) => sum + coin.satoshis, 0);
        expect(1_000_000 - left).toBeLessThanOrEqual(spentToday);
        expect(spentToday).toBeLessThanOrEqual(cap);
        expect(spentToday).toBeGreaterThan(cap / 2);
        client.set({ writerDailySpend: 1_000_000 });
        for (const id of ids) await client.untilState(id, 'submitted', 'seen');
        expect(written(harness).sort()).toEqual(bodies.map((body) => scriptOf(body)).sort());
      },
    );

    it('a low cap of a fee: coins are split within it', async () => {
      const harness = new TestHarness(10_000_000);
      const client = await writers.start(harness, { settings: { maxFeeSatoshis: 200 } });
      const replies = await Promise.all(Array.from({ length: 100 }, (_, n) => client.write(`${n}`)));
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]));
    });

    it('a fee over the cap: 400 with code 13', async () => {
      const harness = new TestHarness(10_000_000);
      const client = await writers.start(harness, { settings: { maxFeeSatoshis: 200 } });
      const reply = await client.write(JSON.stringify('x'.repeat(1_000)));
      expect(reply.json).toMatchObject({ status: 400, code: 13, error: expect.stringContaining('maxFeeSatoshis') });
      const { documents } = await client.service.view.documents.list({ state: 'dead', order: 'desc', limit: 10 });
      // A page in another language says it from its own catalogue.
      expect(documents).toMatchObject([
        { reason: expect.stringContaining('over the cap'), failure: { id: 'writer.fee-too-high' } },
      ]);
      // At most a split within the cap is on its way.
      await expect.poll(() => harness.reservations.size, { timeout: PATIENCE_MS }).toBe(0);
    });

    it('a refusal by the miner: 400 with code 16, its reason, and the coins free again', async () => {
      const harness = new TestHarness(100_000);
      const client = await writers.start(harness);
      await client.write('{}');
      harness.beforeSubmit = () => {
        throw new PlanchetError({ code: 'rejected', message: 'The miner refused the transaction: bad-txns' });
      };
      const reply = await client.write('{}');
      expect(reply.json).toMatchObject({ status: 400, code: 16, error: expect.stringContaining('bad-txns') });
      expect(harness.reservations.size).toBe(0);
      harness.beforeSubmit = () => {};
      expect((await client.write('{}')).status).toBe(201);
    });

    it('a miner that takes the transaction and answers with a refusal: it counts as taken', async () => {
      const harness = new TestHarness(100_000);
      const client = await writers.start(harness);
      harness.afterSubmit = () => {
        throw new PlanchetError({ code: 'rejected', message: 'Missing inputs' });
      };
      expect((await client.write('{}')).status).toBe(201);
      expect(written(harness)).toHaveLength(1);
    });

    it('a coin for splitting that somebody else has spent: the document waits for another split', async () => {
      const harness = new TestHarness(100_000);
      const client = await writers.start(harness);
      harness.beforeSubmit = () => {
        harness.beforeSubmit = () => {};
        throw new PlanchetError({ code: 'rejected', message: 'tx rejected: double spent' });
      };
      expect((await client.write('{}')).json).toMatchObject({ status: 201 });
      expect(harness.reservations.size).toBe(0);
    });

    it('a miner that is away: 202, and the same transaction is sent when it is back', async () => {
      const harness = new TestHarness(100_000);
      const client = await writers.start(harness, { settings: { writerWait: '30s' } });
      await client.write('0');
      let away = true;
      harness.beforeSubmit = () => {
        if (away)
          throw new PlanchetError({ code: 'upstream-unreachable', message: 'The merchant API cannot be reached.' });
      };
      const reply = await client.write('{"a":1}', { 'idempotency-key': 'k' });
      expect(reply.json).toMatchObject({
        status: 202,
        state: 'signed',
        reason: expect.stringContaining('cannot be reached'),
      });
      expect(reply.headers.location).toBe(`/api/v1/writes/${String(reply.json.id)}`);
      const degraded = async () => (await client.service.view.status()).degraded;
      expect(await degraded()).toMatchObject({ code: 'upstream-unreachable' });
      away = false;
      const done = await client.untilState(String(reply.json.id), 'submitted', 'seen');
      await expect.poll(degraded, { timeout: PATIENCE_MS }).toBeNull();
      expect(done.txid).toBe(reply.json.txid);
      expect(written(harness)).toHaveLength(2);
      expect((await client.write('{"a":1}', { 'idempotency-key': 'k' })).json).toEqual({
        status: 201,
        txid: done.txid,
      });
    });

    it('a miner that is away when coins are to be split: all that waits says so, and when it is tried again', async () => {
      const harness = new TestHarness(100_000);
      const client = await writers.start(harness);
      let away = true;
      harness.beforeSubmit = () => {
        if (away)
          throw new PlanchetError({ code: 'upstream-error', message: 'The merchant API answered with HTTP 503.' });
      };
      const { json } = await client.send('POST', '/api/v1/write?wait=accepted', '1');
      const reasonOf = async () => (await client.send('GET', `/api/v1/writes/${String(json.id)}`)).json.reason;
      await expect.poll(reasonOf, { timeout: PATIENCE_MS }).toContain('HTTP 503');
      // Also between two attempts.
      for (let n = 0; n < 10; n++) {
        expect((await client.service.view.documents.get({ id: String(json.id) })).reason).toContain('HTTP 503');
        expect((await client.service.view.status()).degraded?.message).toContain('HTTP 503');
        const { documents } = await client.service.view.documents.list({ order: 'desc', limit: 1 });
        expect(documents).toMatchObject([{ reason: expect.stringContaining('HTTP 503') }]);
        const { nextAttemptAt } = await client.service.view.status();
        expect(nextAttemptAt).toBeGreaterThan(0);
        expect(Date.parse(documents[0]?.nextAttemptAt ?? '')).toBeGreaterThan(0);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      away = false;
      await client.untilState(String(json.id), 'submitted', 'seen');
      expect(await reasonOf()).toBeNull();
    });

    it('coins that something else holds for a moment: the document waits for them', async () => {
      const harness = new TestHarness(100_000);
      const client = await writers.start(harness, { settings: { writerWait: '30s' } });
      await harness.wallet.reserve('somebody', satoshisOf(1_000), () => satoshisOf(0));
      const reply = await client.write('{}');
      expect(reply.json).toMatchObject({ status: 202, state: 'accepted' });
      await harness.wallet.release('somebody');
      await client.untilState(String(reply.json.id), 'submitted', 'seen');
    });

    it('a miner that forgets two documents, one paid with the change of the other: that change pays for no third', async () => {
      const harness = new TestHarness(5_000);
      const client = await writers.start(harness, { settings: { writerPoolCoins: 1, writerPoolCoinSatoshis: 4_000 } });
      const txids = [await client.write('1'), await client.write('2')].map(({ json }) => String(json.txid));
      for (const txid of txids.toReversed()) harness.forget(txid);
      const scripts = (...bodies: string[]) => bodies.map((body) => scriptOf(body)).sort();
      // the second waits for the first where it was looked for alone, since nothing has its coin then
      await expect.poll(() => written(harness).sort(), { timeout: PATIENCE_MS }).toEqual(scripts('1', '2'));
      expect((await client.write('3')).json).toMatchObject({ status: 201 });
      expect(written(harness).sort()).toEqual(scripts('1', '2', '3'));
    });

    it('a miner that forgets a document it took: it is sent again', async () => {
      const harness = new TestHarness(100_000);
      const client = await writers.start(harness);
      const reply = await client.write('{}');
      harness.forget(String(reply.json.txid));
      await expect.poll(() => harness.mempool.has(String(reply.json.txid)), { timeout: PATIENCE_MS }).toBe(true);
      expect(written(harness)).toEqual([scriptOf('{}')]);
    });
  });
});

// The fast accept takes no part in these: it answers alone who waits for the disk and no longer.
describe('a writer process that is killed', () => {
  let writers: WriterProcesses;
  beforeEach(async () => {
    writers = await WriterProcesses.open();
  });
  afterEach(() => writers.close());

  const places: [Place, 'before' | 'after'][] = (['feeQuote', 'reserve', 'sign', 'submit', 'observe'] as const).flatMap(
    (place) => [[place, 'before'] as [Place, 'before'], [place, 'after'] as [Place, 'after']],
  );
  // The next process waits for the claim of the dead one on PostgreSQL: all of them in the long run, else those around the submission.
  const chosen = isOnPostgres && !isLong ? places.filter(([place]) => place === 'submit') : places;
  it.each(chosen)('at %s, %s it took effect, loses nothing and writes nothing twice', async (place, when) => {
    const harness = new TestHarness(100_000, 100_000);
    const dying = await writers.start(harness, { settings: { writerWait: '5s' } });
    const reached = harness.freezeAt(place, when);
    const reply = dying.write('{"precious":true}', { 'idempotency-key': 'once' });
    await reached;
    const { id } = (await reply).json;
    await dying.service.stop();

    const client = await writers.start(harness);
    const done = await client.untilState(String(id), 'submitted', 'seen');
    expect(written(harness)).toEqual([scriptOf('{"precious":true}')]);
    expect(harness.reservations.size).toBe(0);
    const again = await client.write('{"precious":true}', { 'idempotency-key': 'once' });
    expect(again.json).toEqual({ status: 201, txid: done.txid });
    expect(written(harness)).toHaveLength(1);
  });

  it('with documents waiting, writes each of them once at the next start', async () => {
    const harness = new TestHarness(200_000);
    const dying = await writers.start(harness, { settings: { writerWait: '5s' } });
    const reached = harness.freezeAt('submit', 'after');
    const replies = Promise.all(Array.from({ length: 10 }, (_, n) => dying.write(`${n}`)));
    await reached;
    const ids = (await replies).map(({ json }) => String(json.id));
    await dying.service.stop();
    const client = await writers.start(harness);
    for (const id of ids) await client.untilState(id, 'submitted', 'seen');
    expect(written(harness).sort()).toEqual(Array.from({ length: 10 }, (_, n) => scriptOf(`${n}`)).sort());
  });
});
