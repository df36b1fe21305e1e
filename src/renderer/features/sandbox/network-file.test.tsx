import { screen } from '@testing-library/react';
import { act } from 'react';
import { afterEach, expect, it } from 'vitest';
import german from '../../../contract/languages/de/catalogue.ts';
import { i18n } from '../../i18n/index.ts';
import { addLanguage } from '../../i18n/languages.ts';
import { renderPart } from '../../test-support/render.tsx';
import { entry } from '../settings/test-support.ts';
import { Keys } from './network-file.tsx';

afterEach(() => act(() => i18n.changeLanguage('en')));

it.each([
  ['en', '1,500', 1_500],
  ['en', '1.5', undefined],
  ['de', '1.500', 1_500],
  ['de', '1,5', undefined],
] as const)('the monthly quota is read with the separators of %s: %s', async (language, text, limit) => {
  addLanguage('de', german);
  await act(() => i18n.changeLanguage(language));
  const stored: unknown[] = [];
  const settings = {
    list: () => [entry('sandbox.monthlyMintLimit', 100)],
    set: (input: unknown) => {
      stored.push(input);
      return { entry: entry('sandbox.monthlyMintLimit', 100), restarts: [], undo: null };
    },
  };
  const user = renderPart(<Keys />, { host: { settings, quota: { get: () => null } } });
  const field = await screen.findByRole('textbox', { name: i18n.t('sandbox.quotaLimit') });
  await expect.poll(() => (field as HTMLInputElement).disabled).toBe(false);
  await user.clear(field);
  await user.type(field, `${text}{Enter}`);
  if (limit === undefined) expect(screen.getByText(i18n.t('sandbox.quotaInvalid'))).toBeTruthy();
  else await expect.poll(() => stored).toEqual([{ key: 'sandbox.monthlyMintLimit', value: limit }]);
});
