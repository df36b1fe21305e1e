import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fireEvent, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type DoctorFinding, type Notice, PlanchetError } from '../../../contract/index.ts';
import catalogue from '../../../contract/languages/de/catalogue.ts';
import german from '../../../contract/languages/de/page/program/help.json' with { type: 'json' };
import { showToast, usePastToasts } from '../../components/toasts/toast-store.ts';
import { addErrorTexts } from '../../i18n/errors.ts';
import { addTexts, i18n } from '../../i18n/index.ts';
import { helpTopics, topicsOf } from '../../lib/help-topics.ts';
import { renderPart } from '../../test-support/render.tsx';
import { appInfo } from '../../test-support/samples.ts';
import { ChecksPage } from './checks-page.tsx';
import { HelpKey } from './help-key.tsx';
import { HelpPage } from './help-page.tsx';
import { NoticesPage } from './notices-page.tsx';
import { ReportPage } from './report-page.tsx';
import { documentOf } from './topic-documents.ts';

describe('the help', () => {
  it('of a page below a view is that of the view', () => {
    expect(topicsOf('/projects/p1/mint').map(({ at }) => at)).toEqual(['/projects']);
    expect(topicsOf('/').map(({ at }) => at)).toEqual(['/']);
    expect(topicsOf('/no-such-page')).toEqual([]);
  });

  it('opens with ? outside text fields, and shows the help of the page and the shortcuts', async () => {
    const user = renderPart(
      <>
        <input aria-label="A field" />
        <HelpKey />
      </>,
      { at: '/wallet', live: { app: appInfo } },
    );
    await user.type(screen.getByRole('textbox', { name: 'A field' }), 'why?');
    expect(screen.queryByRole('dialog')).toBeNull();
    fireEvent.keyDown(document.body, { key: '?' });
    const sheet = await screen.findByRole('dialog', { name: 'Help' });
    expect(await within(sheet).findByRole('heading', { name: 'Wallet' })).toBeTruthy();
    expect(within(sheet).getByText('Search for anything, or run a command')).toBeTruthy();
    expect(
      within(sheet)
        .getByRole('link', { name: /^Checks/ })
        .getAttribute('href'),
    ).toBe('#/help/checks');
  });

  it('links each view to an existing document', () => {
    const lost = helpTopics().filter(({ at }) => !existsSync(join('docs', `${documentOf(at)}.md`)));
    expect(lost).toEqual([]);
  });

  describe('lists documents', () => {
    afterEach(() => vi.restoreAllMocks());
    const headings = [
      { at: 'guide/start.html', text: 'Install and start', page: 'Install and start', section: 'Guide' },
      { at: 'wallet.html', text: 'The wallet', page: 'The wallet', section: 'Minting in detail' },
      { at: 'wallet.html#accounts', text: 'Accounts', page: 'The wallet', section: 'Minting in detail' },
    ];
    const draw = (answer: () => Response) => {
      vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) =>
        String(input) === '/docs/headings.json' ? answer() : new Response('', { status: 404 }),
      );
      return renderPart(<HelpPage />, { at: '/help' });
    };
    const links = () =>
      within(screen.getByRole('region', { name: 'Documents' }))
        .getAllByRole('link')
        .map((link) => [link.textContent, link.getAttribute('href')]);

    it('by section, and finds their headings', async () => {
      const user = draw(() => Response.json(headings));
      expect(await screen.findByRole('region', { name: 'Guide' })).toBeTruthy();
      expect(links()).toEqual([
        ['Read the documents', '/docs/'],
        ['Install and start', '/docs/guide/start.html'],
        ['The wallet', '/docs/wallet.html'],
      ]);
      await user.type(screen.getByRole('textbox', { name: 'Search the documents' }), 'Wallet acc');
      expect(links()).toEqual([['Accounts', '/docs/wallet.html#accounts']]);
    });

    it('as a link to their first page if they are not built', async () => {
      draw(() => new Response('', { status: 404 }));
      await expect.poll(links).toEqual([['Read the documents', '/docs/']]);
    });
  });
});

