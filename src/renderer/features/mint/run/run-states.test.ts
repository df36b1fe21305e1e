import { describe, expect, it } from 'vitest';
import type { Item, PlannedTransaction, Run, RunItem, RunPlan } from '../../../../contract/index.ts';
import { item, run, runItem, runPlan } from '../../../test-support/samples.ts';
import { linesOf, markOf, mintsAsRun, phaseOf, stepsOfRun } from './run-states.ts';

const drafts = (count: number, subType: Item['subType'] = 'single'): Item[] =>
  Array.from({ length: count }, (_, index) => ({ ...item, id: `i${index}`, subType }));
const collection = (): Item[] => [{ ...item, id: 'c', subType: 'collection' }, ...drafts(3, 'collectionItem')];

describe('what is minted as a whole project', () => {
  it('is a collection that has not begun, and any project of many drafts', () => {
    expect(mintsAsRun(collection(), [])).toBe(true);
    expect(mintsAsRun(drafts(200), [])).toBe(true);
    expect(mintsAsRun(drafts(3), [])).toBe(false);
  });

  it('is not a part that was chosen', () => {
    expect(mintsAsRun(collection(), ['c'])).toBe(false);
    expect(mintsAsRun(drafts(200), ['i1', 'i2'])).toBe(false);
    expect(mintsAsRun(collection(), ['c', 'i0', 'i1', 'i2'])).toBe(true);
  });
});

describe('the square of a token', () => {
  const mark = (changes: Partial<RunItem>, moving = true) => markOf({ ...runItem, ...changes }, moving);
  const away = { code: 'upstream-error', message: 'The service is away.' } as const;
  const refused = { code: 'rejected', message: 'The miner refused it.' } as const;

  it('shows how far it is', () => {
    expect(mark({})).toBe('waiting');
    expect(mark({ uploaded: true })).toBe('uploaded');
    expect(mark({ state: 'signed', uploaded: true })).toBe('sent');
    expect(mark({ state: 'seen' })).toBe('sent');
    expect(mark({ state: 'proven' })).toBe('mined');
    expect(mark({ state: 'cancelled', failure: refused })).toBe('cancelled');
  });

  it('is failed once nothing tries it again by itself', () => {
    expect(mark({ failure: refused })).toBe('failed');
    expect(mark({ failure: away }, true)).toBe('waiting');
    expect(mark({ failure: away }, false)).toBe('failed');
  });
});

describe('the phase of a run', () => {
  const phase = (changes: Partial<Run>, split: RunPlan['split'] = runPlan.split) =>
    phaseOf({ ...run, state: 'minting', canApprove: false, ...changes }, { split });

  it('follows it from the approval to the blocks', () => {
    expect(phase({ state: 'planned' })).toBe('planned');
    expect(phase({})).toBe('dividing');
    expect(phase({}, null)).toBe('minting');
    expect(phase({ splitTxid: 'ab'.repeat(32) })).toBe('minting');
    expect(phase({ splitTxid: 'ab'.repeat(32), minted: run.items - 1, failed: 1 })).toBe('confirming');
    expect(phase({ state: 'done' })).toBe('done');
    expect(phase({ state: 'done', failed: 1 })).toBe('partly');
    expect(phase({ state: 'done', cancelled: 1 })).toBe('partlyCancelled');
  });

  it('tells a pause by a person from one with a reason and from a changed cost', () => {
    const failure = { code: 'vault-locked', message: 'The wallet is locked.' } as const;
    expect(phase({ state: 'paused' })).toBe('paused');
    expect(phase({ state: 'paused', failure })).toBe('stopped');
    expect(phase({ state: 'paused', failure, canApprove: true })).toBe('changed');
  });
});

describe('the steps of a run', () => {
  const steps = (changes: Partial<Run>, split: RunPlan['split'] = runPlan.split) =>
    stepsOfRun({ ...run, state: 'minting', approvedAt: 5, ...changes }, { split }, (step) => step).map(
      ({ key, state }) => `${key} ${state}`,
    );
  const txid = 'ab'.repeat(32);

  it('move on as transactions do', () => {
    expect(steps({})).toEqual(['approved done', 'divided now', 'sent next', 'proven next']);
    const transactions = { total: 3, submitted: 3, proven: 1, failed: 0 };
    expect(steps({ splitTxid: txid, transactions })).toEqual([
      'approved done',
      'divided done',
      'sent done',
      'proven now',
    ]);
  });

  it('are those that it reached where every transaction was cancelled', () => {
    const transactions = { total: 0, submitted: 0, proven: 0, failed: 0 };
    expect(steps({ transactions, state: 'cancelled' }, null)).toEqual(['approved done']);
    const unsent = { total: 1, submitted: 0, proven: 0, failed: 0 };
    expect(steps({ transactions: unsent, state: 'cancelled' }, null)).toEqual(['approved done']);
  });

  it('leave out the division where one transaction is enough, and stop where some failed', () => {
    const transactions = { total: 3, submitted: 2, proven: 2, failed: 1 };
    expect(steps({ transactions, state: 'done' }, null)).toEqual(['approved done', 'sent failed', 'proven next']);
  });
});

describe('the lines of a plan', () => {
  const transaction = (kind: 'collection' | 'items', tokens: number) => ({
    ...(runPlan.transactions[0] as PlannedTransaction),
    kind,
    tokens,
    fee: 10,
  });

  it('put like transactions together and count those that are not listed', () => {
    const transactions = [transaction('collection', 1), ...Array.from({ length: 20 }, () => transaction('items', 10))];
    const plan: RunPlan = { ...runPlan, transactions, transactionCount: 26 };
    expect(linesOf({ ...plan, split: null }).unlisted).toBe(5);
    expect(linesOf(plan)).toEqual({
      lines: [
        { kind: 'collection', transactions: 1, tokens: 1, fee: 10 },
        { kind: 'items', transactions: 20, tokens: 10, fee: 200 },
      ],
      unlisted: 4,
    });
  });
});
