import { useModals } from '@mantine/modals';
import { act, cleanup, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  codeTexts,
  type ErrorEntry,
  type ErrorId,
  errorEntries,
  type Failure,
  PlanchetError,
  settingRows,
} from '../../contract/index.ts';
import german from '../../contract/languages/de/catalogue.ts';
import { addErrorTexts } from '../i18n/errors.ts';
import { i18n } from '../i18n/index.ts';
import { addLanguage } from '../i18n/languages.ts';
import { reasonOf } from '../i18n/reason.ts';
import { mendOfError } from '../lib/mends.ts';
import { renderPart } from '../test-support/render.tsx';
import { FailureNote } from './callouts/failure-note.tsx';
import { Page } from './page.tsx';
import { StepText } from './status/step-text.tsx';

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

  it('offers a retry if that can help', async () => {
    const retry = vi.fn();
    const user = renderPart(<FailureNote failure={{ code: 'not-running', message: 'Down.' }} onRetry={retry} />);
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(retry).toHaveBeenCalledOnce();
  });

  it.each([
    { code: 'not-found', message: 'There is no such block.' } as const,
    new PlanchetError('upstream.none').toFailure(),
  ])('offers no retry if it cannot help: $message', (failure) => {
    renderPart(<FailureNote failure={failure} onRetry={() => undefined} />);
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
    expect(screen.getByRole('alert').textContent).toMatch(/\w/);
  });
});

it('the hint of a failure does not repeat its message', () => {
  const txid = 'ab'.repeat(32);
  const detail = { txid, service: 'https://miner.example' };
  renderPart(<FailureNote failure={{ code: 'rejected', message: `${txid} is refused.`, hint: 'Raise it.', detail }} />);
  const { textContent } = screen.getByRole('alert');
  expect(textContent?.split(txid)).toHaveLength(2);
  expect(textContent).toContain('https://miner.example');
});

it('the details of a failure leave out numbers in its message, but not a number that is part of another', () => {
  const detail = { spendable: 0, port: 80 };
  const message = 'This needs 7480 satoshis; 0 can be spent.';
  renderPart(<FailureNote failure={{ code: 'rejected', message, hint: 'Send some.', detail }} />);
  const { textContent } = screen.getByRole('alert');
  expect(textContent).not.toContain('spendable');
  expect(textContent).toContain('port80');
});

