import { screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import {
  type HeadersStatus,
  type Item,
  type Miner,
  type NetworkProfile,
  PlanchetError,
  type RunPlan,
  type WalletStatus,
} from '../../../../contract/index.ts';
import { type HostAnswers, refusal } from '../../../test-support/fake-host.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { ADDRESS, appInfo, item, project, runPlan } from '../../../test-support/samples.ts';
import { NetworkPage } from '../network-page.tsx';
import { fits, limitsOf } from './fit.ts';

const profile = (change: Partial<NetworkProfile> = {}): NetworkProfile => ({
  network: 'main',
  active: true,
  entries: [],
  missing: [],
  passphrase: 'none',
  ...change,
});

const wallet = (spendable: number): WalletStatus => ({
  state: 'ready',
  network: 'main',
  address: ADDRESS,
  publicKey: null,
  balance: { spendable, confirmed: spendable, unconfirmed: 0, reserved: 0, tokens: 0 },
  worthless: false,
});

const headers = (change: Partial<HeadersStatus> = {}): HeadersStatus => ({
  chain: 'main',
  tip: { hash: 'ab'.repeat(32), height: 975_120, time: 1_790_000_000_000 },
  target: null,
  lowest: 942_614,
  downTo: null,
  work: null,
  isAgreed: true,
  sources: [
    { name: 'whatsonchain', operator: 'TAAL', height: 975_120, agreesTo: 975_120, refused: 0, failure: null },
    { name: 'bananablocks', operator: 'GorillaPool', height: 975_120, agreesTo: 975_120, refused: 0, failure: null },
  ],
  isReading: false,
  bytes: 0,
  checkpoint: 942_760,
  failure: null,
  ...change,
});

const miner = (id: string, policies: Record<string, number>, change: Partial<Miner> = {}): Miner => ({
  id,
  name: id,
  kind: 'arc',
  url: `https://${id}.example`,
  enabled: true,
  builtIn: false,
  hasKey: false,
  keyStyle: 'bearer',
  pinnedKey: null,
  quote: {
    standard: { satoshis: 100, bytes: 1_000 },
    data: { satoshis: 100, bytes: 1_000 },
    relay: null,
    at: Date.now(),
    expiresAt: Date.now() + 600_000,
    minerTime: null,
    apiVersion: null,
    policies,
    highestBlock: null,
    source: null,
  },
  failure: null,
  key: null,
  requests: { succeeded: 1, failed: 0 },
  latencyMs: 1,
  ...change,
});

const plan = (needed: number, spendable: number): RunPlan => ({
  ...runPlan,
  projectUid: project.uid,
  total: 1_210_002,
  needed,
  spendable,
  problems: [],
});

const LARGEST = 12_000_000;
const picture: Item = { ...item, projectUid: project.uid, state: 'draft', file: { ...item.file, bytes: LARGEST } };

/** A host on the main network with one project of one large picture. */
const host = (change: HostAnswers = {}): HostAnswers => ({
  networks: { list: () => [profile()] },
  headers: { status: () => headers() },
  miners: {
    list: () => [miner('small', { maxtxsizepolicy: 10_485_760 }), miner('large', {})],
    presets: () => [],
  },
  projects: { list: () => [{ ...project, itemCount: 1, mintedCount: 0 }] },
  items: { list: () => [picture] },
  runs: { plan: () => plan(1_400_000, 0) },
  wallet: { history: { list: () => ({ entries: [], next: null }) }, addresses: { list: () => [] } },
  settings: { list: () => [] },
  currency: { rate: () => ({ rate: null, failure: null }) },
  rehearsals: { list: () => [] },
  ...change,
});

const row = (name: string) => document.querySelector(`[data-row="${name}"]`) as HTMLElement;
const stateOf = (name: string) => row(name).dataset.state;

it('going live opens the first incomplete step, and no step requires a node or an account', async () => {
  renderPart(<NetworkPage network="main" />, {
    live: { app: { ...appInfo, network: 'main' }, wallet: wallet(0) },
    host: host(),
  });
  await waitFor(() => expect(row('money').dataset.open).toBe('true'));
  expect(['wallet', 'backup', 'sources', 'miners'].map(stateOf)).toEqual(['done', 'done', 'done', 'done']);
  expect([stateOf('money'), stateOf('mint')]).toEqual(['next', 'waiting']);
  expect(document.querySelectorAll('[data-open]')).toHaveLength(1);
  const steps = screen
    .getAllByRole('list')
    .map((list) => list.textContent)
    .join(' ');
  expect(steps).not.toMatch(/API key|your own node|token service/i);
  await screen.findByText('1,400,000 sat');
  expect(
    screen.getByText(/costs 1,210,002 sat by the quotes of now\. A margin of 189,998 sat must be there/),
  ).toBeTruthy();
  expect(screen.getByRole('img', { name: `QR code that asks for 1,400,000 sat at ${ADDRESS}` }).dataset.text).toBe(
    `bitcoin:${ADDRESS}?sv&amount=0.01400000`,
  );
});

it('going live unlocks the wallet within its step', async () => {
  const given: unknown[] = [];
  const user = renderPart(<NetworkPage network="main" />, {
    live: { app: { ...appInfo, network: 'main' }, wallet: { ...wallet(0), state: 'locked' } },
    host: host({
      networks: { list: () => [profile({ passphrase: 'known' })] },
      wallet: {
        ...host().wallet,
        unlock: (input) => {
          given.push(input);
          return wallet(0);
        },
      },
    }),
  });
  await waitFor(() => expect(row('wallet').dataset.open).toBe('true'));
  const step = within(row('wallet'));
  expect(within(row('money')).getByText('Your wallet is locked.')).toBeTruthy();
  expect(step.queryByRole('button', { name: 'Make it' })).toBeNull();
  await user.type(step.getByLabelText(/passphrase/i, { selector: 'input' }), 'correct horse');
  await user.click(step.getByRole('button', { name: 'Unlock' }));
  await waitFor(() => expect(stateOf('wallet')).toBe('done'));
  expect(given).toEqual([{ passphrase: 'correct horse', forJob: false }]);
});

it('going live makes the wallet at the second try if only the passphrase was set at the first', async () => {
  const given: unknown[] = [];
  let [isSet, isMade] = [false, false];
  const user = renderPart(<NetworkPage network="main" />, {
    live: { app: { ...appInfo, network: 'main' }, wallet: { ...wallet(0), state: 'missing' } },
    host: host({
      networks: {
        list: () => [profile({ missing: isMade ? [] : ['wallet'], passphrase: isSet ? 'none' : 'new' })],
      },
      wallet: {
        ...host().wallet,
        vault: {
          changePassphrase: (input) => {
            given.push(input);
            isSet = true;
            return { keychain: false, passphrase: true, needsPassphrase: false };
          },
        },
        create: () => {
          if (given.push('create') === 2) throw refusal(new PlanchetError('general.disk-full').toFailure());
          isMade = true;
          return wallet(0);
        },
      },
    }),
  });
  await waitFor(() => expect(row('wallet')?.dataset.open).toBe('true'));
  const step = within(row('wallet'));
  const fields = () => step.queryAllByLabelText(/passphrase|again/i, { selector: 'input' });
  for (const field of fields()) await user.type(field, 'correct horse');
  await user.click(step.getByRole('button', { name: 'Create the wallet' }));
  await step.findByText(new PlanchetError('general.disk-full').message);
  await waitFor(() => expect(fields()).toEqual([]));
  await user.click(step.getByRole('button', { name: 'Create the wallet' }));
  await waitFor(() => expect(stateOf('wallet')).toBe('done'));
  expect(given).toEqual([{ current: '', next: 'correct horse' }, 'create', 'create']);
});

it('going live asks for the missing amount only, and continues when it has arrived', async () => {
  renderPart(<NetworkPage network="main" />, {
    live: { app: { ...appInfo, network: 'main' }, wallet: wallet(1_000_000) },
    host: host({ runs: { plan: () => plan(1_400_000, 1_000_000) } }),
  });
  await screen.findByText('400,000 sat');
  const { useLive } = await import('../../../api/live/live-store.ts');
  useLive.setState({ wallet: wallet(1_500_000) });
  await waitFor(() => expect(stateOf('money')).toBe('done'));
  expect(row('money').dataset.open).toBeUndefined();
  expect(row('mint').dataset.open).toBe('true');
});

it('going live shows which miner accepts the largest file', async () => {
  const user = renderPart(<NetworkPage network="main" />, {
    live: { app: { ...appInfo, network: 'main' }, wallet: wallet(0) },
    host: host(),
  });
  await waitFor(() => expect(row('miners')).toBeTruthy());
  await user.click(within(row('miners')).getByRole('button', { name: 'Show' }));
  const verdict = (id: string) => within(document.querySelector(`[data-miner="${id}"]`) as HTMLElement);
  expect(verdict('small').getByText('too large')).toBeTruthy();
  expect(verdict('large').getByText('states no limit')).toBeTruthy();
  expect(verdict('large').getByText('1,200,000 sat')).toBeTruthy();
  expect(row('money').dataset.open).toBeUndefined();
});

it('going live reports that no miner accepts the file, and that no two operators agree', async () => {
  renderPart(<NetworkPage network="main" />, {
    live: { app: { ...appInfo, network: 'main' }, wallet: wallet(0) },
    host: host({
      headers: { status: () => headers({ isAgreed: false }) },
      miners: { list: () => [miner('small', { maxtxsizepolicy: 10_485_760 })], presets: () => [] },
    }),
  });
  await waitFor(() => expect(stateOf('miners')).toBe('failed'));
  expect(stateOf('sources')).toBe('failed');
  expect(within(row('miners')).getByText(/No miner takes a file of/)).toBeTruthy();
  expect(within(row('sources')).getAllByText(/No two operators agree/).length).toBeGreaterThan(0);
});

it('going live has the switch to the network as its third step if another one is in use', async () => {
  const user = renderPart(<NetworkPage network="main" />, {
    live: { app: appInfo },
    host: host({ networks: { list: () => [profile({ active: false })] } }),
  });
  await waitFor(() => expect(row('sources').dataset.open).toBe('true'));
  expect(screen.getByLabelText('Type “main” to confirm')).toBeTruthy();
  expect(stateOf('miners')).toBe('waiting');
  await user.click(within(row('sources')).getByRole('button', { name: 'Fold' }));
  expect(document.querySelectorAll('[data-open]')).toHaveLength(0);
});

it('going live requires no wallet if programs only use the node endpoint', async () => {
  const user = renderPart(<NetworkPage network="main" />, {
    live: { app: appInfo },
    host: host({ networks: { list: () => [profile({ active: false, missing: ['upstream', 'wallet', 'backup'] })] } }),
  });
  await user.click(await screen.findByText('Let programs use the node endpoint'));
  expect(await screen.findByRole('checkbox', { name: 'Go without: Node or public services' })).toBeTruthy();
  await user.click(screen.getByText('Mint and pay'));
  await waitFor(() => expect(row('wallet').dataset.open).toBe('true'));
});

it('going live applies limits of transactions and of scripts, and accepts unstated ones', () => {
  const limits = (policies: Record<string, number>) => limitsOf(miner('a', policies));
  expect(fits(limits({ maxtxsizepolicy: 1_002_000 }), 1_000_000)).toBe(true);
  expect(fits(limits({ maxtxsizepolicy: 1_001_999 }), 1_000_000)).toBe(false);
  expect(fits(limits({ maxtxsizepolicy: 10_000_000, maxscriptsizepolicy: 500_000 }), 600_000)).toBe(false);
  expect(fits(limits({}), 1_000_000)).toBe(null);
});
