import { screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { PlanchetError } from '../../../../contract/index.ts';
import catalogue from '../../../../contract/languages/de/catalogue.ts';
import { addErrorTexts } from '../../../i18n/errors.ts';
import { i18n } from '../../../i18n/index.ts';
import { refusal } from '../../../test-support/fake-host.ts';
import { renderPart } from '../../../test-support/render.tsx';
import { appInfo } from '../../../test-support/samples.ts';
import { SendPage } from './send-page.tsx';

afterEach(() => i18n.changeLanguage('en'));

it('the send form says once what is wrong with an address, at its field and in the language of the page', async () => {
  addErrorTexts('de', catalogue.errors);
  await i18n.changeLanguage('de');
  const failure = new PlanchetError('wallet.address-checksum', { prefix: 'm/n' }).toFailure();
  const german = catalogue.errors['wallet.address-checksum']?.message as string;
  const user = renderPart(<SendPage />, {
    live: { app: appInfo },
    host: {
      wallet: {
        validateAddress: () => ({ valid: false, own: false, failure, contact: null, resembles: null }),
        send: {
          prepare: () => {
            throw refusal(failure);
          },
        },
      },
    } as never,
  });
  // Another file may have loaded the German texts of the page.
  await user.type(screen.getByRole('textbox', { name: /^(Address|Adresse) 1$/ }), 'mad');
  await user.type(screen.getByRole('textbox', { name: /^(Amount|Betrag) 1$/ }), '1000');
  await user.keyboard('{Enter}');
  expect(await screen.findAllByText(german)).toHaveLength(1);
  expect(screen.queryByRole('alert')).toBeNull();
});
