import { describe, expect, it } from 'vitest';
import { formatOutpoint } from '../../chain/index.ts';
import type { TokenRequest } from '../../contract/index.ts';
import { addressOf } from '../../token/test-support/forge.ts';
import { keys } from '../../token/test-support/keys.ts';
import { newJob } from '../transaction-jobs/job-row.ts';
import { draftOf, jobOf, requestOf, reviewOf, storedDraft } from './journal.ts';
import { reviewDraft } from './review.ts';
import type { JobRow } from './tables.ts';
import { publicKey, RATE, TokenLedger } from './test-support/token-ledger.ts';

async function reviewedRow(): Promise<{ ledger: TokenLedger; row: JobRow; request: TokenRequest }> {
  const ledger = new TokenLedger();
  const [token = ''] = await ledger.issued([600]);
  ledger.fund(50_000);
  const request: TokenRequest = { action: 'transfer', token, to: addressOf(keys.bob) };
  const draft = await ledger.draft(request);
  const review = reviewDraft(request, draft, {
    network: 'test',
    rate: RATE,
    caps: { maxFeeSatoshis: 100_000, maxFeeRate: 1_000 },
    publicKey: publicKey(),
    held: new Set(draft.spent.map(formatOutpoint)),
    history: undefined,
  });
  const asked = { id: 'job', network: 'test', idempotency_key: 'key', request: JSON.stringify(request), now: 5 };
  const row: JobRow = {
    ...newJob(asked),
    symbol: draft.symbol,
    state: 'reviewed',
    review: JSON.stringify(review),
    unsigned: storedDraft(draft),
  };
  return { ledger, row, request };
}

describe('a stored job', () => {
  it('gives back the transaction that was reviewed, which can be signed as it is', async () => {
    const { ledger, row, request } = await reviewedRow();
    expect(requestOf(row)).toEqual(request);
    const { txid } = ledger.accept(draftOf(row));
    expect(txid).toMatch(/^[0-9a-f]{64}$/);
    expect(reviewOf(row).ok).toBe(true);
  });

  it.each<[string, Partial<JobRow>, object]>([
    ['waits for its approval', {}, { canApprove: true, canCancel: true, canRetry: false, awaitingApproval: true }],
    ['cannot be approved once it stopped', { halted: 1 }, { canApprove: false, canRetry: false, active: false }],
    ['is followed once it is sent', { state: 'submitted' }, { canApprove: false, canCancel: false, active: true }],
    ['can be sent again when it was refused', { state: 'signed', halted: 1 }, { canRetry: true, active: false }],
    ['is done when it is mined', { state: 'mined' }, { canCancel: false, canRetry: false }],
  ])('%s', async (_what, changes, flags) => {
    const { row } = await reviewedRow();
    expect(jobOf({ ...row, ...changes })).toMatchObject({ symbol: 'CAFE', ...flags });
  });

  it('cannot be approved where its review failed', async () => {
    const { row } = await reviewedRow();
    const review = JSON.stringify({ ...reviewOf(row), ok: false });
    expect(jobOf({ ...row, review })).toMatchObject({ awaitingApproval: true, canApprove: false });
  });
});
