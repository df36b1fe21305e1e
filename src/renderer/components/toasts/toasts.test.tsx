import { act, fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PlanchetError } from '../../../contract/index.ts';
import { refusal, startFakeHost } from '../../test-support/fake-host.ts';
import { renderPart } from '../../test-support/render.tsx';
import { showFailure } from './show-failure.ts';
import { hideToast, showToast, useToasts } from './toast-store.ts';
import { offerUndo } from './undo.ts';

const shown = () => screen.queryAllByRole('listitem').map((toast) => toast.textContent);
const tell = (id: string, more: Partial<Parameters<typeof showToast>[0]> = {}) =>
  act(() => showToast({ id, tone: 'done', title: `About ${id}`, ...more }));
/** Opens another view. */
const navigate = (path: string): void => {
  location.hash = path;
  window.dispatchEvent(new HashChangeEvent('hashchange'));
};
const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms));

describe('toasts', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    renderPart(null);
  });

  afterEach(() => {
    vi.useRealTimers();
    act(() => useToasts.setState({ toasts: [] }));
  });

  it('are announced in a region that exists before them', () => {
    const region = screen.getByRole('region', { name: 'Notifications' });
    expect(region.getAttribute('aria-live')).toBe('polite');
    tell('a');
    expect(region.textContent).toContain('About a');
  });

  it('close after a while, but a failure stays until it is closed', () => {
    tell('a');
    tell('b', { tone: 'fail' });
    pass(8_000);
    expect(shown()).toEqual(['About b']);
    pass(600_000);
    fireEvent.click(screen.getByRole('button', { name: 'Close' }));
    expect(shown()).toEqual([]);
  });

  it('stay while the pointer is on one of them', () => {
    tell('a');
    fireEvent.pointerEnter(screen.getByRole('list'));
    pass(60_000);
    expect(shown()).toEqual(['About a']);
    fireEvent.pointerLeave(screen.getByRole('list'));
    pass(8_000);
    expect(shown()).toEqual([]);
  });

  it('are three at most: a new one replaces the oldest, or one with the same id', () => {
    for (const id of ['a', 'b', 'c', 'd']) tell(id);
    expect(shown()).toEqual(['About b', 'About c', 'About d']);
    tell('c', { title: 'Again' });
    expect(shown()).toEqual(['About b', 'About d', 'Again']);
    act(() => hideToast('d'));
    expect(shown()).toEqual(['About b', 'Again']);
  });

  it('have an action, which closes them', () => {
    const run = vi.fn();
    tell('a', { text: 'A detail.', action: { label: 'Undo', run } });
    expect(shown()).toEqual(['About aA detail.Undo']);
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
    expect(run).toHaveBeenCalledOnce();
    expect(shown()).toEqual([]);
  });

  it('offer an undo without a time limit, also by Ctrl+Z, until it is used or the view is left', async () => {
    const [undo, over] = [vi.fn(), vi.fn()];
    const offer = () => act(() => offerUndo({ id: 'removed', title: 'Removed.', undo, over }));
    act(() => navigate('/wallet'));
    offer();
    tell('later');
    expect(screen.getByRole('button', { name: 'Undo' }).getAttribute('aria-keyshortcuts')).toBe('Control+Z Meta+Z');
    fireEvent.keyDown(document.body, { key: 'z', ctrlKey: true });
    await act(() => vi.advanceTimersByTimeAsync(0));
    expect([undo, over].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
    expect(shown()).toContain('Undone.');
    fireEvent.keyDown(document.body, { key: 'z', ctrlKey: true });
    offer();
    pass(3_600_000);
    expect(shown()).toContain('Removed.Undo');
    act(() => navigate('/wallet/coins'));
    expect(shown()).toContain('Removed.Undo');
    act(() => navigate('/settings'));
    expect([undo, over].map(({ mock }) => mock.calls.length)).toEqual([1, 2]);
    expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
  });

  it('close after a while if the host stores the undo', () => {
    act(() => offerUndo({ id: 'removed', title: 'Removed.', undo: vi.fn(), isKept: true }));
    expect(shown()).toEqual(['Removed.Undo']);
    pass(8_000);
    expect(shown()).toEqual([]);
  });

  it('do not handle Ctrl+Z inside a text field', () => {
    const undo = vi.fn();
    act(() => offerUndo({ id: 'removed', title: 'Removed.', undo }));
    const field = document.body.appendChild(document.createElement('input'));
    fireEvent.keyDown(field, { key: 'z', ctrlKey: true });
    field.remove();
    expect(undo).not.toHaveBeenCalled();
  });

  it('show why an undo failed', async () => {
    const undo = () => Promise.reject(refusal(new PlanchetError('settings.undo-gone').toFailure()));
    act(() => offerUndo({ id: 'removed', title: 'Removed.', undo }));
    fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
    await act(() => vi.advanceTimersByTimeAsync(0));
    expect(shown()).toEqual(['This change can no longer be taken back.Set the value again.']);
  });

  it('of a failure has the button that mends it, in place of a command of the terminal', () => {
    act(() => showFailure('a', refusal(new PlanchetError('vault.locked').toFailure())));
    expect(shown()[0]).toBe('The vault is locked.Give its passphrase.Unlock the wallet');
    fireEvent.click(screen.getByRole('button', { name: 'Unlock the wallet' }));
    expect(location.hash).toBe('#/wallet');
    expect(screen.queryByText('The vault is locked.')).toBeNull();
  });

  it('of a failure by faults of the sandbox turns them off', async () => {
    const clear = vi.fn(() => []);
    startFakeHost({ sandbox: { faults: { clear } } });
    act(() => showFailure('a', refusal(new PlanchetError('sandbox.faults-on', { names: 'a' }).toFailure())));
    fireEvent.click(screen.getByRole('button', { name: 'Turn off the faults' }));
    await act(() => vi.advanceTimersByTimeAsync(0));
    expect(clear).toHaveBeenCalledOnce();
  });
});
