import { screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { renderPart } from '../../test-support/render.tsx';
import { ADDRESS, appInfo } from '../../test-support/samples.ts';
import { AddressField } from './address-field.tsx';

const ALIKE = `${ADDRESS.slice(0, 5)}${'z'.repeat(ADDRESS.length - 10)}${ADDRESS.slice(-5)}`;
const contacts = [
  { address: ADDRESS, name: 'Mira' },
  { address: 'cleo@example.com', name: 'Cleo' },
];

function draw(paymail = false) {
  function Form() {
    const [address, setAddress] = useState('');
    return (
      <AddressField
        label="Receiver"
        paymail={paymail}
        ownHint="Your own."
        hint="An address."
        value={address}
        onChange={setAddress}
      />
    );
  }
  return renderPart(<Form />, {
    live: { app: appInfo },
    host: {
      wallet: {
        contacts: { list: () => contacts },
        validateAddress: ({ address }) => ({
          valid: [ADDRESS, ALIKE, 'cleo@example.com'].includes(address),
          failure: [ADDRESS, ALIKE].includes(address)
            ? null
            : { code: 'address-invalid' as const, message: 'That is no address.' },
          own: false,
          contact: address === ADDRESS ? 'Mira' : null,
          resembles: address === ALIKE ? { address: ADDRESS, name: 'Mira' } : null,
        }),
      },
    },
  });
}
const field = () => screen.findByRole('combobox', { name: 'Receiver' });

it('the address field offers the contacts that match a name, and takes the address of the chosen one', async () => {
  const user = draw();
  await user.type(await field(), 'mi');
  expect(screen.getAllByRole('option').map((option) => option.textContent)).toEqual([expect.stringMatching(/^Mira/)]);
  await user.keyboard('{Enter}');
  expect((await field()).getAttribute('value')).toBe(ADDRESS);
  expect(await screen.findByText('Your contact Mira.')).toBeTruthy();
  expect(screen.queryByRole('option')).toBeNull();
});

it('the address field offers paymail addresses only if they are allowed', async () => {
  const user = draw();
  await user.type(await field(), 'cleo');
  expect(screen.queryByRole('option')).toBeNull();
  expect(await screen.findByText('That is no address.')).toBeTruthy();
});

it('the address field warns of an address that only resembles that of a contact, and shows both', async () => {
  const user = draw(true);
  await user.type(await field(), ALIKE);
  const alert = await screen.findByRole('alert');
  expect(alert.textContent).toContain('This is not the address of Mira');
  expect([...alert.querySelectorAll('dd')].map((one) => one.textContent)).toEqual([ADDRESS, ALIKE]);
  // Only the differences are marked.
  expect([...alert.querySelectorAll('mark')].map((one) => one.textContent)).toEqual([
    ADDRESS.slice(5, -5),
    ALIKE.slice(5, -5),
  ]);
});
