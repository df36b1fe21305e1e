import fc from 'fast-check';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { type FundingUtxo, feeFor } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { createNodeChainData } from '../../chain-data/node/node-chain-data.ts';
import { Contacts } from '../contacts/contacts.ts';
import { payment } from '../test-support/test-node.ts';
import { WalletOfTest } from '../test-support/test-wallet.ts';
import { Payments, type PaymentsOptions } from './payments.ts';
import { batchesOf, mergeSends, type SendRow } from './series.ts';

const FOREIGN = 'mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV';

const opened = new WalletOfTest();
let payments: Payments;
beforeEach(async () => {
  payments = open();
  const { wallet, harness } = opened;
  harness.node.mine([
    payment(...Array.from({ length: 501 }, () => ({ script: wallet.lockingScript(), satoshis: 5_000 }))),
  ]);
  await wallet.start();
});

/** None of the payments is submitted or tracked. */
function open(parts: Partial<PaymentsOptions> = {}): Payments {
  const { harness, wallet } = opened;
  return new Payments({
    network: 'sandbox',
    store: harness.store,
    clock: harness.clock,
    settings: { current: () => harness.settings },
    logger: pino({ level: 'silent' }),
    wallet,
    chainData: createNodeChainData(harness.node),
    merchant: { terms: async () => [] },
    tracker: { onChange: () => () => undefined },
    allowed: async () => undefined,
    contacts: new Contacts({ network: 'sandbox', store: harness.store, isOwn: () => false }),
    all: () => [],
    ...parts,
  } as unknown as PaymentsOptions);
}

const request = { to: [{ address: FOREIGN, satoshis: 'all' as const }], feeRate: 500 };
const rows = () => opened.harness.store.db.selectFrom('wallet_sends').selectAll().execute();
const locked = () => opened.wallet.balance().reserved;

describe('a payment of several transactions', () => {
  it('leaves nothing where the process ended before all were built', async () => {
    const { id } = await payments.prepare({ request, idempotencyKey: 'payment-1' });
    expect(await rows()).toHaveLength(2);
    expect(locked()).toBe(501 * 5_000);
    const { db } = opened.harness.store;
    await db.updateTable('wallet_sends').set({ state: 'draft', review: null }).where('id', '=', id).execute();
    await open().start();
    expect(await rows()).toEqual([]);
    expect(locked()).toBe(0);
  });

  it('leaves nothing where one of them cannot be built', async () => {
    // more than the coins hold that one transaction takes
    const to = [{ address: FOREIGN, satoshis: 2_502_000 }, ...request.to];
    await expect(payments.prepare({ request: { ...request, to }, idempotencyKey: 'payment-2' })).rejects.toMatchObject({
      code: 'funds-insufficient',
    });
    expect(await rows()).toEqual([]);
    expect(locked()).toBe(0);
  });

  it('pays a named amount from the most valuable coins, and the rest after it', async () => {
    const to = [{ address: FOREIGN, satoshis: 2_400_000 }, ...request.to];
    const { review } = await payments.prepare({ request: { ...request, to }, idempotencyKey: 'payment-4' });
    expect(review.ok).toBe(true);
    expect(review.inputs).toHaveLength(501);
    expect(review.outputs.map(({ satoshis }) => satoshis)).toEqual([2_400_000, expect.any(Number), expect.any(Number)]);
  });

  it('is neither prepared nor signed while this network may not spend', async () => {
    const { id, review } = await payments.prepare({ request, idempotencyKey: 'payment-6' });
    const refused = new PlanchetError('wallet.backup-unchecked');
    const again = open({ allowed: () => Promise.reject(refused) });
    await again.start();
    await expect(again.approve({ id, digest: review.digest })).rejects.toBe(refused);
    await expect(again.prepare({ request, idempotencyKey: 'payment-7' })).rejects.toBe(refused);
    expect((await rows()).map(({ state, raw_tx: raw }) => [state, raw])).toEqual([
      ['reviewed', null],
      ['reviewed', null],
    ]);
    await again.stop();
  });

  it('is kept whole over a restart, and cancelled whole', async () => {
    const prepared = await payments.prepare({ request, idempotencyKey: 'payment-3' });
    const { id } = prepared;
    const again = open();
    await again.start();
    expect(prepared.canApprove).toBe(true);
    expect(await again.get(id)).toEqual(prepared);
    expect(await again.cancel({ id })).toMatchObject({ state: 'cancelled' });
    expect((await rows()).map(({ state }) => state)).toEqual(['cancelled', 'cancelled']);
    expect(locked()).toBe(0);
    await again.stop();
  });
});

