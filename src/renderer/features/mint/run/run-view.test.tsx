import { act, screen, within } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Run, RunItem, RunPlan } from '../../../../contract/index.ts';
import { type HostAnswers, refusal } from '../../../test-support/fake-host.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { DIGEST, run, runItem, runPlan } from '../../../test-support/samples.ts';
import { RunPlanView } from './plan/run-plan.tsx';
import { RunView } from './run-view.tsx';

const refused = { code: 'rejected', message: 'The miner refused it.', hint: 'Raise the fee.' } as const;
const working: Partial<Run> = { state: 'minting', approvedAt: 1, canApprove: false, canPause: true, canCancel: true };

afterEach(() => vi.useRealTimers());

function show(
  changes: Partial<Run>,
  { items = [runItem], runs = {} }: { items?: RunItem[]; runs?: HostAnswers['runs'] } = {},
) {
  const host: HostAnswers = { runs: { items: () => ({ items, next: null }), ...runs } };
  return renderPart(<RunView run={{ ...run, ...changes }} plan={runPlan} />, { host });
}

describe('the page of a run', () => {
  it('shows plan and cost, and approves the digest of the plan shown', async () => {
    const approved: unknown[] = [];
    const user = show(
      {},
      {
        runs: {
          approve: (input) => {
            approved.push(input);
            return { ...run, ...working };
          },
        },
      },
    );
    expect(screen.getByText('Divide your money')).toBeTruthy();
    expect(screen.getByText(/It never costs more than 120 sat/)).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Show them' }));
    expect(screen.getByText(/holds 130 sat ready, and what it does not spend comes back as change/)).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Approve and mint for 103 sat' }));
    await expect.poll(() => approved).toEqual([{ id: 'r1', digest: DIGEST }]);
  });

  it('says before the approval who gets a share of later sales', () => {
    const royalties = [{ destination: 'me@example.com', percentage: '0.05' }];
    renderPart(<RunView run={run} plan={{ ...runPlan, royalties }} />, {});
    expect(screen.getByText(/Written into each token for ever/)).toBeTruthy();
    expect(screen.getByText('me@example.com').closest('li')?.textContent).toContain('5% to me@example.com');
  });

  it('names a receiver by the whole address, since two can be alike in their shortened form', () => {
    const destination = 'mstCnezoUKGMSqCNaR4VL46pbfALK39jQ9';
    renderPart(<RunView run={run} plan={{ ...runPlan, destination }} />, {});
    expect(screen.getByText(new RegExp(`^You mint .* to ${destination}\\.`))).toBeTruthy();
  });

  it('says after it was cancelled what it cost', () => {
    show({ state: 'cancelled', fee: 147 });
    expect(screen.getByText('A fee of 147 sat was paid before. What is not minted can be minted again.')).toBeTruthy();
    expect(screen.queryByText(/Nothing was spent/)).toBeNull();
  });

  it('says that nothing was spent where it was cancelled before', () => {
    show({ state: 'cancelled', fee: 0 });
    expect(screen.getByText('Nothing was spent. The items can be minted again.')).toBeTruthy();
  });

  it('says before the approval how many files are minted already, and lets it be approved', () => {
    const repeats = [{ projectUid: 'p2', projectName: 'First Moons', files: 2 }];
    renderPart(<RunView run={run} plan={{ ...runPlan, repeats }} />, {});
    expect(screen.getByText('2 of them are tokens of First Moons.')).toBeTruthy();
    expect(screen.getByRole<HTMLButtonElement>('button', { name: /^Approve and mint/ }).disabled).toBe(false);
  });

  it('offers to pause while it works, with its rate and the time left', () => {
    show({ ...working, minted: 1, rate: 12.5, millisecondsLeft: 4_000 });
    expect(screen.getByRole('button', { name: 'Pause' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Resume' })).toBeNull();
    expect(screen.getByText('1 of 3')).toBeTruthy();
    expect(screen.getByText('12.5 a second')).toBeTruthy();
    expect(screen.getByText('less than a minute left')).toBeTruthy();
  });

  describe('while it asks whether to cancel the rest', () => {
    const open = async (cancel: NonNullable<HostAnswers['runs']>['cancel'] = () => run) => {
      const calls: string[] = [];
      const told = (name: string) => () => {
        calls.push(name);
        return { ...run, ...working };
      };
      const runs = {
        pause: told('pause'),
        resume: told('resume'),
        cancel: (input: { id: string }) => {
          calls.push('cancel');
          return cancel(input);
        },
      };
      const user = show(working, { runs });
      await user.click(screen.getByRole('button', { name: 'Cancel the rest' }));
      await expect.poll(() => calls).toEqual(['pause']);
      const dialog = await screen.findByRole('dialog');
      expect(dialog.textContent).toContain('The mint is held until you decide.');
      return { calls, user, dialog };
    };

    it('pauses the run, and resumes it after Back', async () => {
      const { calls, user, dialog } = await open();
      await user.click(within(dialog).getByRole('button', { name: 'Back' }));
      await expect.poll(() => calls).toEqual(['pause', 'resume']);
    });

    it('resumes the run after the dialog is closed in another way', async () => {
      const { calls, user } = await open();
      await user.keyboard('{Escape}');
      await expect.poll(() => calls).toEqual(['pause', 'resume']);
    });

    it('keeps the run paused until the rest is cancelled', async () => {
      const { calls, user, dialog } = await open();
      await user.click(within(dialog).getByRole('button', { name: 'Cancel them' }));
      await expect.poll(() => calls).toEqual(['pause', 'cancel']);
    });

    it('resumes the run where everything was signed in the meantime', async () => {
      const { calls, user, dialog } = await open(() => {
        throw refusal({ code: 'conflict', id: 'run.all-signed', message: 'Every transaction is signed.' });
      });
      await user.click(within(dialog).getByRole('button', { name: 'Cancel them' }));
      await expect.poll(() => calls).toEqual(['pause', 'cancel', 'resume']);
    });
  });

  it('shows no rate while it only waits for blocks', () => {
    show({ ...working, splitTxid: 'ab'.repeat(32), minted: run.items, rate: 12.5 });
    expect(screen.getByText('Waiting for blocks')).toBeTruthy();
    expect(screen.queryByText(/a second/)).toBeNull();
  });

  it('says no more that it goes on by itself once it is over, but that nothing was left to cancel', async () => {
    const refuse = () => {
      throw refusal({ code: 'conflict', id: 'run.all-signed', message: 'Every transaction is signed.' });
    };
    function Ending() {
      const [isOver, setOver] = useState(false);
      return (
        <>
          <RunView
            run={{ ...run, ...working, canPause: false, ...(isOver && { state: 'done', canCancel: false }) }}
            plan={runPlan}
          />
          <button type="button" onClick={() => setOver(true)}>
            End
          </button>
        </>
      );
    }
    const user = renderPart(<Ending />, {
      host: { runs: { items: () => ({ items: [runItem], next: null }), cancel: refuse } },
    });
    await user.click(screen.getByRole('button', { name: 'Cancel the rest' }));
    await user.click(await screen.findByRole('button', { name: 'Cancel them' }));
    expect(await screen.findByText('Every transaction is signed.')).toBeTruthy();
    await user.click(await screen.findByRole('button', { name: 'End' }));
    expect(screen.queryByText('Every transaction is signed.')).toBeNull();
    expect(screen.getByText('Nothing was left to cancel: every transaction was signed already.')).toBeTruthy();
  });

  it('says why it paused and goes on where it is told to', async () => {
    const resumed: unknown[] = [];
    const user = show(
      { ...working, state: 'paused', canPause: false, canResume: true, failure: refused },
      {
        runs: {
          resume: (input) => {
            resumed.push(input);
            return { ...run, ...working };
          },
        },
      },
    );
    expect(screen.getByText(refused.message)).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Resume' }));
    await expect.poll(() => resumed).toEqual([{ id: 'r1' }]);
  });

  it('says first that tokens failed, and ticks no transaction off that may be one of them', async () => {
    const transactions = { total: 3, submitted: 2, proven: 2, failed: 1 };
    show(
      { ...working, state: 'done', minted: 1, failed: 2, splitTxid: 'ab'.repeat(32), endedAt: 2, transactions },
      {
        items: [
          { ...runItem, state: 'proven', outpoint: `${'ab'.repeat(32)}_0` },
          { ...runItem, id: 'i2', name: 'Moon 2', failure: refused },
        ],
      },
    );
    const told = screen.getByText('2 of 3 tokens failed');
    expect(screen.queryByText(/mined and proven$/)).toBeNull();
    const minted = await screen.findByRole('heading', { name: 'Minted' });
    expect(told.compareDocumentPosition(minted) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    const tree = screen.getByRole('heading', { name: 'The plan' }).closest('section') as HTMLElement;
    const nodes = within(tree).getAllByRole('listitem');
    expect(nodes.map(({ dataset }) => dataset.done)).toEqual(['true', 'true', undefined]);
  });

  it('leads from a finished run to the pages that show its tokens to others', () => {
    show({ ...working, state: 'done', items: 3, minted: 3, endedAt: 2 });
    expect(screen.getByText('Your 3 tokens are mined and proven')).toBeTruthy();
    const publish = screen.getByRole('link', { name: 'Publish' });
    expect(publish.getAttribute('href')).toBe(`#/projects/${run.projectUid}?publish`);
  });

  it('says how many failed and how many were cancelled where both happened', () => {
    show({ ...working, state: 'done', items: 9, minted: 4, failed: 3, cancelled: 2, endedAt: 2 });
    expect(screen.getByText('4 minted, 3 failed, 2 cancelled')).toBeTruthy();
    expect(screen.getByText(/What was cancelled is a draft again and can be minted later\.$/)).toBeTruthy();
  });

  it('offers to cancel what failed before it was signed, and says why that failed', async () => {
    const cancelled: unknown[] = [];
    const changes = { ...working, state: 'done', minted: 1, failed: 2, canPause: false, endedAt: 2 } as const;
    const user = show(changes, {
      runs: {
        cancel: (input) => {
          cancelled.push(input);
          throw refusal({ code: 'upstream-unreachable', message: 'The node does not answer.' });
        },
      },
    });
    expect(screen.getByText(/never signed can also be cancelled/)).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Cancel the rest' }));
    await user.click(await screen.findByRole('button', { name: 'Cancel them' }));
    await expect.poll(() => cancelled).toEqual([{ id: 'r1' }]);
    expect(await screen.findByText('The node does not answer.')).toBeTruthy();
    expect(screen.queryByText(/Nothing was left to cancel/)).toBeNull();
  });

  it('says how many are minted and how many cancelled, and offers to mint the others', async () => {
    const transactions = { total: 2, submitted: 2, proven: 2, failed: 0 };
    const changes = {
      ...working,
      canCancel: false,
      canPause: false,
      splitTxid: 'ab'.repeat(32),
      endedAt: 2,
      transactions,
    };
    const user = show({ ...changes, state: 'done', minted: 1, cancelled: 2 });
    expect(screen.getByText('1 minted, 2 cancelled')).toBeTruthy();
    expect(screen.queryByText(/Your 1 token is/)).toBeNull();
    expect(screen.getByText('1 of 3')).toBeTruthy();
    expect(screen.getByText('Ended: the rest is cancelled')).toBeTruthy();
    await user.click(screen.getByRole('link', { name: 'Mint the other 2' }));
    expect(location.hash).toBe('#/projects/p1/mint');
  });

  it('opens the reason of a failed token, and retries its transaction alone or all that failed', async () => {
    const retried: unknown[] = [];
    const items = [runItem, { ...runItem, id: 'i2', name: 'Moon 2', failure: refused }];
    const user = show(
      { ...working, state: 'done', failed: 1, canPause: false, canCancel: false, canRetry: true },
      {
        items,
        runs: {
          retry: (input) => {
            retried.push(input);
            return { ...run, ...working };
          },
        },
      },
    );
    await user.click(await screen.findByRole('button', { name: 'Moon 2 failed: show why' }));
    const note = screen.getByRole('alert');
    expect(note.textContent).toContain(refused.message);
    await user.click(within(note).getByRole('button', { name: 'Retry only this transaction' }));
    await expect.poll(() => retried).toEqual([{ id: 'r1', jobId: runItem.jobId }]);
    await user.click(screen.getByRole('button', { name: 'Retry what failed' }));
    await expect.poll(() => retried).toHaveLength(2);
    expect(retried[1]).toEqual({ id: 'r1' });
  });
});

describe('the plan of a project', () => {
  const props = { uid: 'p1', items: [], onChoose: () => {} };
  const live = { wallet: { address: runPlan.destination, balance: { spendable: 1 } } as never };
  const approve = () => screen.findByRole<HTMLButtonElement>('button', { name: 'Approve and mint for 103 sat' });

  it('is not approved unseen if it changed while it was created', async () => {
    const calls: string[] = [];
    const user = renderPart(<RunPlanView {...props} />, {
      live,
      host: {
        runs: {
          plan: () => runPlan,
          create: () => {
            calls.push('create');
            return { ...run, digest: '0'.repeat(64) };
          },
          approve: () => {
            calls.push('approve');
            return run;
          },
        },
      },
    });
    await user.click(await approve());
    await expect.poll(() => location.hash).toBe('#/runs/r1');
    expect(calls).toEqual(['create']);
  });

  it('cannot be approved while it has a problem, and is requested again by itself', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    let problems: RunPlan['problems'] = [{ code: 'conflict', message: 'Too many calls.' }];
    renderPart(<RunPlanView {...props} />, { live, host: { runs: { plan: () => ({ ...runPlan, problems }) } } });
    expect((await approve()).disabled).toBe(true);
    expect(screen.getByText('Too many calls.')).toBeTruthy();
    problems = [];
    act(() => vi.advanceTimersByTime(5_000));
    await expect.poll(async () => (await approve()).disabled).toBe(false);
  });
});
