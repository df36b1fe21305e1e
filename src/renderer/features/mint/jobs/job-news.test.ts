import { describe, expect, it } from 'vitest';
import type { MintJob } from '../../../../contract/index.ts';
import { newsOf } from './job-news.ts';

const job = (changes: Partial<MintJob>) =>
  ({ state: 'built', failure: null, active: true, awaitingApproval: false, ...changes }) as MintJob;
const failure = { code: 'rejected', message: 'no' } as const;

describe('news of a job', () => {
  it('is reported once, when it happens', () => {
    expect(newsOf(job({ state: 'mined' }), job({ state: 'proven' }))).toBe('minted');
    expect(newsOf(job({ state: 'proven' }), job({ state: 'proven' }))).toBeNull();
    expect(newsOf(job({}), job({ awaitingApproval: true }))).toBe('waiting');
    expect(newsOf(job({ awaitingApproval: true }), job({ awaitingApproval: true }))).toBeNull();
    expect(newsOf(job({}), job({ failure, active: false }))).toBe('failed');
    expect(newsOf(job({ failure, active: false }), job({ failure, active: false }))).toBeNull();
  });

  it('leaves out retries, intermediate steps and jobs that are seen for the first time', () => {
    expect(newsOf(job({}), job({ failure, active: true }))).toBeNull();
    expect(newsOf(job({ state: 'seen' }), job({ state: 'mined' }))).toBeNull();
    expect(newsOf(undefined, job({ state: 'proven' }))).toBeNull();
  });
});
