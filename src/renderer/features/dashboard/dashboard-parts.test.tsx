import { act, screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { PlanchetError, type Project, type WalletStatus } from '../../../contract/index.ts';
import german from '../../../contract/languages/de/catalogue.ts';
import { i18n } from '../../i18n/index.ts';
import { addLanguage } from '../../i18n/languages.ts';
import { routes } from '../../lib/routes.ts';
import { refusal } from '../../test-support/fake-host.ts';
import { renderPart } from '../../test-support/render.tsx';
import { appInfo, run } from '../../test-support/samples.ts';
import { Dashboard } from './dashboard.tsx';
import { Notices } from './notices.tsx';

/** No mints. */
const runs = { list: () => ({ runs: [], next: null }) };
const project = (name: string, itemCount: number, mintedCount: number, createdAt: number): Project => ({
  ...{ uid: name, service: null, direct: true, name, type: 'single', network: 'test', tokenProtocol: 'ordinal' },
  ...{ createdAt, itemCount, mintedCount, art: [] },
});

it('the dashboard lists projects with something left to mint first, newest first', async () => {
  const projects = [
    project('Done', 2, 2, 500),
    project('Old', 3, 1, 100),
    project('Empty', 0, 0, 400),
    project('New', 5, 0, 200),
    project('Oldest', 1, 1, 50),
  ];
  renderPart(<Dashboard />, {
    host: {
      projects: { list: () => projects } as never,
      tokens: { list: () => ({ tokens: [], total: 0 }) } as never,
      runs,
    },
    live: { app: appInfo },
  });
  const panel = within(await screen.findByRole('region', { name: 'Projects' }));
  const names = panel.getAllByRole('link', { name: /^(Done|Old|Empty|New|Oldest)/ });
  expect(names.map((link) => link.getAttribute('href'))).toEqual(
    ['New', 'Old', 'Done', 'Empty'].map((uid) => `#${routes.project(uid)}`),
  );
  expect(panel.getByText('1 of 3 minted')).toBeTruthy();
  expect(panel.getByText('No items yet')).toBeTruthy();
});

it('the dashboard says that nothing was made only once that is known', async () => {
  const { promise, resolve } = Promise.withResolvers<Project[]>();
  renderPart(<Dashboard />, {
    host: {
      projects: { list: () => promise } as never,
      tokens: { list: () => ({ tokens: [], total: 0 }) } as never,
      runs,
    },
    live: { app: appInfo },
  });
  await screen.findByRole('status', { name: 'Loading…' });
  expect(screen.queryByText('Turn a file into a token')).toBeNull();
  resolve([]);
  expect(await screen.findByText('Turn a file into a token')).toBeTruthy();
});

it('the dashboard leads to the mints that wait for an approval', async () => {
  const counts = { items: 100, minted: 90, failed: 0, cancelled: 2 };
  const planned = { ...run, ...counts, id: 'r1', projectName: 'Night ferry', canApprove: true };
  renderPart(<Dashboard />, {
    host: {
      projects: { list: () => [] } as never,
      tokens: { list: () => ({ tokens: [], total: 0 }) } as never,
      runs: { list: () => ({ runs: [planned, { ...run, id: 'r2', canApprove: false }], next: null }) } as never,
    },
    live: { app: appInfo },
  });
  const link = await screen.findByRole('link', { name: 'Review: Night ferry' });
  expect(link.getAttribute('href')).toBe(`#${routes.run('r1')}`);
  expect(screen.getAllByRole('link', { name: /^Review:/ })).toHaveLength(1);
  expect(screen.getByText(/^8 tokens to mint/)).toBeTruthy();
});

it('the dashboard says why something could not be read, and not that there is none, and reads it once more', async () => {
  const unreadable = (what: string) => () => {
    throw refusal({ code: 'store-failed', message: `The ${what} cannot be read.` });
  };
  const again = Promise.withResolvers<never>();
  let reads = 0;
  const projects = { list: () => (reads++ === 0 ? unreadable('projects')() : again.promise) };
  const user = renderPart(<Dashboard />, {
    host: { projects, tokens: { list: unreadable('tokens') }, runs: { list: unreadable('mints') } },
    live: { app: appInfo },
  });
  expect(await screen.findByText('The tokens cannot be read.')).toBeTruthy();
  expect(screen.getByText('The mints cannot be read.')).toBeTruthy();
  const failed = screen.getByText('The projects cannot be read.').closest<HTMLElement>('[role="alert"]');
  await user.click(within(failed as HTMLElement).getByRole('button', { name: 'Try again' }));
  await expect.poll(() => screen.queryByText('The projects cannot be read.')).toBeNull();
  expect(screen.getByText('The tokens cannot be read.')).toBeTruthy();
  expect(screen.queryByText('Turn a file into a token')).toBeNull();
});

it.each([
  ['missing', 'Make one', routes.network('main')],
  ['locked', 'Unlock', routes.wallet],
] as const)('the dashboard links from a wallet that is %s to the page that fixes it', async (state, name, to) => {
  renderPart(<Dashboard />, {
    host: { projects: { list: () => [] } as never, tokens: { list: () => ({ tokens: [], total: 0 }) } as never, runs },
    live: { app: appInfo, wallet: { state, network: 'main', worthless: false } as WalletStatus },
  });
  expect((await screen.findByRole('link', { name })).getAttribute('href')).toBe(`#${to}`);
});

it('a notice stays until it is dismissed on the host, and safe mode cannot be dismissed', async () => {
  const dismissed: string[] = [];
  const dismissNotice = ({ id }: { id: string }) => {
    dismissed.push(id);
  };
  const user = renderPart(<Notices />, {
    host: { app: { dismissNotice } as never },
    live: {
      app: { ...appInfo, safeMode: true },
      notices: [{ id: 'n1', level: 'warning', message: 'The disk is nearly full.', hint: 'Free some room.', at: 1 }],
    },
  });
  expect(screen.getByRole('region', { name: 'Notices' }).textContent).toContain('The disk is nearly full.');
  await user.click(screen.getByRole('button', { name: 'Dismiss this notice' }));
  await expect.poll(() => dismissed).toEqual(['n1']);
});

it.each([
  ['en', 'Another wallet than before answers at http://127.0.0.1:3321.', 'Compare the keys…'],
  ['de', 'Unter http://127.0.0.1:3321 antwortet eine andere Wallet als bisher.', 'Schlüssel vergleichen …'],
])('the dashboard reports a changed wallet and how to accept it (%s)', async (language, message, button) => {
  const [url, key] = ['http://127.0.0.1:3321', `02${'ab'.repeat(32)}`];
  const detail = { url, knownKey: `03${'cd'.repeat(32)}`, knownSince: '2026-11-01T00:00:00.000Z', offeredKey: key };
  const failure = new PlanchetError('wallet.external-changed', { url, key }, { detail }).toFailure();
  const notice = { id: 'n1', level: 'error' as const, message: failure.message, failure, at: 1 };
  addLanguage('de', german);
  await act(() => i18n.changeLanguage(language));
  try {
    renderPart(<Notices />, { live: { app: appInfo, notices: [notice] } });
    expect(screen.getByText(message)).toBeTruthy();
    expect(screen.getByRole('link', { name: button }).getAttribute('href')).toBe(`#${routes.wallet}`);
    expect(screen.queryByText(/planchet wallet accept/)).toBeNull();
  } finally {
    await act(() => i18n.changeLanguage('en'));
  }
});

it('the dashboard renders no empty list of notices', () => {
  renderPart(<Notices />, { live: { app: appInfo, notices: [] } });
  expect(screen.queryByRole('region', { name: 'Notices' })).toBeNull();
});
