import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { encodeAddress, formatOutpoint, type parseTx, txidOf } from '../../../chain/index.ts';
import { sentTokens, type TokenMove, tokenMovesOf, type WalletSend } from '../../../contract/index.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { KeepingMiner } from '../test-support/keeping-miner.ts';
import { openAccounts } from '../test-support/test-accounts.ts';
import { payment } from '../test-support/test-node.ts';
import { WalletOfTest } from '../test-support/test-wallet.ts';
import { tokenBatches } from './token-batches.ts';

const limits = { inputs: 4, transactions: 3, tokens: 2 };
const addressOf = (n: number): string => encodeAddress(new Uint8Array(20).fill(n), 'test');
const moveOf = (n: number) => ({ outpoint: `${'ab'.repeat(32)}_${n}`, address: addressOf((n * 7) % 251), satoshis: 1 });
const movesOf = (count: number) => Array.from({ length: count }, (_, n) => moveOf(n));

describe('many tokens in few transactions', () => {
  it('are each in one of them, with their own address', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 20 }), (count, tokens) => {
        const moves = movesOf(count);
        const batches = tokenBatches(moves, 60, { inputs: 500, transactions: 60, tokens });
        expect(batches.flatMap(tokenMovesOf)).toEqual(moves.map(({ outpoint, address }) => ({ outpoint, address })));
        expect(batches).toHaveLength(Math.ceil(count / tokens));
        expect(batches.every(({ tokens: of = [] }) => of.length >= 1 && of.length <= tokens)).toBe(true);
      }),
    );
  });

  it('are refused where one is named twice, are too many, or have too few coins', () => {
    const [first, second] = movesOf(2) as [ReturnType<typeof moveOf>, ReturnType<typeof moveOf>];
    expect(() => tokenBatches([first, second, { ...first, address: addressOf(9) }], 3, limits)).toThrow(/named twice/);
    expect(() => tokenBatches(movesOf(7), 9, limits)).toThrow(/7 tokens are more than the 6/);
    expect(() => tokenBatches(movesOf(5), 2, limits)).toThrow(/takes 3 transactions.* has 2 free/);
    expect(tokenBatches(movesOf(6), 3, limits)).toHaveLength(3);
  });
});

