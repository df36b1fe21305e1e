import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, it } from 'vitest';
import {
  type HeaderSourceStatus,
  type HeadersStatus,
  type NetworkSource,
  PlanchetError,
  type PublicSourceName,
  publicSourceFacts,
  publicSourceNames,
} from '../../../contract/index.ts';
import { refusal } from '../../test-support/fake-host.ts';
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

const serviceOf = (name: PublicSourceName, change: Partial<NetworkSource> = {}): NetworkSource => ({
  name,
  ...publicSourceFacts[name],
  on: true,
  address: '',
  host: `${name}.example`,
  hasKey: false,
  ...change,
});
let services: NetworkSource[];
let saved: object[];
let refused: PlanchetError | undefined;
beforeEach(() => {
  refused = undefined;
  services = publicSourceNames.map((name) => serviceOf(name));
  saved = [];
});

/** @returns whether the page sent the request */
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
  const sources = {
    list: () => services,
    save: (change: object) => {
      saved.push(change);
      if (refused !== undefined) throw refusal(refused.toFailure());
      return services;
    },
  };
  renderPart(<ChainSources network="main" />, { host: { headers: { status: answer }, networks: { sources } } });
  return () => isAsked;
}

it('the card of the chain sources names each source, its last block, and what it learns', async () => {
  show({});
  expect(await screen.findByText('Two operators agree on block 975,120')).toBeTruthy();
  expect(await screen.findByText('WhatsOnChain')).toBeTruthy();
  expect(screen.getAllByText('GorillaPool')).toHaveLength(2);
  expect(screen.getAllByText(/at block 975,120/)).toHaveLength(2);
  expect(screen.getAllByText(/Learns which addresses of yours belong together/)).toHaveLength(3);
  expect(screen.getAllByText(/Learns that headers are read/)).toHaveLength(2);
});

it('the card of the chain sources says that nothing counts as settled while they disagree, and which are unusable', async () => {
  show({
    isAgreed: false,
    sources: [
      source({
        refused: 2,
        agreesTo: null,
        failure: { code: 'upstream-error', message: 'The header at height 7 is of the future.' },
      }),
      source({ name: 'arcade', operator: 'BSV Association', height: null, agreesTo: null }),
    ],
  });
  expect(await screen.findByText(/No two operators agree on the newest block/)).toBeTruthy();
  expect(await screen.findByText(/2 answers did not hold · The header at height 7/)).toBeTruthy();
  expect(screen.getByText(/arcade.example · has not answered yet/)).toBeTruthy();
});

it('the card of the chain sources says that no source replies, instead of reporting a disagreement', async () => {
  const failure = { code: 'upstream-error', message: 'its name is not found' } as const;
  const silent = { height: null, agreesTo: null, failure };
  show({ isAgreed: false, failure, sources: [source(silent), source({ ...silent, name: 'arcade' })] });
  expect(
    await screen.findByText(/^None of the public services answers\. Is this computer on the internet/),
  ).toBeTruthy();
  expect(screen.queryByText(/No two operators agree/)).toBeNull();
});

it('the card of the chain sources says that they are being asked before the first reply', async () => {
  show({ isAgreed: false, tip: null, sources: [source({ height: null, agreesTo: null })] });
  expect(await screen.findByText('The services are being asked')).toBeTruthy();
});

it('the card of the chain sources switches each source, and accepts an address and a key that it never shows', async () => {
  services[1] = serviceOf('whatsonchain', { hasKey: true });
  services[4] = serviceOf('onesat', { on: false });
  show({});
  const user = userEvent.setup();
  const { onesat, whatsonchain } = await waitFor(() => ({
    onesat: screen.getByRole('switch', { name: 'Ask 1Sat index' }),
    whatsonchain: screen.getByRole('button', { name: 'Address and key of WhatsOnChain' }),
  }));
  expect((onesat as HTMLInputElement).checked).toBe(false);
  expect(screen.getByText(/onesat.example · not asked/)).toBeTruthy();
  await user.click(onesat);
  expect(saved).toEqual([{ network: 'main', name: 'onesat', on: true }]);
  await user.click(whatsonchain);
  const row = document.querySelector('[data-source="whatsonchain"]') as HTMLElement;
  await user.type(within(row).getByLabelText('Address'), 'https://own.example');
  await user.type(within(row).getByLabelText('Key'), 'secret-key');
  await user.click(within(row).getByRole('button', { name: 'Save' }));
  expect(saved[1]).toEqual({
    network: 'main',
    name: 'whatsonchain',
    address: 'https://own.example',
    key: 'secret-key',
  });
  await waitFor(() => expect((within(row).getByLabelText('Key') as HTMLInputElement).value).toBe(''));
  await user.click(within(row).getByRole('button', { name: 'Remove the key' }));
  expect(saved[2]).toEqual({ network: 'main', name: 'whatsonchain', key: '' });
});

it('the card of the chain sources keeps a typed key that could not be saved', async () => {
  show({});
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'Address and key of WhatsOnChain' }));
  const key = () => screen.getByLabelText<HTMLInputElement>(/^Key/, { selector: 'input' });
  await user.type(key(), 'secret-1');
  refused = new PlanchetError('general.disk-full');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText(refused.message)).toBeTruthy();
  expect(key().value).toBe('secret-1');
  refused = undefined;
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(key().value).toBe(''));
});

it('the card of the chain sources is not shown if a node is used', async () => {
  const isAsked = show({ sources: [source({ name: 'node', operator: null })] });
  await waitFor(() => expect(isAsked()).toBe(true));
  expect(screen.queryByText('Who tells of the chain')).toBeNull();
});
