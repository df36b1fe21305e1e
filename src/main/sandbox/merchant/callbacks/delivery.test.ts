import type { Kysely } from 'kysely';
import { describe, expect, it } from 'vitest';
import { toHex, txidOf } from '../../../../chain/index.ts';
import type { SandboxTables } from '../../tables.ts';
import { spend, submit } from '../../test-support/merchant.ts';
import type { TestSandbox } from '../../test-support/open-sandbox.ts';
import { messageOf, sandboxesAndReceivers } from '../../test-support/receiver.ts';

const { open, receive } = sandboxesAndReceivers();

describe('the delivery of callbacks', () => {
  it('retries until the receiver accepts the message, also after a restart', async () => {
    const [sandbox, receiver] = [await open(), await receive()];
    receiver.status = 503;
    const raw = spend(await sandbox.coin());
    await submit(sandbox, raw, { callbackUrl: receiver.url, merkleProof: true });
    await sandbox.service.mine({ blocks: 1 });
    await receiver.next(1);
    await expect.poll(async () => (await sandbox.service.status()).callbacks).toEqual({ waiting: 1, givenUp: 0 });
    await sandbox.restart();
    receiver.status = 204;
    // the next attempt is counted from when the started service has read what waits
    await expect
      .poll(async () => {
        sandbox.clock.advance(5_000);
        return (await sandbox.service.status()).callbacks.waiting;
      })
      .toBe(0);
    expect(messageOf((await receiver.next(2)).body).message.callbackTxId).toBe(txidOf(raw));
  });

  it('reports after a start what happened while it was stopped', async () => {
    const [sandbox, receiver] = [await open(), await receive()];
    const raw = spend(await sandbox.coin());
    await submit(sandbox, raw, { callbackUrl: receiver.url, merkleProof: true });
    receiver.silent = true;
    await sandbox.service.mine({ blocks: 1 });
    await receiver.next(1);
    await sandbox.service.stop();
    await sandbox.edit(async (db) => {
      await db.deleteFrom('mapi_callbacks').execute();
      await db.updateTable('mapi_watches').set({ proven_block: null, proven_height: null }).execute();
    });
    receiver.silent = false;
    await sandbox.service.start();
    expect(messageOf((await receiver.next(2)).body).message.callbackTxId).toBe(txidOf(raw));
  });

  it('is not delayed by receivers that are slow or unreachable', async () => {
    const [sandbox, slow, gone, good] = [await open(), await receive(), await receive(), await receive()];
    slow.silent = true;
    const goneUrl = gone.url;
    await gone.close();
    for (const callbackUrl of [slow.url, slow.url, goneUrl, good.url, good.url]) {
      await submit(sandbox, spend(await sandbox.coin()), { callbackUrl, merkleProof: true });
    }
    await sandbox.service.mine({ blocks: 1 });
    await good.next(2);
    // the slow one has not answered its first message, so it was not sent its second
    expect(slow.got).toHaveLength(1);
  });

  it.each([
    ['gives no answer', 'silent'],
    ['breaks the connection', 'reset'],
    ['answers 500', 500],
  ] as const)('continues with other URLs of a host if one %s', async (_what, trouble) => {
    const [sandbox, receiver] = [await open(), await receive()];
    receiver.troubles.set('/bad', trouble);
    // The messages for the bad address come first, and outnumber what is sent at once.
    const paths = [...Array.from({ length: 12 }, () => '/bad'), ...Array.from({ length: 12 }, (_, n) => `/good/${n}`)];
    for (const path of paths) {
      const raw = spend(await sandbox.coin(20_000));
      await submit(sandbox, raw, { callbackUrl: `${receiver.url}${path}`, merkleProof: true });
    }
    await sandbox.service.mine({ blocks: 1 });
    const good = () => receiver.got.filter(({ path }) => path !== '/bad').length;
    await expect.poll(good).toBe(12);
    // No time passed: nothing waited for the bad address.
    await expect.poll(async () => (await sandbox.service.status()).callbacks.waiting).toBe(12);
    receiver.troubles.clear();
    await expect
      .poll(
        async () => {
          sandbox.clock.advance(1_000);
          return (await sandbox.service.status()).callbacks;
        },
        { timeout: 30_000 },
      )
      .toEqual({ waiting: 0, givenUp: 0 });
    expect(new Set(receiver.got.map(({ body }) => messageOf(body).message.callbackTxId)).size).toBe(24);
  });

  it('reaches a URL even if more URLs of its host hang than are sent to at once', async () => {
    const [sandbox, receiver] = [await open(), await receive()];
    for (let n = 0; n < 10; n++) receiver.troubles.set(`/hangs/${n}`, 'silent');
    const paths = [...receiver.troubles.keys(), ...receiver.troubles.keys(), '/good'];
    for (const path of paths) {
      const raw = spend(await sandbox.coin(20_000));
      await submit(sandbox, raw, { callbackUrl: `${receiver.url}${path}`, merkleProof: true });
    }
    await sandbox.service.mine({ blocks: 1 });
    await receiver.next(8);
    // What hangs is set aside after its second, together with the next message for the same address.
    sandbox.clock.advance(1_000);
    await expect.poll(() => receiver.got.map(({ path }) => path)).toContain('/good');
    expect(receiver.most).toBe(8);
    const before = receiver.got.slice(0, 11).map(({ path }) => path);
    expect(new Set(before).size).toBe(11);
  });

  it('drops messages while the fault callbacks-lost is enabled', async () => {
    const [sandbox, receiver] = [await open(), await receive()];
    await sandbox.service.faults.set({ name: 'callbacks-lost', value: 0, times: 1, area: 'all' });
    for (const n of [1, 2]) {
      await submit(sandbox, spend(await sandbox.coin(100_000 + n)), { callbackUrl: receiver.url, merkleProof: true });
    }
    await sandbox.service.mine({ blocks: 1 });
    await receiver.next(1);
    await expect.poll(async () => (await sandbox.service.status()).callbacks.waiting).toBe(0);
    expect(receiver.got).toHaveLength(1);
    expect((await sandbox.service.status()).faults).toEqual([]);
  });

  it('sends messages to a receiver one by one and in order, over several batches', async () => {
    const [sandbox, one, other] = [await open({ maxRequestsPerSecond: 0 }), await receive(), await receive()];
    const elements = [];
    for (let n = 0; n < 120; n++) {
      const callbackUrl = n % 2 === 0 ? one.url : other.url;
      elements.push({ rawTx: toHex(spend(await sandbox.coin(20_000))), callbackUrl, merkleProof: true });
    }
    const { body } = await sandbox.mapi('POST', '/txs', elements);
    expect(JSON.parse(body.payload).failureCount).toBe(0);
    await sandbox.service.mine({ blocks: 1 });
    for (const receiver of [one, other]) {
      await receiver.next(60);
      expect(receiver.most).toBe(1);
      const places = receiver.got.map((got) => messageOf(got.body).payload.index as number);
      expect(places).toEqual([...places].sort((a, b) => a - b));
      expect(new Set(places).size).toBe(60);
    }
  });

  it('backs off after each failure, up to ten minutes, and gives up after the last attempt', async () => {
    const [sandbox, receiver] = [await open(), await receive()];
    receiver.status = 500;
    await submit(sandbox, spend(await sandbox.coin()), { callbackUrl: receiver.url, merkleProof: true });
    await sandbox.service.mine({ blocks: 1 });
    for (let attempt = 1; attempt < 32; attempt++) {
      const message = await expect
        .poll(() => queued(sandbox), { interval: 5 })
        .toMatchObject({ attempts: attempt, state: 'waiting', last_error: 'answered 500' })
        .then(() => queued(sandbox));
      const wait = (message?.next_at as number) - sandbox.clock.now();
      expect(wait).toBe(Math.min(600_000, 1_000 * 2 ** (attempt - 1)));
      expect(receiver.got).toHaveLength(attempt);
      sandbox.clock.advance(wait);
    }
    await expect.poll(async () => (await sandbox.service.status()).callbacks).toEqual({ waiting: 0, givenUp: 1 });
    sandbox.clock.advance(3_600_000);
    await sandbox.restart();
    expect(receiver.got).toHaveLength(32);
  });

  it('gives a receiver one second, and three after a failure', async () => {
    const [sandbox, receiver] = [await open(), await receive()];
    receiver.silent = true;
    await submit(sandbox, spend(await sandbox.coin()), { callbackUrl: receiver.url, merkleProof: true });
    await sandbox.service.mine({ blocks: 1 });
    for (const [attempt, limit] of [
      [1, 1_000],
      [2, 3_000],
    ] as const) {
      await receiver.next(attempt);
      sandbox.clock.advance(limit - 1);
      expect(await queued(sandbox)).toMatchObject({ attempts: attempt - 1 });
      sandbox.clock.advance(1);
      const last_error = `gave no answer within ${limit} ms`;
      await expect.poll(() => queued(sandbox)).toMatchObject({ attempts: attempt, last_error });
      sandbox.clock.advance(1_000);
    }
  });

  it('skips private addresses once they are refused, also for earlier submissions', async () => {
    const [sandbox, receiver] = [await open(), await receive()];
    await submit(sandbox, spend(await sandbox.coin()), { callbackUrl: receiver.url, merkleProof: true });
    sandbox.set({ refusePrivateCallbacks: true });
    await sandbox.service.mine({ blocks: 1 });
    await expect
      .poll(() => queued(sandbox))
      .toMatchObject({ attempts: 1, last_error: 'callbackUrl is a private address' });
    sandbox.set({ refusePrivateCallbacks: false });
    sandbox.clock.advance(1_000);
    await receiver.next(1);
    expect(receiver.got).toHaveLength(1);
  });
});

/** The only message that waits, as the database has it. */
function queued({ service }: TestSandbox) {
  const db = service.node.db as unknown as Kysely<SandboxTables>;
  return db.selectFrom('mapi_callbacks').selectAll().executeTakeFirst();
}
