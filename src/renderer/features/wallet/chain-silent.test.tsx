import { useQueryClient } from '@tanstack/react-query';
import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { HeaderSourceStatus, HeadersStatus } from '../../../contract/index.ts';
import { renderPart } from '../../test-support/render.tsx';
import { appInfo } from '../../test-support/samples.ts';
import { ChainSilent } from './chain-silent.tsx';

const failure = { code: 'upstream-error', message: 'its name is not found' } as const;
const silent: HeaderSourceStatus = { name: 'a', operator: 'A', height: null, agreesTo: null, refused: 0, failure };
const answers: HeaderSourceStatus = { ...silent, height: 7, agreesTo: 7, failure: null };

function AskAgain() {
  const queries = useQueryClient();
  return (
    <button type="button" onClick={() => void queries.invalidateQueries()}>
      ask
    </button>
  );
}

function show(height: number | null, change: Partial<HeadersStatus>) {
  const status = (): HeadersStatus => ({
    chain: 'main',
    tip: { hash: 'ab'.repeat(32), height: 7, time: 0 },
    target: null,
    lowest: 0,
    downTo: null,
    work: null,
    isAgreed: true,
    sources: [answers, { ...answers, name: 'b', operator: 'B' }],
    isReading: false,
    bytes: 0,
    checkpoint: null,
    failure: null,
    ...change,
  });
  const live = { app: { ...appInfo, network: 'main' as const } };
  const part = (
    <>
      <ChainSilent height={height} />
      <AskAgain />
    </>
  );
  return renderPart(part, { host: { headers: { status } }, live });
}

describe('the balance of a wallet', () => {
  it('has a warning where no public service answers, with a link to the page of the services', async () => {
    show(null, { isAgreed: false, failure, sources: [silent, { ...silent, name: 'b', operator: 'B' }] });
    expect(await screen.findByText('No public service answers')).toBeTruthy();
    expect(screen.getByText(/^The chain was not searched yet/)).toBeTruthy();
    expect(screen.getByRole('link', { name: 'See who answers' }).getAttribute('href')).toBe('#/networks/main');
  });

  it('names the block up to which it is known, also where the services agreed before they stopped answering', async () => {
    // An archive of old headers is never asked for the newest ones.
    show(1_234, { failure, sources: [silent, { ...answers, name: 'cdn', operator: 'C' }] });
    expect(await screen.findByText(/what was known at block 1,234/)).toBeTruthy();
  });

  it('tells operators that disagree from a node that does not answer', async () => {
    show(7, { isAgreed: false, sources: [answers, { ...silent, name: 'b' }] });
    expect(await screen.findByText('The public services do not agree on the newest block')).toBeTruthy();
    show(7, { failure, sources: [{ ...silent, operator: null }] });
    expect(await screen.findByText('Your node does not answer')).toBeTruthy();
  });

  it('has no warning once a service answers again', async () => {
    const told: Partial<HeadersStatus> = { failure, sources: [silent] };
    const user = show(7, told);
    await screen.findByText('No public service answers');
    Object.assign(told, { failure: null, sources: [answers, { ...silent, name: 'b' }] });
    await user.click(screen.getByRole('button', { name: 'ask' }));
    await expect.poll(() => screen.queryByText('No public service answers')).toBeNull();
  });
});
