import { screen } from '@testing-library/react';
import { useState } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { i18n } from '../../i18n/index.ts';
import { renderPart } from '../../test-support/render.tsx';
import { WholeNumberInput } from './whole-number-input.tsx';

const SATOSHIS = 'Whole satoshis only: 1 BSV is 100,000,000 satoshis.';

function show(
  first: number | '' = '',
  limits: { min?: number; max?: number; satoshis?: boolean } = { satoshis: true },
) {
  const given = vi.fn<(value: number | '') => void>();
  const submitted = vi.fn();
  function Form() {
    const [value, setValue] = useState(first);
    return (
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submitted(value);
        }}
      >
        <WholeNumberInput
          label="Amount"
          {...limits}
          value={value}
          onChange={(next) => {
            given(next);
            setValue(next);
          }}
        />
        <button type="submit">Review</button>
        <button type="button" onClick={() => setValue(5_000)}>
          Reset
        </button>
      </form>
    );
  }
  const user = renderPart(<Form />);
  const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Amount' });
  const review = () => user.click(screen.getByRole('button', { name: 'Review' }));
  return { user, field, given, submitted, review };
}

describe('the field for a whole number', () => {
  it.each(['0.5', '1.5', '0.00012', '1e8', '-20', '1,5', '0,500'])(
    'keeps the text %s, says what is wrong, and blocks the form',
    async (text) => {
      const { user, field, given, submitted, review } = show();
      await user.type(field, text);
      expect(given).toHaveBeenLastCalledWith(Number.NaN);
      await review();
      expect(screen.getByText(SATOSHIS)).toBeTruthy();
      expect(field.value).toBe(text);
      expect(submitted).not.toHaveBeenCalled();
    },
  );

  it('accepts pasted text', async () => {
    const { user, field, submitted, review } = show(1_000);
    await user.tripleClick(field);
    await user.paste('1,5');
    await review();
    expect(field.value).toBe('1,5');
    expect(submitted).not.toHaveBeenCalled();
  });

  it.each([
    ['en', '1,000'],
    ['en', '1 000'],
    ['en', '1000'],
    ['de', '1.000'],
    ['de', '1 000'],
  ])('understands the thousands separators of %s: %s', async (language, text) => {
    await i18n.changeLanguage(language);
    const { user, field, given, submitted, review } = show();
    await user.type(field, text);
    expect(given).toHaveBeenLastCalledWith(1_000);
    await user.clear(field);
    await user.click(field);
    await user.paste(text);
    await review();
    expect(submitted).toHaveBeenCalledWith(1_000);
    expect(field.value).toBe(language === 'de' ? '1.000' : '1,000');
  });

  it('stays empty after it was cleared, and accepts the next number', async () => {
    const { user, field, given } = show(10);
    await user.clear(field);
    expect([field.value, given.mock.lastCall]).toEqual(['', ['']]);
    await user.type(field, '25');
    expect([field.value, given.mock.lastCall]).toEqual(['25', [25]]);
  });

  it('allows editing around its own separators', async () => {
    const { user, field, given } = show(1_000);
    await user.type(field, '0');
    expect([field.value, given.mock.lastCall]).toEqual(['10,000', [10_000]]);
    await user.type(field, '{Backspace}{Backspace}');
    expect([field.value, given.mock.lastCall]).toEqual(['100', [100]]);
    await user.type(field, '000');
    await user.type(field, '5', { initialSelectionStart: 1, initialSelectionEnd: 1 });
    expect(given).toHaveBeenLastCalledWith(1_500_000);
    await user.tab();
    expect(field.value).toBe('1,500,000');
  });

  it('enforces its limits without changing the number, and steps within them', async () => {
    const { user, field, submitted, review } = show(499, { min: 2, max: 500 });
    await user.type(field, '{ArrowUp}{ArrowUp}');
    expect(field.value).toBe('500');
    await user.type(field, '0');
    expect(screen.getByText('At most 500')).toBeTruthy();
    await user.clear(field);
    await user.type(field, '1');
    expect(screen.queryByText('At least 2')).toBeNull();
    await review();
    expect(screen.getByText('At least 2')).toBeTruthy();
    expect([field.value, submitted.mock.calls]).toEqual(['1', []]);
    await user.type(field, '.');
    expect(screen.getByText('A whole number')).toBeTruthy();
  });

  it('shows a value set by the form', async () => {
    const { user, field } = show();
    await user.type(field, '1.5');
    await user.click(screen.getByRole('button', { name: 'Reset' }));
    expect(field.value).toBe('5,000');
  });
});
