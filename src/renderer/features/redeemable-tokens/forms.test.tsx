import { modals } from '@mantine/modals';
import { screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { renderPart } from '../../test-support/render.tsx';
import { ADDRESS, TXID } from '../../test-support/samples.ts';
import { openAction } from './action-dialog.tsx';
import { TokenDesignPage } from './design-page.tsx';

const field = (name: string) => screen.getByRole<HTMLInputElement>('textbox', { name });
const isDisabled = (name: string): boolean => screen.getByRole<HTMLButtonElement>('button', { name }).disabled;

afterEach(() => modals.closeAll());

describe('the form of a token', () => {
  it.each(['Tokens', 'Satoshis in each'])(
    'is empty at %s once that was cleared, and takes the next number',
    async (name) => {
      const user = renderPart(<TokenDesignPage />);
      await user.clear(field(name));
      expect(field(name).value).toBe('');
      expect(screen.getByText('A number is needed.')).toBeTruthy();
      expect(isDisabled('Build the contract and review')).toBe(true);
      await user.type(field(name), '25');
      expect(field(name).value).toBe('25');
      expect(JSON.parse(field('Schema as JSON').value)).toMatchObject({
        [name === 'Tokens' ? 'totalSupply' : 'satsPerToken']: 25,
      });
      expect(isDisabled('Build the contract and review')).toBe(false);
    },
  );

  it('says in whole sentences what is wrong', async () => {
    const user = renderPart(<TokenDesignPage />);
    await user.clear(field('Tokens'));
    await user.type(field('Tokens'), '2100000000000001');
    expect(screen.getByText('At most 2,100,000,000,000,000')).toBeTruthy();
    await user.type(field('Symbol'), ' !');
    expect(screen.getByText(/^Only letters, digits/)).toBeTruthy();
    expect(isDisabled('Build the contract and review')).toBe(true);
  });
});

describe('the form of an issue', () => {
  it('takes an amount after the old one was cleared, and needs one', async () => {
    const sent: unknown[] = [];
    const prepare = ({ request }: { request: unknown }) => {
      sent.push(request);
      return { id: 'j1' };
    };
    const user = renderPart(null, { host: { redeemableTokens: { prepare } } as never });
    openAction(
      {
        action: 'issue',
        symbol: 'BREAD',
        outpoint: `${TXID}_0`,
        satoshis: 250,
        own: ADDRESS,
        others: [],
        splittable: true,
      },
      () => undefined,
    );
    const amount = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Amount 1 (sat)' });
    await user.clear(amount);
    expect(amount.value).toBe('');
    expect(screen.getByText('A number is needed.')).toBeTruthy();
    expect(isDisabled('Build and review')).toBe(true);
    await user.type(amount, '250');
    expect(amount.value).toBe('250');
    await user.click(screen.getByRole('button', { name: 'Build and review' }));
    await expect
      .poll(() => sent)
      .toEqual([
        { action: 'issue', contract: `${TXID}_0`, splittable: true, to: [{ address: ADDRESS, satoshis: 250 }] },
      ]);
  });
});
