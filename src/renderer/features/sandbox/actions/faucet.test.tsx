import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPart } from '../../../test-support/render.tsx';
import { ADDRESS, TXID } from '../../../test-support/samples.ts';
import { Faucet } from './faucet.tsx';

const balance = { spendable: 0, confirmed: 0, unconfirmed: 0, reserved: 0, tokens: 0 };
const wallet = {
  state: 'ready',
  network: 'sandbox',
  address: ADDRESS,
  publicKey: null,
  balance,
  worthless: true,
} as const;
const OTHER = 'mfWxJ45yp2SFn7UciZyNpvDKrzbhyfKrY8';

it('the faucet pays the wallet unless another address is typed, and accepts amounts with separators', async () => {
  const asked: unknown[] = [];
  const fund = (input: unknown) => {
    asked.push(input);
    return { txid: TXID };
  };
  const user = renderPart(<Faucet />, { host: { sandbox: { fund } }, live: { wallet } });
  const send = screen.getByRole('button', { name: 'Send coins' });
  await user.click(send);
  expect(await screen.findByText(/Sent in transaction/)).toBeTruthy();
  const address = screen.getByRole('textbox', { name: 'Address' });
  await user.clear(address);
  await user.type(address, OTHER);
  const amount = screen.getByRole('textbox', { name: 'Amount' });
  await user.clear(amount);
  await user.type(amount, '1,500');
  await user.click(send);
  await expect
    .poll(() => asked)
    .toEqual([
      { address: ADDRESS, satoshis: 100_000_000 },
      { address: OTHER, satoshis: 1_500 },
    ]);
  await user.click(screen.getByRole('button', { name: 'My wallet' }));
  expect((address as HTMLInputElement).value).toBe(ADDRESS);
});

it.each(['0', '100000000001', '1.5', 'many', ''])('the faucet sends nothing if the amount is "%s"', async (typed) => {
  const user = renderPart(<Faucet />, { live: { wallet } });
  const amount = screen.getByRole('textbox', { name: 'Amount' });
  await user.clear(amount);
  if (typed !== '') await user.type(amount, typed);
  await user.tab();
  expect(amount.getAttribute('aria-invalid')).toBe('true');
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Send coins' }).disabled).toBe(true);
});
