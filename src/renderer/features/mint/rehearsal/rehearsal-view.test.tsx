import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Rehearsal } from '../../../../contract/index.ts';
import type { HostAnswers } from '../../../test-support/fake-host.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { run, runItem, runPlan } from '../../../test-support/samples.ts';
import { RehearsalView } from './rehearsal-view.tsx';

const running: Rehearsal = {
  id: 'h1',
  projectUid: 'p1',
  projectName: 'Gallery',
  direct: false,
  state: 'minting',
  failure: null,
  items: 3,
  copied: 3,
  plan: runPlan,
  run: { ...run, state: 'minting', minted: 1 },
  bytes: null,
  fee: null,
  milliseconds: null,
  startedAt: 1,
  endedAt: null,
};
const done: Rehearsal = {
  ...running,
  state: 'done',
  run: { ...run, state: 'done', minted: 3 },
  bytes: 1_190,
  fee: 98,
  milliseconds: 1_500,
  endedAt: 2,
};

function show(rehearsal: Rehearsal, rehearsals: HostAnswers['rehearsals'] = {}) {
  return renderPart(<RehearsalView rehearsal={rehearsal} />, {
    host: { rehearsals: { items: () => ({ items: [runItem], next: null }), ...rehearsals } },
  });
}

describe('a rehearsal', () => {
  it('can be cancelled while it runs, and does not offer the real mint', async () => {
    const cancelled: unknown[] = [];
    const user = show(running, {
      cancel: (input) => {
        cancelled.push(input);
        return { ...running, state: 'cancelled' };
      },
    });
    expect(screen.queryByRole('button', { name: 'Mint it for real' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Cancel the rehearsal' }));
    await expect.poll(() => cancelled).toEqual([{ id: 'h1' }]);
  });

  it('ends with the exact cost, size and time, and offers the real mint of its plan', () => {
    show(done);
    expect(screen.getByText('101 sat')).toBeTruthy();
    expect(screen.getByText('98 sat')).toBeTruthy();
    expect(screen.getByText('1.2 kB for 300 B of art')).toBeTruthy();
    expect(screen.getByText('1 s')).toBeTruthy();
    // The one that divides the money is counted once.
    expect(screen.getByText('Transactions').nextElementSibling?.textContent).toBe('2');
    expect(screen.getByRole('button', { name: 'Mint it for real' })).toBeTruthy();
  });

  it('that did not mint every token does not offer the real mint', () => {
    show({ ...done, run: { ...run, state: 'done', minted: 2, failed: 1 } });
    expect(screen.queryByRole('button', { name: 'Mint it for real' })).toBeNull();
  });

  it('that failed says why and can be started again', async () => {
    const started: unknown[] = [];
    const failure = { code: 'upstream-error', message: 'The miner failed.', hint: 'Try again.' } as const;
    const user = show(
      { ...running, state: 'failed', failure },
      {
        start: (input) => {
          started.push(input);
          return running;
        },
      },
    );
    expect(screen.getByText(/The miner failed/)).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Rehearse again' }));
    await expect.poll(() => started).toEqual([{ projectUid: 'p1', direct: false }]);
  });
});
