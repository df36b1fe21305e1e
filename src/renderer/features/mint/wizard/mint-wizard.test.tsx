import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Route } from 'wouter';
import { renderPart } from '../../../test-support/render.tsx';
import { ADDRESS, item, job, project } from '../../../test-support/samples.ts';
import { MintWizard } from './mint-wizard.tsx';

it('the wizard shows the review of a mint that was built before its creation was answered', async () => {
  const asked: unknown[] = [];
  const user = renderPart(
    <>
      <Route path="/projects/:uid/mint">{({ uid }) => <MintWizard uid={uid} />}</Route>
      <Route path="/projects/:uid/mint/:jobId">{({ uid, jobId }) => <MintWizard uid={uid} jobId={jobId} />}</Route>
    </>,
    {
      at: '/projects/p1/mint',
      staleTime: Number.POSITIVE_INFINITY,
      host: {
        projects: { get: () => project },
        items: { list: () => [item] },
        wallet: { validateAddress: () => ({ valid: true, failure: null, own: true, contact: null, resembles: null }) },
        mint: {
          estimate: () => ({
            tokens: 1,
            size: 300,
            fee: 50,
            total: 51,
            spendable: 9_000,
            direct: false,
            quotaAvailable: 9,
            royalties: [{ destination: 'me@example.com', percentage: '0.05' }],
            repeats: [{ projectUid: 'p2', projectName: 'First Moons', files: 1 }],
            problems: [],
          }),
          // The answer was made before the events of the steps that followed, which reached the page first.
          create: () => ({ ...job, state: 'draft', review: null, awaitingApproval: false, canApprove: false }),
          get: (input) => {
            asked.push(input);
            return job;
          },
        },
      },
      live: { wallet: { state: 'ready', address: ADDRESS, balance: { spendable: 9_000 } } as never },
    },
  );
  await user.click(await screen.findByRole('button', { name: 'Continue' }));
  expect((await screen.findByText('me@example.com')).closest('li')?.textContent).toContain('5% to me@example.com');
  expect(screen.getByText('1 of them is a token of First Moons.')).toBeTruthy();
  await user.click(await screen.findByRole('button', { name: 'Check before minting' }));
  expect(await screen.findByRole('button', { name: /^Approve and mint/ })).toBeTruthy();
  expect(asked).toEqual([{ id: job.id }]);
});

it('the wizard goes back to the choice where the address does, and keeps what was chosen', async () => {
  const second = { ...item, id: 'i2' };
  const user = renderPart(<Route path="/projects/:uid/mint">{({ uid }) => <MintWizard uid={uid} />}</Route>, {
    at: '/projects/p1/mint',
    host: { projects: { get: () => project }, items: { list: () => [item, second] } },
    live: { wallet: { state: 'ready', address: ADDRESS, balance: { spendable: 9_000 } } as never },
  });
  await user.click((await screen.findAllByRole('checkbox')).at(-1) as HTMLElement);
  expect(await screen.findByText(/1 token selected/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Continue' }));
  expect(await screen.findByText('Who receives the tokens?')).toBeTruthy();
  expect(location.hash).toBe('#/projects/p1/mint?step=funding');
  // What the browser does on Back.
  location.hash = '#/projects/p1/mint';
  expect(await screen.findByText(/1 token selected/)).toBeTruthy();
  expect(location.hash).toBe('#/projects/p1/mint');
});
