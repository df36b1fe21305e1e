import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { HeaderSourceStatus, HeadersStatus } from '../../../contract/index.ts';
import { renderPart } from '../../test-support/render.tsx';
import { ChainSources } from './chain-sources.tsx';
import './texts.ts';

const source = (change: Partial<HeaderSourceStatus>): HeaderSourceStatus => ({
  name: 'whatsonchain',
  operator: 'TAAL',
  height: 975_120,
  agreesTo: 975_120,
  refused: 0,
  failure: null,
  ...change,
});

/** @returns whether the page has asked */
function show(status: Partial<HeadersStatus>): () => boolean {
  let isAsked = false;
  const known: HeadersStatus = {
    chain: 'main',
    tip: { hash: 'ab'.repeat(32), height: 975_120, time: 1_790_000_000_000 },
    target: null,
    lowest: 942_614,
    downTo: null,
    work: null,
    isAgreed: true,
    sources: [source({}), source({ name: 'bananablocks', operator: 'GorillaPool' })],
    isReading: false,
    bytes: 0,
    checkpoint: 942_760,
    failure: null,
    ...status,
  };
  const answer = (): HeadersStatus => {
    isAsked = true;
    return known;
  };
  renderPart(<ChainSources />, { host: { headers: { status: answer } } });
  return () => isAsked;
}

it('names who tells of the chain, at which block, and what each learns', async () => {
  show({});
  expect(await screen.findByText('Two operators agree on block 975,120')).toBeTruthy();
  expect(screen.getByText('WhatsOnChain')).toBeTruthy();
  expect(screen.getByText('GorillaPool')).toBeTruthy();
  expect(screen.getAllByText('at block 975,120')).toHaveLength(2);
  expect(screen.getByText(/learn which addresses of yours are looked for/)).toBeTruthy();
});

it('says that nothing counts as settled while they disagree, and who is of no use', async () => {
  show({
    isAgreed: false,
    sources: [
      source({ refused: 2, agreesTo: null, failure: 'The header at height 7 is of the future.' }),
      source({ name: 'arcade', operator: 'BSV Association', height: null, agreesTo: null }),
    ],
  });
  expect(await screen.findByText(/No two operators agree on the newest block/)).toBeTruthy();
  expect(screen.getByText(/2 answers did not hold · The header at height 7/)).toBeTruthy();
  expect(screen.getByText('has not answered yet')).toBeTruthy();
});

it('says that they are being asked before anybody has answered', async () => {
  show({ isAgreed: false, tip: null, sources: [source({ height: null, agreesTo: null })] });
  expect(await screen.findByText('The services are being asked')).toBeTruthy();
});

it('shows nothing where a node is asked', async () => {
  const isAsked = show({ sources: [source({ name: 'node', operator: null })] });
  await waitFor(() => expect(isAsked()).toBe(true));
  expect(screen.queryByText('Who tells of the chain')).toBeNull();
});
