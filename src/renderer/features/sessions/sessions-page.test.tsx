import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../../contract/index.ts';
import { refusal } from '../../test-support/fake-host.ts';
import { renderPart } from '../../test-support/render.tsx';
import { SessionsPage } from './sessions-page.tsx';

const HOUR_MS = 3_600_000;

function session(id: string, browser: string): Session {
  const now = Date.now();
  return { id, browser, since: now - HOUR_MS, lastSeen: now, expiresAt: now + HOUR_MS };
}

const lines = () => within(screen.getByRole('list', { name: 'Browsers' })).getAllByRole('listitem');

describe('the list of signed-in browsers', () => {
  it('is empty if only the window and the command line are used', async () => {
    renderPart(<SessionsPage />, {
      host: { sessions: { list: () => ({ sessions: [], current: null, lockAfter: 0 }) } },
    });
    expect(await screen.findByText('No browser is signed in')).toBeDefined();
    expect(screen.queryByRole('button', { name: 'Lock this page' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'End all others' })).toBeNull();
  });

  it('ends each session by itself, and marks its own', async () => {
    let sessions = [session('own', 'Firefox (Linux)'), session('other', 'Chrome (macOS)'), session('third', '')];
    const user = renderPart(<SessionsPage />, {
      host: {
        sessions: {
          list: () => ({ sessions, current: 'own', lockAfter: 0 }),
          end: ({ id }) => {
            sessions = sessions.filter((one) => one.id !== id);
          },
        },
      },
    });
    await screen.findByText('Chrome (macOS)');
    const [own, , third] = lines();
    expect(own?.textContent).toContain('This one');
    expect(within(own as HTMLElement).queryByRole('button')).toBeNull();
    expect(third?.textContent).toContain('Unknown browser');
    await user.click(screen.getByRole('button', { name: 'End the session of Chrome (macOS)' }));
    await expect.poll(() => screen.queryByText('Chrome (macOS)')).toBeNull();
    expect(lines()).toHaveLength(2);
  });

  it('ends all sessions but its own, after a confirmation', async () => {
    let sessions = [session('own', 'Firefox (Linux)'), session('other', 'Chrome (macOS)')];
    const user = renderPart(<SessionsPage />, {
      host: {
        sessions: {
          list: () => ({ sessions, current: 'own', lockAfter: 0 }),
          endOthers: () => {
            sessions = sessions.slice(0, 1);
            return { ended: 1 };
          },
        },
      },
    });
    await user.click(await screen.findByRole('button', { name: 'End all others' }));
    const question = await screen.findByRole('dialog', { name: 'End all others' });
    expect(sessions).toHaveLength(2);
    await user.click(within(question).getByRole('button', { name: 'End all others' }));
    await expect.poll(() => screen.queryByText('Chrome (macOS)')).toBeNull();
    expect(screen.getByText('Firefox (Linux)')).toBeDefined();
  });

  it('shows why a session could not be ended', async () => {
    const user = renderPart(<SessionsPage />, {
      host: {
        sessions: {
          list: () => ({ sessions: [session('other', 'Chrome (macOS)')], current: null, lockAfter: 0 }),
          end: () => {
            throw refusal({ code: 'not-found', message: 'This session has ended.' });
          },
        },
      },
    });
    await user.click(await screen.findByRole('button', { name: 'End the session of Chrome (macOS)' }));
    expect((await screen.findByRole('alert')).textContent).toContain('This session has ended.');
  });
});
