import { useModals } from '@mantine/modals';
import { act, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { codeTexts, type Failure, PlanchetError } from '../../contract/index.ts';
import { addErrorTexts } from '../i18n/errors.ts';
import { i18n } from '../i18n/index.ts';
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

  it.each([
    { code: 'not-found', message: 'There is no such block.' } as const,
    new PlanchetError('upstream.none').toFailure(),
  ])('offers no retry where none can help: $message', (failure) => {
    renderPart(<FailureNote failure={failure} onRetry={() => undefined} />);
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
    expect(screen.getByRole('alert').textContent).toMatch(/\w/);
  });
});

describe('the words of a failure', () => {
  const failure = new PlanchetError('settings.unknown-key', { key: 'rpcBimd' }).toFailure();

  afterEach(async () => {
    await act(() => i18n.changeLanguage('en'));
  });

  it('are in the language of the page, and in English where that has none', async () => {
    addErrorTexts('de', { 'settings.unknown-key': { message: 'Die Einstellung „{key}“ gibt es nicht.' } });
    renderPart(<FailureNote failure={failure} />);
    expect(screen.getByRole('alert').textContent).toContain('There is no setting "rpcBimd".');
    await act(() => i18n.changeLanguage('de'));
    expect(screen.getByRole('alert').textContent).toContain('Die Einstellung „rpcBimd“ gibt es nicht.');
    expect(screen.getByRole('alert').textContent).toContain('Run "planchet settings list"');
  });

  it('end in the fix of the code where the failure names none', () => {
    renderPart(<FailureNote failure={{ code: 'store-locked', message: 'Taken.' }} />);
    expect(screen.getByRole('alert').textContent).toContain(codeTexts['store-locked'].hint);
  });

  it('lead to the page that explains the code, and close the dialog they stand in', async () => {
    const user = renderPart(<OpenFailure failure={failure} />);
    await user.click(screen.getByRole('button', { name: 'Open' }));
    const link = await screen.findByRole('link', { name: 'What this means' });
    expect(link.getAttribute('href')).toBe('#/errors/settings-invalid');
    await user.click(link);
    expect(location.hash).toBe('#/errors/settings-invalid');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });
});

function OpenFailure({ failure }: { failure: Failure }) {
  const modals = useModals();
  const open = () => modals.openModal({ title: 'Dialog', children: <FailureNote failure={failure} /> });
  return (
    <button type="button" onClick={open}>
      Open
    </button>
  );
}

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
