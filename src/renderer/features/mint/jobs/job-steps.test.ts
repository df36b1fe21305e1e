import { describe, expect, it } from 'vitest';
import type { MintJob, MintState } from '../../../../contract/index.ts';
import { endOf, mintPath, stepsOf, wizardStepOf } from './job-steps.ts';

const job = (state: MintState, reached: MintState[], failure: MintJob['failure'] = null, active = false) => ({
  state,
  active,
  failure,
  history: reached.map((one, index) => ({ state: one, at: 1_000 * (index + 1) })),
});
const states = (one: ReturnType<typeof job>): string[] => stepsOf(one, (state) => state).map((step) => step.state);

describe('steps of a mint job', () => {
  it('marks what is reached, what is worked on, and what is to come', () => {
    expect(states(job('built', ['draft', 'uploaded', 'built']))).toEqual([
      ...['done', 'done', 'done', 'now'],
      ...Array<string>(5).fill('next'),
    ]);
    expect(states(job('proven', [...mintPath])).every((state) => state === 'done')).toBe(true);
  });

  it('puts a failure at the step that was not reached', () => {
    expect(states(job('signed', ['draft'], { code: 'rejected', message: 'no' }))[5]).toBe('failed');
    // one that is tried again by itself is still at work
    expect(states(job('signed', ['draft'], { code: 'upstream-error', message: 'later' }, true))[5]).toBe('now');
  });

  it('shows how far a cancelled job came and works on nothing', () => {
    const visible = states(job('cancelled', ['draft', 'uploaded', 'cancelled']));
    expect(visible.slice(0, 3)).toEqual(['done', 'done', 'next']);
    expect(visible).not.toContain('now');
  });

  it('shows how long each step took', () => {
    const steps = stepsOf(job('uploaded', ['draft', 'uploaded']), (state) => state);
    expect(steps[0]).toEqual({ key: 'draft', label: 'draft', state: 'done', at: 1_000 });
    expect(steps[1]?.took).toBe(1_000);
  });

  it('keeps the wizard at the review until the job is signed, and then at the progress', () => {
    for (const state of mintPath) {
      expect(wizardStepOf({ state })).toBe(mintPath.indexOf(state) < mintPath.indexOf('signed') ? 2 : 3);
    }
  });

  it('ends when it is proven, cancelled, or failed for good', () => {
    const end = { updatedAt: 9, active: false, failure: null };
    expect(endOf({ ...end, state: 'proven' })).toBe(9);
    expect(endOf({ ...end, state: 'cancelled' })).toBe(9);
    expect(endOf({ ...end, state: 'mined' })).toBeUndefined();
    expect(endOf({ ...end, state: 'built', failure: { code: 'rejected', message: 'no' } })).toBe(9);
    expect(
      endOf({ ...end, state: 'built', active: true, failure: { code: 'rejected', message: 'no' } }),
    ).toBeUndefined();
  });
});
