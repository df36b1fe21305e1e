import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { MintJob } from '../../../../contract/index.ts';
import { refusal } from '../../../test-support/fake-host.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { DIGEST, item, job, review } from '../../../test-support/samples.ts';
import { JobView } from './job-view.tsx';

const rejected = { code: 'rejected', message: 'The miner refused it: fee too low.', hint: 'Raise the fee.' } as const;
const view = (changes: Partial<MintJob>) => <JobView job={{ ...job, ...changes }} items={[item]} />;
const button = (name: string) => screen.queryByRole('button', { name });

describe('the page of a mint job', () => {
  it('sends the digest of the transaction shown when the person approves', async () => {
    const approved: unknown[] = [];
    const user = renderPart(view({}), {
      host: {
        mint: {
          approve: (input) => {
            approved.push(input);
            return { ...job, state: 'signed', awaitingApproval: false };
          },
        },
      },
    });
    expect(screen.getByText('All 2 checks passed')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: /^Approve/ }));
    await expect.poll(() => approved).toEqual([{ id: 'j1', digest: DIGEST }]);
  });

  it('names the sum on the button that approves it', () => {
    renderPart(view({}));
    expect(screen.getByRole('button', { name: 'Approve and mint for 51 sat' })).toBeTruthy();
  });

  it('cannot be approved when a check failed, and lists that check first', async () => {
    const failed = { id: 'fee-limit', passed: false, text: 'The fee is above your limit.' };
    const checks = [review.checks[0] as (typeof review.checks)[number], failed];
    const user = renderPart(view({ canApprove: false, review: { ...review, ok: false, checks } }));
    expect(screen.getByRole<HTMLButtonElement>('button', { name: /^Approve/ }).disabled).toBe(true);
    expect(screen.getByRole('alert').textContent).toMatch(/1 check/);
    const listed = (): (string | undefined)[] =>
      screen.getAllByRole('listitem').flatMap(({ dataset }) => dataset.check ?? []);
    expect(listed()).toEqual(['fee-limit']);
    await user.click(screen.getByRole('button', { name: 'Show them' }));
    expect(listed()).toEqual(['fee-limit', 'destination']);
  });

  it('cannot be approved when the review as a whole is not in order', () => {
    renderPart(view({ canApprove: false, review: { ...review, ok: false } }));
    expect(screen.getByRole<HTMLButtonElement>('button', { name: /^Approve/ }).disabled).toBe(true);
  });

  it('shows why an approval was refused, with the fix, and keeps the review', async () => {
    const failure = { code: 'conflict', message: 'The transaction has changed.', hint: 'Read it again.' } as const;
    const user = renderPart(view({}), {
      host: {
        mint: {
          approve: () => {
            throw refusal(failure);
          },
        },
      },
    });
    await user.click(screen.getByRole('button', { name: /^Approve/ }));
    expect(await screen.findByText(failure.message)).toBeTruthy();
    expect(screen.getByText(failure.hint)).toBeTruthy();
    expect(button('Show every field')).toBeTruthy();
  });

  it('offers to cancel and to retry only where the host allows it', () => {
    const stopped = { state: 'signed', awaitingApproval: false, canApprove: false, failure: rejected } as const;
    renderPart(view({ ...stopped, canCancel: false, canRetry: false }));
    expect(button('Cancel this mint')).toBeNull();
    expect(button('Try again')).toBeNull();
  });

  it('offers no cancelling once the transaction may be on its way', () => {
    renderPart(
      view({ state: 'submitted', awaitingApproval: false, active: true, canApprove: false, canCancel: false }),
    );
    expect(button('Cancel this mint')).toBeNull();
  });

  it('offers to cancel or retry what the miner refused', async () => {
    const calls: string[] = [];
    const user = renderPart(
      view({ state: 'signed', awaitingApproval: false, canApprove: false, canRetry: true, failure: rejected }),
      {
        host: {
          mint: {
            retry: ({ id }) => {
              calls.push(`retry ${id}`);
              return { ...job, active: true };
            },
            cancel: ({ id }) => {
              calls.push(`cancel ${id}`);
              return { ...job, state: 'cancelled' };
            },
          },
        },
      },
    );
    expect(screen.getByText('Raise the fee.')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    await user.click(screen.getByRole('button', { name: 'Cancel this mint' }));
    await expect.poll(() => calls).toEqual(['retry j1', 'cancel j1']);
  });

  it('says when a failed step is tried again and offers no retry of its own', () => {
    const retryAt = Date.now() + 30_000;
    renderPart(view({ state: 'signed', awaitingApproval: false, active: true, failure: rejected, retryAt }));
    expect(screen.getByText(/in (29|30) s/)).toBeTruthy();
    expect(button('Try again')).toBeNull();
  });

  it('leads from a cancelled job to a new mint', () => {
    renderPart(view({ state: 'cancelled', awaitingApproval: false }));
    expect(screen.getByRole('link').getAttribute('href')).toBe('#/projects/p1/mint');
  });
});
