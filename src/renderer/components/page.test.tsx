import { screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { renderPart } from '../test-support/render.tsx';
import { FailureNote, Page } from './page.tsx';

describe('the note of a failure', () => {
  it('says what happened, what to do, and the code to copy', async () => {
    renderPart(
      <FailureNote
        failure={{ code: 'rejected', message: 'Fee too low.', hint: 'Raise it.', detail: { minimum: 50 } }}
      />,
    );
    const note = screen.getByRole('alert');
    for (const text of ['Fee too low.', 'Raise it.', 'rejected', 'minimum', '50'])
      expect(note.textContent).toContain(text);
    expect(screen.getByRole('button', { name: /^Copy error code/ })).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
  });

  it('offers to try again where that makes sense', async () => {
    const retry = vi.fn();
    const user = renderPart(<FailureNote failure={{ code: 'not-running', message: 'Down.' }} onRetry={retry} />);
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(retry).toHaveBeenCalledOnce();
  });
});

describe('a page', () => {
  it('names itself in the title of the window and shows the way back', () => {
    renderPart(
      <Page title="Gallery" crumbs={[{ label: 'Projects', to: '/projects' }]}>
        <p>Content</p>
      </Page>,
    );
    expect(document.title).toBe('Gallery · Planchet');
    expect(screen.getByRole('link', { name: 'Projects' }).getAttribute('href')).toBe('#/projects');
  });
});
