import { act, screen, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { useConnection } from '../../api/connection/connection.ts';
import { ViewLoadError } from '../../lib/feature.ts';
import { renderPart } from '../../test-support/render.tsx';
import { appInfo, job, project, summaryOf, TXID } from '../../test-support/samples.ts';
import { Connecting, ReconnectBanner, Unauthorized } from './connection-screens.tsx';
import { CrashGuard } from './crash-guard.tsx';
import { Nav } from './nav.tsx';
import { Views } from './views.tsx';

const host = { projects: { list: () => [project] } };

describe('the navigation', () => {
  it('lists the features by group and marks the open one', () => {
    renderPart(<Nav />, { at: '/projects/p1', live: { app: appInfo } });
    expect(screen.getAllByRole('link').map((link) => link.textContent)).toEqual([
      'Dashboard',
      'Projects',
      'Mint jobs',
      'Tokens',
      'Redeemable tokens',
      'Wallet',
      'Transactions',
      'Miners',
      'Gateway',
      'Data writer',
      'Explorer',
      'Sandbox',
      'Settings',
      'Help',
    ]);
    const group = (name: string) => within(screen.getByRole('group', { name })).getAllByRole('link');
    expect(group('Create').map((link) => link.textContent)).toEqual([
      'Projects',
      'Mint jobs',
      'Tokens',
      'Redeemable tokens',
    ]);
    expect(group('Connect').map((link) => link.textContent)).toEqual(['Gateway', 'Data writer', 'Explorer']);
    expect(screen.getByRole('link', { current: 'page' }).textContent).toBe('Projects');
  });

  it.each([
    ['/tx/', 'Explorer'],
    ['/transactions/', 'Transactions'],
  ])('marks the list that a transaction at %s was opened from', (path, name) => {
    renderPart(<Nav />, { at: `${path}${TXID}`, live: { app: appInfo } });
    expect(screen.getByRole('link', { current: 'page' }).textContent).toBe(name);
  });

  it('contains no sandbox on a real network', () => {
    renderPart(<Nav />, { live: { app: { ...appInfo, network: 'main' } } });
    expect(screen.queryByRole('link', { name: 'Sandbox' })).toBeNull();
  });

  it('counts the jobs that run or wait for the person', () => {
    const jobs = [summaryOf(job), summaryOf({ ...job, id: 'j2', awaitingApproval: false, state: 'proven' })];
    renderPart(<Nav />, { live: { app: appInfo, jobs } });
    expect(screen.getByRole('link', { name: /^Mint jobs/ }).textContent).toBe('Mint jobs1');
  });
});

describe('the views of the page', () => {
  it('load a page when its address is opened', async () => {
    renderPart(<Views />, { at: '/projects', host, live: { app: appInfo } });
    expect(await screen.findByRole('heading', { name: 'Projects', level: 1 })).toBeTruthy();
    expect(await screen.findByText('Gallery')).toBeTruthy();
  });

  it('show a message for an unknown address', async () => {
    renderPart(<Views />, { at: '/no-such-page' });
    expect((await screen.findByRole('link', { name: /dashboard/i })).getAttribute('href')).toBe('#/');
  });
});

describe('the error boundary of a view', () => {
  const fails = (error: Error) =>
    function Failing(): never {
      throw error;
    };

  it('shows the error and renders the view again on request', async () => {
    const silent = vi.spyOn(console, 'error').mockImplementation(() => {});
    let broken = true;
    const Sometimes = () => {
      if (broken) throw new Error('no such row');
      return <p>Fine again</p>;
    };
    const user = renderPart(
      <CrashGuard resetKey="/">
        <Sometimes />
      </CrashGuard>,
    );
    expect(screen.getByRole('alert').textContent).toContain('no such row');
    broken = false;
    await user.click(screen.getByRole('button', { name: 'Load again' }));
    expect(screen.getByText('Fine again')).toBeTruthy();
    silent.mockRestore();
  });

  it('reloads the page if the code of a view could not be loaded', async () => {
    const silent = vi.spyOn(console, 'error').mockImplementation(() => {});
    const reload = vi.spyOn(location, 'reload').mockImplementation(() => {});
    const Failing = fails(new ViewLoadError('404'));
    const user = renderPart(
      <CrashGuard resetKey="/">
        <Failing />
      </CrashGuard>,
    );
    expect(screen.getByRole('alert').textContent).toContain('could not be loaded');
    await user.click(screen.getByRole('button', { name: 'Load the page again' }));
    expect(reload).toHaveBeenCalledOnce();
    silent.mockRestore();
    reload.mockRestore();
  });
});

describe('the connection to the host', () => {
  it('reports no break that the first retry fixes, and offers a retry after that', async () => {
    useConnection.setState({ phase: 'reconnecting', attempt: 1 });
    const user = renderPart(<ReconnectBanner />);
    expect(screen.queryByRole('status')).toBeNull();
    act(() => useConnection.setState({ attempt: 2 }));
    const woken = vi.fn();
    window.addEventListener('focus', woken);
    await user.click(screen.getByRole('button', { name: 'Try now' }));
    expect(woken).toHaveBeenCalled();
    window.removeEventListener('focus', woken);
    act(() => useConnection.setState({ phase: 'live', attempt: 0 }));
    expect(screen.queryByRole('status')).toBeNull();
  });

  it('shows possible causes after eight seconds', () => {
    vi.useFakeTimers();
    renderPart(<Connecting />);
    expect(screen.getByRole('status').textContent).toContain('takes a few seconds');
    act(() => vi.advanceTimersByTime(8_000));
    expect(screen.getByRole('status').textContent).toContain('Is it still running');
    vi.useRealTimers();
  });

  it('explains a used link, and retries on request', async () => {
    const retry = vi.fn();
    const user = renderPart(<Unauthorized refused onRetry={retry} />);
    expect(screen.getByRole('alert').textContent).toContain('already used');
    await user.click(screen.getByRole('button', { name: 'I have opened the new link' }));
    expect(retry).toHaveBeenCalledOnce();
  });
});
