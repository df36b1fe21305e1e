import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it } from 'vitest';
import { PlanchetError } from '../../../contract/index.ts';
import german from '../../../contract/languages/de/catalogue.ts';
import { i18n } from '../../i18n/index.ts';
import { addLanguage } from '../../i18n/languages.ts';
import { renderPart } from '../../test-support/render.tsx';
import { SettingsMenu } from './transfer.tsx';

afterEach(() => i18n.changeLanguage('en'));

it('the preview of a settings file says in the language of the page why a key is left out', async () => {
  addLanguage('de', german);
  await i18n.changeLanguage('de');
  const failure = new PlanchetError('settings.secret-in-file').toFailure();
  const refused = { from: null, to: null, effect: 'refused', reason: failure.message, failure } as const;
  const previewImport = () => [{ key: 'rpcPassword', ...refused }];
  renderPart(<SettingsMenu disabled={false} onResetAll={() => {}} onImport={() => {}} />, {
    host: { settings: { previewImport } },
  });
  const file = new File(['{}'], 'settings.json', { type: 'application/json' });
  await userEvent.upload(document.querySelector<HTMLInputElement>('input[type=file]') as HTMLInputElement, file);
  const dialog = await screen.findByRole('dialog');
  const said = german.errors['settings.secret-in-file']?.message as string;
  expect(within(dialog).getByRole('listitem').textContent).toBe(`rpcPassword: ${said}`);
});