describe('a failure whose hint is a command of the terminal', () => {
  const ids = Object.keys(mendOfError) as (keyof typeof mendOfError)[];
  const failureOf = (id: ErrorId): Failure => {
    const { code, message, ...rest } = errorEntries[id] as ErrorEntry;
    return { id, code, message, ...(rest.hint && { hint: rest.hint }) };
  };

  afterEach(async () => {
    await act(() => i18n.changeLanguage('en'));
  });

  it.each(ids)('has a button for the fix of %s, and does not mention the terminal', async (id) => {
    addLanguage('de', german);
    for (const language of ['en', 'de']) {
      await act(() => i18n.changeLanguage(language));
      renderPart(<FailureNote failure={failureOf(id)} />);
      const note = screen.getByRole('alert');
      expect(note.textContent).not.toMatch(/planchet [a-z]|[Tt]erminal|PLANCHET_| --[a-z]/);
      const names = [...note.querySelectorAll('[class*="calloutActions"] a, [class*="calloutActions"] button')];
      expect(names.map(({ textContent }) => textContent)).toEqual([
        i18n.t(`common.mend.${mendOfError[id] ?? 'unlock'}`),
      ]);
      cleanup();
    }
  });

  /** Told by commands, or where a page has its own form or button for the fix. */
  const toldElsewhere = new RegExp(
    `^(?:${[
      '(?:cli|usage|bundle|write-api|sandbox-api|networks)[.].*',
      'console.(?:gateway-missing|no-link|signed-out)',
      'gateway.(?:looked-for-another|header-not-here)',
      'merchant.(?:key-changed|unsigned)',
      'miners.add-incomplete',
      'sandbox.import-invalid',
      'settings.(?:unknown-key|secret-for-one-run)',
      'wallet.(?:exists|external-changed)',
    ].join('|')})$`,
  );

  it('has a button on the page, unless it is told elsewhere', () => {
    const named = Object.entries<ErrorEntry>(errorEntries).filter(([, { hint = '' }]) => /planchet [a-z]/.test(hint));
    const without = named.map(([id]) => id).filter((id) => !Object.hasOwn(mendOfError, id) && !toldElsewhere.test(id));
    expect(without).toEqual([]);
  });

  it.each(ids.filter((id) => mendOfError[id] === 'setting'))('leads from %s to a setting', (id) => {
    renderPart(<FailureNote failure={{ ...failureOf(id), values: { key: 'rpcBind' } }} />);
    const link = screen.getByRole('link', { name: 'Open the setting' }).getAttribute('href');
    const [, key = ''] = /find=(.+)$/.exec(link ?? '') ?? [];
    expect(settingRows.has(decodeURIComponent(key)), key).toBe(true);
    if (id === 'server.port-in-use') expect(key).toBe('rpcBind');
  });

  it('has it also as the failure of a step of a test, and as the reason of a call', async () => {
    addLanguage('de', german);
    for (const language of ['en', 'de']) {
      await act(() => i18n.changeLanguage(language));
      const failure = failureOf('merchant.api-key-missing');
      renderPart(
        <>
          <StepText message="" sentence={null} failure={failure} />
          <p>{reasonOf({ reason: null, failure })}</p>
        </>,
      );
      expect(screen.getByRole('link', { name: i18n.t('common.mend.minerKey') })).toBeTruthy();
      expect(document.body.textContent).not.toMatch(/planchet [a-z]/);
      cleanup();
    }
  });

  it('is fixed at once if faults of the sandbox are the cause', async () => {
    const cleared: unknown[] = [];
    const clear = (input: unknown) => {
      cleared.push(input);
      return [];
    };
    const host = { sandbox: { faults: { clear } } };
    const user = renderPart(<FailureNote failure={failureOf('sandbox.faults-on')} />, { host });
    await user.click(screen.getByRole('button', { name: 'Turn off the faults' }));
    await waitFor(() => expect(cleared).toEqual([{}]));
  });

  it('is not attributed to an active fault if it was recorded earlier', () => {
    const failure = new PlanchetError('upstream.timeout', { origin: 'http://node.example', seconds: 10 }).toFailure();
    const live = { faults: [{ name: 'http-error', value: 503, times: null, area: 'all' } as const] };
    renderPart(<FailureNote failure={failure} isPast />, { live });
    expect(screen.getByRole('alert').textContent).not.toContain('503');
    cleanup();
    renderPart(<FailureNote failure={failure} />, { live });
    expect(screen.getByRole('alert').textContent).toContain('503');
  });
});

describe('the text of a failure', () => {
  const failure = new PlanchetError('settings.unknown-key', { key: 'rpcBimd' }).toFailure();

  afterEach(async () => {
    await act(() => i18n.changeLanguage('en'));
  });

  it('is in the language of the page, or in English if that has none', async () => {
    addErrorTexts('de', { 'settings.unknown-key': { message: 'Die Einstellung „{key}“ gibt es nicht.' } });
    renderPart(<FailureNote failure={failure} />);
    expect(screen.getByRole('alert').textContent).toContain('There is no setting "rpcBimd".');
    await act(() => i18n.changeLanguage('de'));
    expect(screen.getByRole('alert').textContent).toContain('Die Einstellung „rpcBimd“ gibt es nicht.');
    expect(screen.getByRole('alert').textContent).toContain('Run "planchet settings list"');
  });

  it('ends with the fix of its code if it has none of its own', () => {
    renderPart(<FailureNote failure={{ code: 'store-locked', message: 'Taken.' }} />);
    expect(screen.getByRole('alert').textContent).toContain(codeTexts['store-locked'].hint);
  });

  it('links to the explanation of the code, and closes its dialog', async () => {
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
  it('sets the title of the window and shows the breadcrumbs', () => {
    renderPart(
      <Page title="Gallery" crumbs={[{ label: 'Projects', to: '/projects' }]}>
        <p>Content</p>
      </Page>,
    );
    expect(document.title).toBe('Gallery · Planchet');
    expect(screen.getByRole('link', { name: 'Projects' }).getAttribute('href')).toBe('#/projects');
  });
});
