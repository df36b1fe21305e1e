import { act, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { useKeptFocus } from './kept-focus.ts';

const button = (name: string): HTMLElement => screen.getByRole('button', { name });
const focusOf = (): string | null | undefined =>
  document.activeElement === document.body ? 'lost' : document.activeElement?.textContent;

/** A focused button that replaces its step by another one. */
function Steps() {
  useKeptFocus();
  const [step, setStep] = useState('choose');
  const go = (name: string) => (
    <button type="button" onClick={() => setStep(name)}>
      {name}
    </button>
  );
  return (
    <main>
      <article key={step === 'elsewhere' ? 'other' : 'wizard'}>
        <h1 tabIndex={-1}>{step === 'elsewhere' ? 'Another view' : 'Wizard'}</h1>
        {step === 'choose' && (
          <section>
            <h2>Which ones?</h2>
            {go('pay')}
            {go('run')}
            {go('elsewhere')}
          </section>
        )}
        {step === 'pay' && (
          <section>
            <h2>Who pays?</h2>
          </section>
        )}
        {step === 'run' && (
          <section>
            <h2>The plan</h2>
            <b data-step-start>Minting</b>
          </section>
        )}
      </article>
    </main>
  );
}

it.each([
  ['pay', 'Who pays?'],
  ['run', 'Minting'],
  ['elsewhere', 'Another view'],
])('the focus moves to the start of what replaces a pressed button: %s', async (name, beginning) => {
  render(<Steps />);
  button(name).focus();
  act(() => button(name).click());
  await expect.poll(focusOf).toBe(beginning);
});

function Worker({ working }: { working: boolean }) {
  useKeptFocus();
  return (
    <main>
      <button type="button" disabled={working}>
        Try
      </button>
      <button type="button">Else</button>
    </main>
  );
}

it('the focus returns to a button that was disabled while it worked', async () => {
  const { rerender } = render(<Worker working={false} />);
  button('Try').focus();
  // A browser removes the focus from a disabled button, but the test environment does not.
  act(() => button('Try').blur());
  const disabled = new Promise((resolve) => {
    new MutationObserver(resolve).observe(button('Try'), { attributeFilter: ['disabled'] });
  });
  rerender(<Worker working />);
  await disabled;
  expect(focusOf()).toBe('lost');
  rerender(<Worker working={false} />);
  await expect.poll(focusOf).toBe('Try');
});

it('the focus stays where a person moved it in the meantime', async () => {
  const { rerender } = render(<Worker working={false} />);
  button('Try').focus();
  rerender(<Worker working />);
  act(() => button('Else').focus());
  rerender(<Worker working={false} />);
  await new Promise((resolve) => requestAnimationFrame(resolve));
  expect(focusOf()).toBe('Else');
});

it('the focus is not restored to a field that would open its list', async () => {
  function Saving({ saving }: { saving: boolean }) {
    useKeptFocus();
    return (
      <main>
        <input aria-label="Cover" aria-haspopup="listbox" disabled={saving} />
        <input aria-label="Name" disabled={saving} />
      </main>
    );
  }
  const field = (name: string): HTMLElement => screen.getByLabelText(name);
  for (const [name, isBack] of [
    ['Name', true],
    ['Cover', false],
  ] as const) {
    const { rerender, unmount } = render(<Saving saving={false} />);
    field(name).focus();
    act(() => field(name).blur());
    const disabled = new Promise((resolve) => {
      new MutationObserver(resolve).observe(field(name), { attributeFilter: ['disabled'] });
    });
    rerender(<Saving saving />);
    await disabled;
    rerender(<Saving saving={false} />);
    if (isBack) await expect.poll(() => document.activeElement === field(name)).toBe(true);
    else {
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      expect(document.activeElement).toBe(document.body);
    }
    unmount();
  }
});
