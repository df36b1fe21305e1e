import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PlanchetError, TrackedTransaction, TransactionReason } from '../../../contract/index.ts';
import type { MinerVerdict } from '../../ports/merchant/miners.ts';
import { arcRefusalError, reasonOf, refusalCodes, refusalError } from '../refusals.ts';
import { TrackedNode } from '../test-support/tracked-node.ts';
import { changeOf } from './answers.ts';

/** One text for each reason of a merchant API or the node behind it, and the state it leads to. */
const mapi: readonly (readonly [text: string, code: string, state: string])[] = [
  ['257 txn-already-known', 'already-known', 'submitted'],
  ['Error while submitting transactions to the node', 'miner-failure', 'queued'],
  ['Mempool error, retry again later. (details: 66 mempool full)', 'miner-failure', 'queued'],
  ['Internal system error occurred, please retry later', 'miner-failure', 'queued'],
  ['Mixed results', 'mixed-results', 'queued'],
  ['Missing inputs', 'missing-inputs', 'failed'],
  ['64 too-long-mempool-chain', 'too-long-chain', 'failed'],
  ['66 mempool full', 'no-room', 'evicted'],
  ['evicted', 'no-room', 'evicted'],
  ['18 txn-double-spend-detected', 'double-spend', 'failed'],
  ['258 txn-mempool-conflict', 'double-spend', 'failed'],
  ['66 mempool min fee not met', 'fee-too-low', 'failed'],
  ['Negative inputs are not allowed', 'negative-inputs', 'failed'],
  ['Can not parse transaction', 'malformed', 'failed'],
  ['259 non-final-pool-full', 'not-final', 'failed'],
  ['16 mandatory-script-verify-flag-failed (Script failed)', 'script-failed', 'failed'],
  ['the BUMP leads to no block', 'proof-invalid', 'failed'],
  ['input is frozen by policy', 'frozen', 'failed'],
  ['64 tx-size', 'too-large', 'failed'],
  ['Transaction already submitted with different parameters.', 'duplicate-request', 'failed'],
  ['a text nobody has seen before', 'other', 'failed'],
];
/** Every error of ARC's list; its document has 422 as well, which ARC never answers and something before it may. */
const arc: readonly (readonly [status: number, code: string, state: string])[] = [
  [400, 'malformed', 'failed'],
  [409, 'miner-failure', 'queued'],
  [422, 'malformed', 'failed'],
  [460, 'missing-inputs', 'failed'],
  [461, 'script-failed', 'failed'],
  [462, 'missing-inputs', 'failed'],
  [463, 'malformed', 'failed'],
  [464, 'malformed', 'failed'],
  [465, 'fee-too-low', 'failed'],
  [466, 'double-spend', 'failed'],
  [467, 'missing-inputs', 'failed'],
  [468, 'proof-invalid', 'failed'],
  [469, 'proof-invalid', 'failed'],
  [471, 'frozen', 'failed'],
  [472, 'frozen', 'failed'],
  [473, 'fee-too-low', 'failed'],
  [474, 'too-large', 'failed'],
  [475, 'missing-inputs', 'failed'],
  [500, 'miner-failure', 'queued'],
  [503, 'miner-failure', 'queued'],
];

let tracked: TrackedNode;
beforeEach(async () => {
  tracked = await TrackedNode.open();
});
afterEach(() => tracked.remove());

function verdictOf(txid: string, error: PlanchetError | undefined): MinerVerdict {
  const nothing = { txid, block: null, bump: null, conflicts: [], raw: '', signature: 'none' } as const;
  if (error === undefined) return { ...nothing, status: 'accepted', word: 'success', reason: null, failure: null };
  const status = error.code === 'rejected' ? 'rejected' : 'unclear';
  return { ...nothing, status, word: 'failure', reason: reasonOf(error), failure: error.toFailure() };
}

/** Tracks a payment that a miner answers with an error. @returns its state and reason at once, and its state once a block holds it */
async function answeredWith(error: PlanchetError | undefined) {
  const [coin] = await tracked.coins(1);
  if (coin === undefined) throw new Error('there is no coin');
  const { txid, rawTx } = tracked.payment(coin);
  await tracked.tracker.track([{ rawTx, origin: 'wallet' }]);
  const other = tracked.payment(coin, 900);
  await tracked.tracker.track([{ rawTx: other.rawTx, origin: 'manual' }]);
  const miner = { id: 'm', name: 'm', kind: 'mapi' } as const;
  await tracked.tracker.answered(miner, 'submit', [verdictOf(other.txid, error)]);
  await tracked.tracker.answered(miner, 'submit', [verdictOf(txid, error)]);
  const told = await tracked.tracker.get(other.txid);
  const service = await tracked.state(txid);
  await tracked.opened.node.submit(rawTx);
  await tracked.opened.node.mine(1);
  await tracked.settle();
  tracked.opened.clock.advance(6_000);
  await tracked.settle();
  return { told, service, end: await tracked.state(txid), rival: await tracked.tracker.get(other.txid) };
}