describe('a payment of several transactions as one', () => {
  it('is as far as the last of them, and fails where one does', async () => {
    const { id } = await payments.prepare({ request, idempotencyKey: 'payment-5' });
    const stored = (await rows()) as [SendRow, SendRow];
    const [head, part] = [stored.find((row) => row.id === id), stored.find((row) => row.part_of === id)] as [
      SendRow,
      SendRow,
    ];
    const signed: SendRow = { ...part, state: 'mined', txid: 'ab'.repeat(32) };
    const waiting = mergeSends([head, signed]);
    expect(waiting).toMatchObject({ state: 'reviewed', awaitingApproval: true, canApprove: true });
    expect(waiting.transactions?.map(({ state }) => state)).toEqual(['reviewed', 'mined']);
    expect(waiting.review.fee).toBe(waiting.transactions?.reduce((sum, { fee }) => sum + fee, 0));
    const failure = JSON.stringify({ code: 'rejected', message: 'no', hint: '' });
    const refused = mergeSends([
      { ...head, state: 'mined' },
      { ...part, state: 'signed', halted: 1, failure },
    ]);
    expect(refused).toMatchObject({ state: 'signed', canRetry: true, failure: { code: 'rejected' } });
    const review = JSON.parse(part.review ?? '');
    const [first] = review.checks;
    const broken = { ...review, ok: false, checks: [{ ...first, passed: false, text: 'It differs.', sentences: [] }] };
    const stopped = mergeSends([head, { ...part, review: JSON.stringify(broken) }]);
    expect(stopped).toMatchObject({ canApprove: false, review: { ok: false } });
    expect(stopped.review.checks.find(({ id: check }) => check === first.id)).toMatchObject({
      passed: false,
      text: 'It differs.',
    });
    expect(stopped.review.digest).toBe(waiting.review.digest);
    const other = mergeSends([head, { ...part, review: JSON.stringify({ ...review, digest: '00'.repeat(32) }) }]);
    expect(other.review.digest).not.toBe(waiting.review.digest);
  });
});

describe('batchesOf', () => {
  const value = fc.oneof(fc.integer({ min: 2, max: 100 }), fc.integer({ min: 2, max: 1_000_000 }));
  const lists = fc
    .array(value, { maxLength: 1_200 })
    .map((values) => values.map((satoshis, vout) => coinOf(satoshis, vout)));
  const coinOf = (satoshis: number, vout: number) =>
    ({ txid: 'aa'.repeat(32), vout, satoshis, lockingScript: new Uint8Array(25) }) as FundingUtxo;

  it('leaves a coin that is worth exactly what it costs, and coins that would not pay for a transaction of their own', () => {
    const rate = { satoshis: 500, bytes: 1_000 };
    const [equal, more] = [coinOf(74, 0), coinOf(75, 1)] as const;
    expect(batchesOf([equal, more], rate, 0)).toEqual({ batches: [[more]], dust: [equal], later: [] });
    const large = Array.from({ length: 500 }, (_, vout) => coinOf(1_000_000, vout + 2));
    expect(batchesOf([...large, more], rate, 0, { firstFull: true })).toEqual({
      batches: [large],
      dust: [more],
      later: [],
    });
  });

  it('takes every coin that is worth its cost once, never more than a transaction takes, and leaves no valuable one', () => {
    fc.assert(
      fc.property(lists, fc.integer({ min: 1, max: 2_000 }), fc.boolean(), (coins, price, firstFull) => {
        const rate = { satoshis: price, bytes: 1_000 };
        const { batches, dust } = batchesOf(coins, rate, 0, { firstFull });
        const taken = batches.flat();
        expect(new Set([...taken, ...dust]).size).toBe(coins.length);
        expect(taken.length + dust.length).toBe(coins.length);
        for (const batch of batches) expect(batch.length).toBeLessThanOrEqual(500);
        const inputFee = feeFor(148, rate);
        expect(taken.every(({ satoshis }) => satoshis > inputFee)).toBe(true);
        // what stays would not pay for a transaction of its own
        const left = dust.filter(({ satoshis }) => satoshis > inputFee);
        const leftWorth = left.reduce((sum, { satoshis }) => sum + satoshis - inputFee, 0);
        expect(leftWorth).toBeLessThanOrEqual(3 * (feeFor(48, rate) + 150));
      }),
      { numRuns: 60 },
    );
  });
});