describe('the sending of many tokens', () => {
  const opened = new WalletOfTest();
  let accounts: Accounts;
  let miner: KeepingMiner;
  let moves: TokenMove[];
  beforeEach(async () => {
    const { wallet, harness } = opened;
    const script = wallet.lockingScript();
    const tokens = payment(...Array.from({ length: 6 }, () => ({ script, satoshis: 1 })));
    harness.node.mine([tokens, payment(...[30_000, 20_000, 10_000].map((satoshis) => ({ script, satoshis })))]);
    miner = new KeepingMiner(harness.node);
    miner.refuses = false;
    accounts = await openAccounts(opened, 'sandbox', { limits, merchant: miner });
    await wallet.start();
    moves = Array.from({ length: 6 }, (_, n) => ({ outpoint: `${txidOf(tokens)}_${n}`, address: addressOf(n + 1) }));
    return () => accounts.stop();
  });
  const prepareTokens = (asked: TokenMove[], idempotencyKey = 'first-key') =>
    accounts.main.payments.prepareTokens({ moves: asked, idempotencyKey });

  it('is reviewed once, approved once, and sends each token whole to its address', async () => {
    const { payments } = accounts.main;
    const prepared = await prepareTokens(moves);
    expect(prepared).toMatchObject({ canApprove: true, transactions: [{}, {}, {}] });
    expect(sentTokens(prepared).map(({ outpoint, address }) => ({ outpoint, address }))).toEqual(moves);
    expect(prepared.review.checks.find(({ id }) => id === 'transactions')?.text).toMatch(/all of the tokens/);
    expect(prepared.review.fee).toBe((prepared.transactions ?? []).reduce((sum, { fee }) => sum + fee, 0));
    const approved = await payments.approve({ id: prepared.id, digest: prepared.review.digest });
    const sent = sentTokens(approved);
    expect(miner.kept.size).toBe(3);
    for (const { outpoint, address, sentTo } of sent) {
      const spending = [...miner.kept].filter(([, tx]) =>
        tx.inputs.some((input) => formatOutpoint(input) === outpoint),
      );
      expect(spending).toHaveLength(1);
      const [[txid, tx]] = spending as [[string, ReturnType<typeof parseTx>]];
      const place = tx.inputs.findIndex((input) => formatOutpoint(input) === outpoint);
      expect(sentTo).toBe(`${txid}_${place}`);
      expect(address).toBe(moves.find((move) => move.outpoint === outpoint)?.address);
    }
    // The same key is the same payment, and other moves under it are refused.
    expect((await prepareTokens(moves)).id).toBe(prepared.id);
    await expect(prepareTokens(moves.slice(1))).rejects.toMatchObject({ code: 'conflict' });
    await expect(prepareTokens(moves, 'other-key')).rejects.toMatchObject({ code: 'invalid-input' });
  });

  it('is signed by the digest of its own review alone, which covers all of its transactions', async () => {
    const { payments } = accounts.main;
    const { id, review } = await prepareTokens(moves);
    const other = review.digest.replace(/^./, (first) => (first === '0' ? '1' : '0'));
    await expect(payments.approve({ id, digest: other })).rejects.toMatchObject({ id: 'wallet.send-other-approved' });
    expect(miner.kept.size).toBe(0);
    await payments.approve({ id, digest: review.digest });
    expect(miner.kept.size).toBe(3);
  });

  it('holds every token until it is cancelled, and then holds none', async () => {
    const { payments } = accounts.main;
    const { id } = await prepareTokens(moves.slice(0, 3));
    await expect(prepareTokens(moves.slice(2, 4), 'other-key')).rejects.toMatchObject({ code: 'conflict' });
    await payments.cancel({ id });
    expect(await prepareTokens(moves, 'third-key')).toMatchObject({ canApprove: true });
    expect(miner.kept.size).toBe(0);
  });

  it('leaves nothing where one of its tokens cannot be sent', async () => {
    const gone = { outpoint: `${'cd'.repeat(32)}_0`, address: addressOf(8) };
    await expect(prepareTokens([...moves.slice(0, 4), gone])).rejects.toMatchObject({ code: 'invalid-input' });
    // In a further transaction too, where nothing else looks at whose network it is.
    const elsewhere = { ...(moves[5] as TokenMove), address: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT' };
    await expect(prepareTokens([...moves.slice(0, 4), elsewhere])).rejects.toMatchObject({
      code: 'address-wrong-network',
    });
    expect(opened.wallet.nonFundingOutputs().every(({ owner }) => owner === undefined)).toBe(true);
    expect(opened.wallet.balance().reserved).toBe(0);
  });

  it('sends what was refused once more to other addresses, so that only one of both can be mined', async () => {
    const { payments } = accounts.main;
    miner.refuses = true;
    const first = await prepareTokens(moves);
    await payments.approve({ id: first.id, digest: first.review.digest });
    expect(miner.kept.size).toBe(3);
    miner.refuses = false;
    // In another order: each transaction has tokens of several that were refused.
    const mixed = [0, 2, 4, 1, 3, 5].map((n) => moves[n] as TokenMove);
    const swapped = mixed.map(({ outpoint }, n) => ({ outpoint, address: addressOf(100 + n) }));
    const second = await prepareTokens(swapped, 'other-key');
    expect(second.review.checks.find(({ id }) => id === 'replaces')?.passed).toBe(true);
    await payments.approve({ id: second.id, digest: second.review.digest });
    for (const { outpoint } of moves) {
      const all = [...miner.kept.values()].filter((tx) =>
        tx.inputs.some((input) => formatOutpoint(input) === outpoint),
      );
      expect(all).toHaveLength(2);
    }
    expect(sentTokens(await payments.get(second.id)).every(({ state }) => state === 'submitted')).toBe(true);
  });

  describe('while its transactions are signed', () => {
    /** Approves, and holds the first transaction at the miner. @returns what lets it go, and the approval */
    async function held() {
      const { payments } = accounts.main;
      const { id, review } = await prepareTokens(moves);
      const [gate, arrived] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const submit = miner.submit.bind(miner);
      miner.submit = async (rawTx) => {
        arrived.resolve();
        await gate.promise;
        return submit(rawTx);
      };
      const approve = () => payments.approve({ id, digest: review.digest });
      const approved = approve();
      await arrived.promise;
      return { payments, id, approve, approved, letGo: gate.resolve };
    }
    const statesOf = ({ transactions = [] }: WalletSend) => transactions.map(({ state }) => state);

    it('stops after the one under way, and goes on when it is approved again', async () => {
      const { payments, id, approve, approved, letGo } = await held();
      expect(await payments.get(id)).toMatchObject({ awaitingApproval: false, canApprove: false, canPause: true });
      const pausing = payments.pause({ id });
      expect(await payments.get(id)).toMatchObject({ awaitingApproval: false, active: true, canPause: false });
      letGo();
      expect(await pausing).toMatchObject({ awaitingApproval: true, canApprove: true, canPause: false });
      expect(statesOf(await approved)).toEqual(['reviewed', 'submitted', 'reviewed']);
      expect(miner.kept.size).toBe(1);
      // What is left is still held.
      await expect(prepareTokens(moves.slice(0, 1), 'other-key')).rejects.toMatchObject({ code: 'conflict' });
      expect(statesOf(await approve())).toEqual(['submitted', 'submitted', 'submitted']);
      expect(miner.kept.size).toBe(3);
    });

    it('goes on where it is approved again while it pauses, and sends nothing twice', async () => {
      const { payments, id, approve, approved, letGo } = await held();
      const pausing = payments.pause({ id });
      const again = [approve(), approve()];
      letGo();
      await pausing;
      expect((await approved).id).toBe(id);
      for (const one of again) expect(statesOf(await one)).toEqual(['submitted', 'submitted', 'submitted']);
      expect(miner.kept.size).toBe(3);
    });

    it('leaves sent what was sent where it is cancelled, and holds nothing of the rest', async () => {
      const { payments, id, approve, approved, letGo } = await held();
      const cancelling = payments.cancel({ id });
      letGo();
      const cancelled = await cancelling;
      expect(statesOf(cancelled)).toEqual(['cancelled', 'submitted', 'cancelled']);
      expect(cancelled).toMatchObject({ state: 'submitted', awaitingApproval: false, canCancel: false });
      await approved;
      await expect(approve()).rejects.toMatchObject({ code: 'conflict' });
      expect(opened.wallet.balance().reserved).toBe(0);
      const left = sentTokens(cancelled).flatMap(({ outpoint, txid }) => (txid === null ? outpoint : []));
      expect(left).toHaveLength(4);
      const rest = await prepareTokens(
        moves.filter(({ outpoint }) => left.includes(outpoint)),
        'other-key',
      );
      await payments.approve({ id: rest.id, digest: rest.review.digest });
      const spent = [...miner.kept.values()].flatMap(({ inputs }) => inputs.map(formatOutpoint));
      expect(spent.filter((outpoint) => moves.some((move) => move.outpoint === outpoint))).toHaveLength(6);
      expect(new Set(spent).size).toBe(spent.length);
    });

    it('stops with the program', async () => {
      const { payments, id, approved, letGo } = await held();
      const stopped = payments.stop();
      letGo();
      await stopped;
      expect(statesOf(await approved)).toEqual(['reviewed', 'submitted', 'reviewed']);
      await payments.start();
      expect(await payments.get(id)).toMatchObject({ awaitingApproval: true });
      expect(miner.kept.size).toBe(1);
    });
  });

  it('is cancelled whole at the next start, where the program ended while it was cancelled', async () => {
    const { payments } = accounts.main;
    const { id } = await prepareTokens(moves);
    const { db } = opened.harness.store;
    const [part] = await db.selectFrom('wallet_sends').select('id').where('part_of', '=', id).execute();
    const partId = part?.id ?? '';
    await opened.wallet.release(`send:${partId}`);
    await db.updateTable('wallet_sends').set({ state: 'cancelled' }).where('id', '=', partId).execute();
    await payments.start();
    expect(await payments.get(id)).toMatchObject({ state: 'cancelled', awaitingApproval: false });
    expect(opened.wallet.balance().reserved).toBe(0);
  });
});