describe('the checks page', () => {
  const findings: DoctorFinding[] = [
    { check: 'disk', ok: true, message: '5,000 MB free', fix: '' },
    { check: 'rpcBind', ok: false, message: 'Port 8332 is taken.', fix: 'Stop it.', setting: 'rpcBind' },
    { check: 'writer', ok: false, message: 'No database.', fix: 'Start it.', service: 'writer' },
  ];

  it('shows failed checks first, with their fix and a link', async () => {
    const restart = vi.fn(() => ({ name: 'writer', status: { state: 'running' }, since: 1 }) as const);
    const run = vi.fn(() => findings);
    const user = renderPart(<ChecksPage />, { host: { doctor: { run }, services: { restart } } });
    expect(await screen.findByText('2 checks failed.')).toBeTruthy();
    const rows = screen.getAllByRole('listitem').map((row) => row.textContent);
    expect(rows).toEqual([
      expect.stringContaining('JSON-RPC addressPort 8332 is taken.Stop it.'),
      expect.stringContaining('Data writerNo database.Start it.'),
      expect.stringContaining('Disk5,000 MB free'),
    ]);
    expect(screen.getByRole('link', { name: 'Open the setting' }).getAttribute('href')).toBe('#/settings?find=rpcBind');
    await user.click(screen.getByRole('button', { name: 'Restart Data writer' }));
    expect(restart).toHaveBeenCalledWith({ name: 'writer' });
    // The checks run again after the restart.
    await expect.poll(() => run.mock.calls.length).toBe(2);
  });

  it('links to the wallet if another one answers, instead of naming a command of the terminal', async () => {
    const detail = { url: 'http://127.0.0.1:3321', knownKey: '02', knownSince: '2026-01-01', offeredKey: '03' };
    const changed = new PlanchetError('wallet.external-changed', { url: detail.url, key: '03' }, { detail });
    const failure = changed.toFailure();
    const told = { check: 'wallet keys', ok: false, message: failure.message, fix: failure.hint ?? '', failure };
    renderPart(<ChecksPage />, { host: { doctor: { run: () => [told] } } });
    const link = await screen.findByRole('link', { name: 'Open the wallet' });
    expect(link.getAttribute('href')).toBe('#/wallet');
    expect(screen.getByText(/^It is not used: no address is shown/)).toBeDefined();
    expect(screen.queryByText(/planchet wallet accept/)).toBeNull();
  });

  it('is translated to German', async () => {
    const told: DoctorFinding[] = [
      {
        check: 'disk',
        ok: true,
        message: '5,000 MB free',
        fix: '',
        passed: { text: 'disk', values: { megabytes: 5000 } },
      },
      {
        check: 'wallet keys',
        ok: false,
        message: 'There is no wallet yet.',
        fix: 'Make one: planchet wallet create',
        failure: new PlanchetError('doctor.wallet-missing').toFailure(),
      },
    ];
    addErrorTexts('de', catalogue.errors);
    addTexts({ help: german }, 'de');
    await i18n.changeLanguage('de');
    try {
      renderPart(<ChecksPage />, { host: { doctor: { run: () => told } } });
      expect(await screen.findByText('Es gibt noch keine Wallet.')).toBeTruthy();
      expect(screen.getByText('Legen Sie eine an.')).toBeTruthy();
      expect(screen.getByRole('link', { name: i18n.t('common.mend.wallet') })).toBeTruthy();
      expect(screen.getByText('5.000 MB frei')).toBeTruthy();
    } finally {
      await i18n.changeLanguage('en');
    }
  });

  it('says so if nothing failed', async () => {
    renderPart(<ChecksPage />, { host: { doctor: { run: () => findings.slice(0, 1) } } });
    expect(await screen.findByText('1 check passed, none failed.')).toBeTruthy();
  });
});

describe('the report page', () => {
  it('shows each file before it is saved', async () => {
    const files = [{ name: 'settings.json', text: '{"network":"sandbox"}' }];
    const preview = () => ({ id: 'r1', fileName: 'report.zip', files });
    const zip = vi.fn(() => new Blob(['PK']));
    const user = renderPart(<ReportPage />, { host: { diagnostics: { preview, zip } } });
    expect(screen.queryByRole('button', { name: 'Save the zip' })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Make a report' }));
    expect(await screen.findByText('{"network":"sandbox"}')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Save the zip' }));
    expect(await screen.findByText('Saved as report.zip.')).toBeTruthy();
    expect(zip).toHaveBeenCalledWith({ id: 'r1' });
  });
});

describe('the notices page', () => {
  it('lists current and dismissed notices and the messages of this page, newest first', async () => {
    const notice = (id: string, at: number): Notice => ({ id, level: 'warning', message: `Told ${id}`, at });
    usePastToasts.setState({ past: [{ id: 't', tone: 'done', title: 'Saved', text: undefined, at: 20 }] });
    renderPart(<NoticesPage />, {
      host: { app: { pastNotices: () => [notice('past', 10)] } as never },
      live: { notices: [notice('now', 30)] },
    });
    const list = await screen.findByRole('region', { name: 'Notices' });
    expect(list.textContent).toMatch(/Told now.*Saved.*Told past/);
  });

  it('has the button that fixes what a notice tells, and links the transactions that it names', async () => {
    const [txid, rival] = ['ab'.repeat(32), 'cd'.repeat(32)];
    const notice = (id: string, failure: PlanchetError): Notice => ({
      ...{ id, level: 'warning', at: 1 },
      ...{ message: failure.message, failure: failure.toFailure() },
    });
    const past = [
      notice('a', new PlanchetError('vault.locked')),
      notice('b', new PlanchetError('notices.coin-taken', { txid, rival })),
      // Its ids are those of blocks.
      notice('c', new PlanchetError('wallet.other-block', { node: 'http://node', hash: 'ef'.repeat(32) })),
    ];
    renderPart(<NoticesPage />, { host: { app: { pastNotices: () => past } as never } });
    const list = within(await screen.findByRole('region', { name: 'Notices' }));
    expect(list.getAllByRole('link').map((link) => link.textContent)).toEqual([
      'Unlock the wallet',
      'abab…abab',
      'cdcd…cdcd',
    ]);
  });

  it('keeps the last 50 messages of this page across a reload, and those of another page of this browser', async () => {
    for (let n = 1; n <= 30; n++) showToast({ id: `${n}`, tone: 'done', title: `Saved ${n}.` });
    // A reload: the state of the page is lost, that of the browser is not.
    const kept = localStorage.getItem('planchet-messages') ?? '';
    usePastToasts.setState({ past: [] });
    localStorage.setItem('planchet-messages', kept);
    for (let n = 31; n <= 60; n++) showToast({ id: `${n}`, tone: 'done', title: `Saved ${n}.` });
    renderPart(<NoticesPage />, { host: { app: { pastNotices: () => [] } as never } });
    const list = await screen.findByRole('region', { name: 'Notices' });
    const told = [...(list.textContent ?? '').matchAll(/Saved (\d+)\./g)].map(([, n]) => Number(n));
    expect(told).toEqual(Array.from({ length: 50 }, (_, i) => 60 - i));
  });
});
