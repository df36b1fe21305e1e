import { describe, expect, it } from 'vitest';
import { parseTx, txidOf } from '../../../chain/index.ts';
import { spend } from '../test-support/merchant.ts';
import type { TestSandbox } from '../test-support/open-sandbox.ts';
import { type Receiver, sandboxesAndReceivers } from '../test-support/receiver.ts';

const { open, receive } = sandboxesAndReceivers();

const asked = (receiver: Receiver, others: Record<string, string> = {}) => ({
  'x-callbackurl': receiver.url,
  'x-callbacktoken': 'secret',
  ...others,
});
const bodies = ({ got }: Receiver) => got.map(({ body }) => JSON.parse(body.toString('utf8')));
const statuses = (receiver: Receiver) => bodies(receiver).map(({ txStatus }) => txStatus);
const waiting = (sandbox: TestSandbox) => async () => (await sandbox.service.status()).callbacks;

/** Submits a transaction that pays an earlier one's output, or a new coin. */
async function submitted(sandbox: TestSandbox, headers: Record<string, string>): Promise<Uint8Array> {
  const raw = spend(await sandbox.coin());
  expect(await sandbox.arc('POST', '/tx', raw, headers)).toMatchObject({ status: 200 });
  return raw;
}

describe('a callback of ARC', () => {
  it('reports that a transaction was mined, with its Merkle path and the token', async () => {
    const [sandbox, receiver] = [await open(), await receive()];
    const raw = await submitted(sandbox, asked(receiver));
    const {
      hashes: [hash],
    } = await sandbox.service.mine({ blocks: 1 });
    const { headers, body } = await receiver.next();
    expect(headers).toMatchObject({ authorization: 'Bearer secret', 'content-type': 'application/json' });
    const { merklePath } = (await sandbox.arc('GET', `/tx/${txidOf(raw)}`)).body;
    expect(JSON.parse(body.toString('utf8'))).toEqual({
      timestamp: expect.any(String),
      txid: txidOf(raw),
      txStatus: 'MINED',
      extraInfo: '',
      competingTxs: null,
      merklePath,
      blockHash: hash,
      blockHeight: 121,
    });
    await expect.poll(waiting(sandbox)).toEqual({ waiting: 0, givenUp: 0 });
    expect(receiver.got).toHaveLength(1);
  });

  it('reports every status in order, if the client asks for full updates', async () => {
    const [sandbox, receiver] = [await open(), await receive()];
    const raw = await submitted(sandbox, asked(receiver, { 'x-fullstatusupdates': 'true' }));
    const [input] = parseTx(raw).inputs;
    const rival = spend({ txid: input?.txid ?? '', vout: 0, satoshis: 100_000 }, 300);
    await sandbox.arc('POST', '/tx', rival);
    await sandbox.service.mine({ blocks: 1 });
    await sandbox.service.reorg({ depth: 1 });
    await sandbox.service.mine({ blocks: 1 });
    await receiver.next(5);
    expect(statuses(receiver)).toEqual([
      'SEEN_ON_NETWORK',
      'DOUBLE_SPEND_ATTEMPTED',
      'MINED',
      'MINED_IN_STALE_BLOCK',
      'MINED',
    ]);
    expect(bodies(receiver)[1]).toMatchObject({ competingTxs: [txidOf(rival)] });
  });

  it('reports a rejection', async () => {
    const [sandbox, receiver] = [await open(), await receive()];
    const raw = await submitted(sandbox, asked(receiver));
    const { txid } = await sandbox.service.doubleSpend({ txid: txidOf(raw), mined: true });
    await receiver.next();
    expect(bodies(receiver)).toMatchObject([{ txid: txidOf(raw), txStatus: 'REJECTED', competingTxs: [txid] }]);
  });

  it('is sent once to every client that asked', async () => {
    const [sandbox, first, second] = [await open(), await receive(), await receive()];
    const raw = await submitted(sandbox, asked(first));
    for (const receiver of [first, second]) await sandbox.arc('POST', '/tx', raw, asked(receiver));
    await sandbox.service.mine({ blocks: 1 });
    await Promise.all([first.next(), second.next()]);
    await expect.poll(waiting(sandbox)).toEqual({ waiting: 0, givenUp: 0 });
    expect([first.got.length, second.got.length]).toEqual([1, 1]);
  });

  it('is not sent about a refused transaction', async () => {
    const [sandbox, receiver] = [await open(), await receive()];
    expect(await sandbox.arc('POST', '/tx', spend(await sandbox.coin(), 1), asked(receiver))).toMatchObject({
      status: 465,
    });
    await sandbox.service.stop();
    await sandbox.edit(async (db) => {
      expect(await db.selectFrom('arc_watches').selectAll().execute()).toEqual([]);
    });
  });

  it('contains up to 50 messages every five seconds, if the client asks for batches', async () => {
    const [sandbox, receiver] = [await open(), await receive()];
    const raws: Uint8Array[] = [];
    for (let n = 0; n < 60; n++) raws.push(spend(await sandbox.coin()));
    await sandbox.arc('POST', '/txs', Buffer.concat(raws), asked(receiver, { 'x-callbackbatch': 'true' }));
    await sandbox.service.mine({ blocks: 1 });
    await expect.poll(waiting(sandbox)).toEqual({ waiting: 60, givenUp: 0 });
    expect(receiver.got).toHaveLength(0);
    sandbox.clock.advance(5_000);
    await receiver.next(2);
    const batches = bodies(receiver);
    expect(batches.map(({ count, callbacks }) => [count, callbacks.length]).sort()).toEqual([
      [10, 10],
      [50, 50],
    ]);
    expect(new Set(batches.flatMap(({ callbacks }) => callbacks.map((one: { txid: string }) => one.txid)))).toEqual(
      new Set(raws.map(txidOf)),
    );
  });

  it('is tried ten times within a day, over a restart too, while later ones of its transaction wait', async () => {
    const [sandbox, receiver] = [await open(), await receive()];
    receiver.status = 500;
    await submitted(sandbox, asked(receiver, { 'x-fullstatusupdates': 'true' }));
    await sandbox.service.mine({ blocks: 1 });
    await receiver.next(1);
    await expect.poll(waiting(sandbox)).toEqual({ waiting: 2, givenUp: 0 });
    // the first attempt is counted: one that a stop cuts off is made again
    await expect.poll(() => sandbox.clock.next).toBe(1_000);
    await sandbox.restart();
    const start = sandbox.clock.now();
    for (let attempt = 2; attempt <= 10; attempt++) {
      expect(statuses(receiver)).toEqual(new Array(attempt - 1).fill('SEEN_ON_NETWORK'));
      const wait = 1_000 * 4 ** (attempt - 2);
      await expect.poll(() => sandbox.clock.next).toBe(wait);
      sandbox.clock.advance(wait);
      await receiver.next(attempt);
    }
    expect(sandbox.clock.now() - start).toBeGreaterThan(20 * 3_600_000);
    // the one that was given up no longer holds up the next one
    await receiver.next(11);
    expect(statuses(receiver)[10]).toBe('MINED');
    receiver.status = 200;
    await expect.poll(() => sandbox.clock.next).toBe(1_000);
    sandbox.clock.advance(1_000);
    await expect.poll(waiting(sandbox)).toEqual({ waiting: 0, givenUp: 1 });
  });

  it('reports after a start what happened while the sandbox was stopped', async () => {
    const [sandbox, receiver] = [await open(), await receive()];
    const mined = await submitted(sandbox, asked(receiver));
    const beaten = await submitted(sandbox, asked(receiver));
    const coin = { txid: parseTx(beaten).inputs[0]?.txid ?? '', vout: 0, satoshis: 100_000 };
    await sandbox.arc('POST', '/tx', spend(coin, 300));
    await sandbox.service.faults.set({ name: 'callbacks-lost', value: 0, times: null, area: 'all' });
    const { txid: winner } = await sandbox.service.doubleSpend({ txid: txidOf(beaten), mined: true });
    await sandbox.service.mine({ blocks: 1 });
    // A status is told once its messages are stored; none of them waits once both are lost.
    const statusOf = async (raw: Uint8Array) => (await sandbox.arc('GET', `/tx/${txidOf(raw)}`)).body.txStatus;
    await expect.poll(async () => [await statusOf(mined), await statusOf(beaten)]).toEqual(['MINED', 'REJECTED']);
    await expect.poll(waiting(sandbox)).toEqual({ waiting: 0, givenUp: 0 });
    await sandbox.service.stop();
    // as if the process had been killed right after the block was stored
    await sandbox.edit(async (db) => {
      const before = { status: 'SEEN_ON_NETWORK', extra_info: '', block_hash: '', block_height: 0 } as const;
      await db.updateTable('arc_transactions').set(before).execute();
    });
    await sandbox.service.start();
    await receiver.next(2);
    expect(new Map(bodies(receiver).map(({ txid, txStatus }) => [txid, txStatus]))).toEqual(
      new Map([
        [txidOf(mined), 'MINED'],
        [txidOf(beaten), 'REJECTED'],
      ]),
    );
    expect(bodies(receiver).find(({ txid }) => txid === txidOf(beaten))).toMatchObject({
      extraInfo: `double spend: ${winner} was mined`,
    });
    await expect.poll(waiting(sandbox)).toEqual({ waiting: 0, givenUp: 0 });
    expect(receiver.got).toHaveLength(2);
  });

  it('is dropped while the fault callbacks-lost is enabled', async () => {
    const [sandbox, receiver] = [await open(), await receive()];
    await sandbox.service.faults.set({ name: 'callbacks-lost', value: 0, times: 1, area: 'all' });
    await submitted(sandbox, asked(receiver));
    await submitted(sandbox, asked(receiver));
    await sandbox.service.mine({ blocks: 1 });
    await receiver.next();
    await expect.poll(waiting(sandbox)).toEqual({ waiting: 0, givenUp: 0 });
    expect(receiver.got).toHaveLength(1);
  });

  it('is not sent to a private address if those are refused', async () => {
    const [sandbox, receiver] = [await open({ refusePrivateCallbacks: true }), await receive()];
    const answer = await sandbox.arc('POST', '/tx', spend(await sandbox.coin()), asked(receiver));
    expect(answer).toMatchObject({ status: 400, body: { extraInfo: 'x-callbackurl is a private address' } });
  });
});
