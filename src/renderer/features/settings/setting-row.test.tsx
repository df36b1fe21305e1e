import { screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { type SettingEntry, settingVariable } from '../../../contract/index.ts';
import { renderPart } from '../../test-support/render.tsx';
import { SettingRow } from './setting-row.tsx';

const fee: SettingEntry = {
  key: 'maxFeeSatoshis',
  value: 5_000,
  default: 1_000,
  isSet: true,
  secret: false,
  origin: 'file',
  overridden: false,
  restarts: [],
};

function draw(changes: Partial<SettingEntry>, draft?: string | boolean) {
  const onDraft = vi.fn();
  const onReset = vi.fn();
  const entry = { ...fee, ...changes };
  const user = renderPart(
    <SettingRow entry={entry} draft={draft} failure={undefined} disabled={false} onDraft={onDraft} onReset={onReset} />,
  );
  return { user, onDraft, onReset };
}

describe('the row of a setting', () => {
  it('shows value, unit, default and when a change takes effect', () => {
    draw({ restarts: ['gateway'] });
    expect(screen.getByRole<HTMLInputElement>('textbox').value).toBe('5000');
    expect(screen.getByText(/^Default: 1000/)).toBeTruthy();
    expect(screen.getByText('Restarts: Node gateway')).toBeTruthy();
  });

  it('marks a change and says what is wrong with it', () => {
    draw({}, 'many');
    expect(screen.getByText('Changed')).toBeTruthy();
    expect(screen.getByText('must be a whole number')).toBeTruthy();
  });

  it('cannot be changed while the environment holds it, and names the variable', () => {
    draw({ origin: 'environment', overridden: true });
    expect(screen.getByRole<HTMLInputElement>('textbox').disabled).toBe(true);
    expect(screen.getByText(new RegExp(settingVariable('maxFeeSatoshis')))).toBeTruthy();
    expect(screen.queryByRole('button', { name: /^Reset/ })).toBeNull();
  });

  it('offers a reset only where the value differs from the default', async () => {
    const { user, onReset } = draw({});
    await user.click(screen.getByRole('button', { name: /to its default$/ }));
    expect(onReset).toHaveBeenCalledOnce();
  });

  it('offers no reset at the default', () => {
    draw({ value: 1_000 });
    expect(screen.queryByRole('button')).toBeNull();
  });

  it('never shows a secret, and never lets the password of the endpoint be removed', () => {
    draw({ key: 'rpcPassword', secret: true, value: null, default: '' });
    const field = document.querySelector('input') as HTMLInputElement;
    expect(field.type).toBe('password');
    expect(field.value).toBe('');
    expect(screen.getByText('Set')).toBeTruthy();
    expect(screen.queryByRole('button', { name: /^Remove/ })).toBeNull();
  });

  it('lets another secret be removed', () => {
    draw({ key: 'apiKey', secret: true, value: null, default: '' });
    expect(screen.getByRole('button', { name: /^Remove/ })).toBeTruthy();
  });

  it('is a switch for yes and no, and a choice where the values are a list', async () => {
    const { user, onDraft } = draw({ key: 'debugServer', value: false, default: false });
    await user.click(screen.getByRole('switch'));
    expect(onDraft).toHaveBeenCalledWith(true);
  });
});
