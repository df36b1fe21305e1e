import { act, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { renderPart } from '../../test-support/render.tsx';
import { appInfo, project } from '../../test-support/samples.ts';
import { closeSearch, openSearch } from '../search/open-search.ts';
import { Shell } from './shell.tsx';

const heading = (name: string) => screen.findByRole('heading', { name, level: 1 });
const openShell = () =>
  renderPart(<Shell />, {
    at: '/projects',
    host: { projects: { list: () => [project], get: () => project }, items: { list: () => [] } },
    live: { app: appInfo },
  });

describe('the keyboard focus', () => {
  afterEach(() => act(closeSearch));

  it('stays at the top of the window when the first view opens', async () => {
    const user = openShell();
    await heading('Projects');
    expect(document.activeElement).toBe(document.body);
    await user.tab();
    expect(document.activeElement?.textContent).toBe('Skip to the content');
  });

  it('moves to the heading of an opened view if the focused element is gone', async () => {
    const user = openShell();
    const link = await screen.findByRole('link', { name: /Gallery/ });
    link.focus();
    await user.keyboard('{Enter}');
    const title = await heading('Gallery');
    await expect.poll(() => document.activeElement).toBe(title);
  });

  it('stays on a link of the navigation', async () => {
    const user = openShell();
    await heading('Projects');
    const link = screen.getByRole('link', { name: 'Settings' });
    link.focus();
    await user.keyboard('{Enter}');
    await heading('Settings');
    expect(document.activeElement).toBe(link);
  });

  it('moves to the heading of a view opened by the search', async () => {
    const user = openShell();
    await heading('Projects');
    await user.keyboard('{Control>}k{/Control}');
    // Typed at once, without waiting between keys.
    await user.keyboard('settings{Enter}');
    const title = await heading('Settings');
    await expect.poll(() => document.activeElement).toBe(title);
  });

  it('is in the field of the search as soon as it is open', () => {
    openShell();
    act(openSearch);
    expect(document.activeElement).toBe(screen.getByRole('combobox'));
  });

  it('returns to the earlier element when the search is closed without a choice', async () => {
    const user = openShell();
    await heading('Projects');
    const link = screen.getByRole('link', { name: 'Wallet' });
    link.focus();
    await user.keyboard('{Control>}k{/Control}');
    expect(document.activeElement).not.toBe(link);
    await user.keyboard('{Escape}');
    await expect.poll(() => document.activeElement).toBe(link);
  });
});
