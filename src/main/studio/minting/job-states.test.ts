import { describe, expect, it } from 'vitest';
import { type MintState, mintStates, type Review } from '../../../contract/index.ts';
import { jobActions, spendsNothing } from './job-states.ts';

const path = mintStates.names.filter((state) => state !== 'cancelled');
const review = { ok: true } as Review;
const job = (state: MintState, changes: Partial<Parameters<typeof jobActions>[0]> = {}) =>
  jobActions({ state, active: true, awaitingApproval: false, failure: null, review: null, ...changes });

describe('spendsNothing', () => {
  const stopped = { active: false, awaitingApproval: false, failure: null };

  it('is true of a job that was cancelled, or that stopped before it was signed', () => {
    expect(spendsNothing({ state: 'cancelled', ...stopped })).toBe(true);
    for (const state of path) {
      const unsigned = path.indexOf(state) < path.indexOf('signed');
      expect(spendsNothing({ state, ...stopped })).toBe(unsigned);
      expect(spendsNothing({ state, ...stopped, active: true })).toBe(false);
      expect(spendsNothing({ state, ...stopped, awaitingApproval: true })).toBe(false);
    }
  });
});

describe('what a person may do with a mint', () => {
  it('can be cancelled until it is signed', () => {
    for (const state of path) expect(job(state).canCancel).toBe(path.indexOf(state) < path.indexOf('signed'));
    expect(job('cancelled').canCancel).toBe(false);
  });

  it('can be cancelled after signing only once the network refused or lost the transaction', () => {
    const failure = { code: 'not-found' as const, message: 'gone' };
    for (const state of path.slice(path.indexOf('signed'))) {
      const may = state === 'signed' || state === 'submitted';
      expect(job(state, { active: false, failure }).canCancel).toBe(may);
      expect(job(state, { active: false, failure: { ...failure, code: 'rejected' } }).canCancel).toBe(may);
      expect(job(state, { active: true, failure }).canCancel).toBe(false);
      expect(job(state, { active: false, failure: { ...failure, code: 'internal' } }).canCancel).toBe(false);
    }
  });

  it('can be approved only while it waits and every check passed', () => {
    const waiting = { active: false, awaitingApproval: true };
    expect(job('reviewed', { ...waiting, review }).canApprove).toBe(true);
    expect(job('reviewed', { ...waiting, review: { ...review, ok: false } }).canApprove).toBe(false);
    expect(job('reviewed', { ...waiting, review: null }).canApprove).toBe(false);
    expect(job('reviewed', { active: true, awaitingApproval: false, review }).canApprove).toBe(false);
  });

  it('can be retried once it stopped at a failure that nothing tries again', () => {
    const failure = { code: 'rejected' as const, message: 'no' };
    expect(job('built', { active: false, failure }).canRetry).toBe(true);
    expect(job('built', { active: true, failure }).canRetry).toBe(false);
    expect(job('built', { active: false }).canRetry).toBe(false);
  });
});
