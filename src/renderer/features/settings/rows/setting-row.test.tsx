import { screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { type PortProbe, type SettingEntry, settingVariable } from '../../../../contract/index.ts';
import catalogue from '../../../../contract/languages/de/catalogue.ts';
import { i18n } from '../../../i18n/index.ts';
import { addLanguage } from '../../../i18n/languages.ts';
import { renderPart } from '../../../test-support/render.tsx';
import type { SavedChange } from '../use-settings.ts';
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

interface Drawn {
  draft?: string | boolean;
  saved?: SavedChange;
  taken?: PortProbe;
  wanted?: string;
}

function draw(changes: Partial<SettingEntry>, { draft, ...rest }: Drawn = {}) {
  const calls = { onDraft: vi.fn(), onReset: vi.fn(), onUndo: vi.fn(), onSaveAnyway: vi.fn() };
  const entry = { ...fee, ...changes };
  const user = renderPart(
    <SettingRow entry={entry} draft={draft} failure={undefined} disabled={false} {...rest} {...calls} />,
  );
  return { user, ...calls };
}

describe('the row of a setting', () => {
  it('shows the name in words, and the key and the raw facts on request or where a search finds them', async () => {
    const { user } = draw({ value: 1_000 });
    expect(screen.getByText('Highest fee')).toBeTruthy();
    expect(screen.queryByText('maxFeeSatoshis')).toBeNull();
    expect(screen.getByRole<HTMLInputElement>('textbox').value).toBe('1000');
    expect(document.querySelector('details')?.open).toBe(false);
    await user.click(screen.getByText('Details'));
    expect(screen.getByText(settingVariable('maxFeeSatoshis'))).toBeTruthy();
    expect(screen.getByText('planchet settings set maxFeeSatoshis …')).toBeTruthy();
    draw({ value: 1_000 }, { wanted: 'maxfee' });
    expect(screen.getByText('maxFee')).toBeTruthy();
  });

  it('marks a typed change, shows the earlier value and when it takes effect, and discards it', async () => {
    const { user, onDraft } = draw({ key: 'gatewayCacheBytes', value: 10, default: 10 }, { draft: '20' });
    expect(screen.getByText('Changed')).toBeTruthy();
    expect(screen.getByText('was 10 · takes effect after this restarts: Node gateway')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Undo what was typed for Memory cache' }));
    expect(onDraft).toHaveBeenCalledWith(undefined);
  });

  it.each([
    ['en', 'Must be a whole number from 1 to 2,100,000,000,000,000'],
    ['de', 'Eine ganze Zahl von 1 bis 2.100.000.000.000.000'],
  ])('says in %s which values are allowed after an invalid one', async (language, allowed) => {
    addLanguage('de', catalogue);
    await i18n.changeLanguage(language);
    draw({}, { draft: 'many' });
    expect(screen.getByText(allowed)).toBeTruthy();
  });

  it.each([
    ['theme', 'takes effect at once'],
    ['writerBind', 'takes effect after this restarts: Data writer'],
    ['otlpEndpoint', 'takes effect when Planchet starts the next time'],
  ])('reads when %s takes effect from the table of the contract', (key, applies) => {
    draw({ key, value: 'dark', default: 'system' });
    expect(screen.getAllByText(new RegExp(`${applies}$`)).length).toBeGreaterThan(0);
  });

  it('undoes a saved change', async () => {
    const { user, onUndo } = draw({}, { saved: { was: 2_000, undo: 'u1' } });
    expect(screen.getByText('saved, was 2000 · takes effect at once')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Undo the change of Highest fee' }));
    expect(onUndo).toHaveBeenCalledOnce();
  });

  it('is read-only while the environment sets it, and names the variable', () => {
    draw({ origin: 'environment', overridden: true });
    expect(screen.getByRole<HTMLInputElement>('textbox').disabled).toBe(true);
    expect(screen.getAllByText(new RegExp(settingVariable('maxFeeSatoshis')))).toHaveLength(2);
    expect(screen.queryByRole('button', { name: /^Reset/ })).toBeNull();
  });

  it('offers a reset only if the value differs from the default', async () => {
    const { user, onReset } = draw({});
    expect(screen.getByText(/^default is 1000/)).toBeTruthy();
    await user.click(screen.getByRole('button', { name: /to its default$/ }));
    expect(onReset).toHaveBeenCalledOnce();
  });

  it('offers no reset at the default', () => {
    draw({ value: 1_000 });
    expect(screen.queryByRole('button')).toBeNull();
  });

  it('never shows a secret, and does not allow removing the password of the endpoint', () => {
    draw({ key: 'rpcPassword', secret: true, value: null, default: '' });
    const field = document.querySelector('input') as HTMLInputElement;
    expect(field.type).toBe('password');
    expect(field.value).toBe('');
    expect(screen.getByText('Set')).toBeTruthy();
    expect(screen.queryByRole('button', { name: /^Remove/ })).toBeNull();
  });

  it('allows removing another secret', () => {
    draw({ key: 'apiKey', secret: true, value: null, default: '' });
    expect(screen.getByRole('button', { name: /^Remove/ })).toBeTruthy();
  });

  it('is a switch for a boolean', async () => {
    const { user, onDraft } = draw({ key: 'debugServer', value: false, default: false });
    await user.click(screen.getByRole('switch'));
    expect(onDraft).toHaveBeenCalledWith(true);
  });

  it('names the program that uses the port, and offers the next free one', async () => {
    const taken = { port: 8332, isFree: false, usedBy: 'nginx', proposal: ':8333' };
    const { user, onDraft, onSaveAnyway } = draw(
      { key: 'rpcBind', value: ':9000', default: ':8332' },
      { draft: ':8332', taken },
    );
    expect(screen.getByRole('alert').textContent).toContain('nginx already uses port 8332.');
    await user.click(screen.getByRole('button', { name: 'Use :8333' }));
    expect(onDraft).toHaveBeenCalledWith(':8333');
    await user.click(screen.getByRole('button', { name: 'Save it anyway' }));
    expect(onSaveAnyway).toHaveBeenCalledWith(':8332');
  });

  it('marks matches of the search in name, key and meaning', () => {
    draw({}, { wanted: 'fee' });
    const marks = [...document.querySelectorAll('mark')].map((mark) => mark.textContent);
    expect(marks).toEqual(['fee', 'Fee', 'fee']);
  });
});