async function expectStates(error: PlanchetError | undefined, code: string, state: string): Promise<void> {
  const { told, service, end, rival } = await answeredWith(error);
  expect(told?.state).toBe(state);
  const reason = told?.reason as TransactionReason | null;
  if (error === undefined) expect(reason).toBeNull();
  else expect(reason).toMatchObject({ code, advice: expect.stringMatching(/\S/) });
  // What a service was refused is never sent again from here.
  expect(service).toBe(state === 'evicted' ? 'failed' : state);
  // Whatever the miner said, the chain has the last word.
  expect(end).toBe('proven');
  if (code === 'double-spend' || code === 'missing-inputs')
    expect(rival).toMatchObject({ state: 'double-spent', doubleSpentBy: expect.stringMatching(/^[0-9a-f]{64}$/) });
}

describe('a failure of a transaction', () => {
  it.each(mapi)('"%s" of a merchant API is %s and makes a transaction %s', (text, code, state) =>
    expectStates(refusalError(text), code, state),
  );

  it.each(arc)('%i of ARC is %s and makes a transaction %s', (status, code, state) =>
    expectStates(arcRefusalError(status, 'the text of the error'), code, state),
  );

  it('of every kind has its example', () => {
    expect(new Set(mapi.map(([, code]) => code))).toEqual(new Set([...refusalCodes, 'other']));
  });

  it('of the miner alone is retried with growing pauses until the miner takes it', async () => {
    const [coin] = await tracked.coins(1);
    const { txid, rawTx } = tracked.payment(coin as never);
    const miner = { id: 'm', name: 'm', kind: 'mapi' } as const;
    await tracked.tracker.track([{ rawTx, origin: 'manual' }]);
    await tracked.tracker.answered(miner, 'submit', [verdictOf(txid, refusalError('Mixed results'))]);
    await tracked.settle();
    expect(await tracked.state(txid)).toBe('queued');
    tracked.opened.clock.advance(5_000);
    await tracked.settle();
    expect(await tracked.state(txid)).toBe('seen');
    const { events } = await tracked.transactions.get({ txid });
    expect(events.filter(({ kind }) => kind === 'retry')).toHaveLength(1);
  });

  it('for lack of room is retried after an hour', async () => {
    const [coin] = await tracked.coins(1);
    const { txid, rawTx } = tracked.payment(coin as never);
    const miner = { id: 'm', name: 'm', kind: 'arc' } as const;
    await tracked.tracker.track([{ rawTx, origin: 'gateway' }]);
    await tracked.tracker.answered(miner, 'submit', [verdictOf(txid, refusalError('66 mempool full'))]);
    tracked.opened.clock.advance(3_500_000);
    await tracked.settle();
    expect(await tracked.state(txid)).toBe('evicted');
    tracked.opened.clock.advance(100_000);
    await tracked.settle();
    expect(await tracked.state(txid)).toBe('seen');
  });

  it.each(['submit', 'callback', 'status'] as const)(
    'for lack of room at a second miner, told by its %s, is not retried before the hour either',
    async (request) => {
      const [coin] = await tracked.coins(1);
      const { txid, rawTx } = tracked.payment(coin as never);
      const full = { ...verdictOf(txid, refusalError('66 mempool full')), status: 'evicted' as const };
      await tracked.tracker.track([{ rawTx, origin: 'manual' }]);
      await tracked.tracker.answered({ id: 'm', name: 'm', kind: 'mapi' }, 'submit', [full]);
      await tracked.tracker.answered({ id: 'n', name: 'n', kind: 'arc' }, request, [full]);
      await tracked.settle();
      tracked.opened.clock.advance(3_500_000);
      await tracked.settle();
      const { events } = await tracked.transactions.get({ txid });
      expect(await tracked.tracker.get(txid)).toMatchObject({ state: 'evicted', reason: { code: 'no-room' } });
      expect(events.filter(({ kind }) => kind === 'retry')).toEqual([]);
    },
  );

  it.each(['rejected', 'evicted'] as const)(
    'told before the answer to its own submission does not end a transaction: %s',
    async (status) => {
      const [coin] = await tracked.coins(1);
      const { txid, rawTx } = tracked.payment(coin as never);
      const miner = { id: 'm', name: 'm', kind: 'arc' } as const;
      const refused = { ...verdictOf(txid, refusalError('Missing inputs')), status };
      const states: (string | undefined)[] = [];
      tracked.tracker.onChange(({ transaction }) => states.push(transaction.state));
      await tracked.tracker.track([{ rawTx, origin: 'wallet' }]);
      await tracked.tracker.answered(miner, 'callback', [refused]);
      await tracked.tracker.answered(miner, 'status', [refused]);
      expect(await tracked.tracker.get(txid)).toMatchObject({ state: 'queued', reason: { code: 'missing-inputs' } });
      await tracked.tracker.answered(miner, 'submit', [verdictOf(txid, undefined)]);
      expect(await tracked.tracker.get(txid)).toMatchObject({ state: 'submitted', reason: null });
      expect(states).toEqual(['queued', 'submitted']);
    },
  );

  it.each(['evicted', 'stale'] as const)('for lack of room again leaves one that was %s to the next hour', (state) => {
    const full = { ...verdictOf('', refusalError('66 mempool full')), status: 'evicted' as const };
    const known = { txid: '', state, origin: 'manual' } as TrackedTransaction;
    expect(changeOf(known, full, 'submit', 0)).toMatchObject({ reason: full.reason, dueAt: 3_600_000 });
  });
});
