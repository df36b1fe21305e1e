import { screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { useMoneyForm } from '../../api/money.ts';
import { renderPart } from '../../test-support/render.tsx';
import { Amount } from '../values/values.tsx';
import { AmountInput } from './amount-input.tsx';

const rate = { code: 'USD', rate: 40, source: 'whatsonchain', service: 'api.example', at: 1 } as const;

function Field({ first }: { first: number | '' }) {
  const [value, setValue] = useState<number | ''>(first);
  return (
    <>
      <AmountInput label="Amount" min={2} value={value} onChange={setValue} />
      <output>{String(value)}</output>
      <button type="button" onClick={() => setValue(150_000_000)}>
        fill
      </button>
    </>
  );
}

const given = (): string => document.querySelector('output')?.textContent ?? '';
const field = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Amount' });

it('the amount field takes an amount in BSV, shows it in satoshis below and returns satoshis', async () => {
  useMoneyForm.setState({ unit: 'bsv', rate: null });
  const user = renderPart(<Field first="" />);
  await user.type(await screen.findByRole('textbox', { name: 'Amount' }), '0.0125');
  expect(given()).toBe('1250000');
  expect(screen.getByText('= 1,250,000 sat')).toBeTruthy();
  await user.type(field(), '00001234');
  expect(given()).toBe('NaN');
  await user.tab();
  expect(screen.getByText('An amount such as 1.2345')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'fill' }));
  expect(field().value).toBe('1.5');
});

it('the amount field keeps the exact amount if a currency shows it rounded', async () => {
  useMoneyForm.setState({ unit: 'currency', rate });
  const user = renderPart(<Field first={123_456_789} />);
  expect(await screen.findByText('= 123,456,789 sat')).toBeTruthy();
  expect(field().value).toBe('49.3827');
  await user.clear(field());
  await user.type(field(), '2');
  expect(given()).toBe('5000000');
});

it('amounts are shown in the unit of the page, followed by the satoshis if they are signed', async () => {
  renderPart(
    <>
      <Amount satoshis={1_250_000} />
      <Amount satoshis={2_500_000} exact />
    </>,
  );
  expect(screen.getByText('1,250,000 sat')).toBeTruthy();
  useMoneyForm.setState({ unit: 'currency', rate });
  expect(await screen.findByText('$0.50')).toBeTruthy();
  expect(screen.getByText('$1.00')).toBeTruthy();
  expect(screen.getByText('(2,500,000 sat)')).toBeTruthy();
  useMoneyForm.setState({ unit: 'currency', rate: null });
  expect(await screen.findByText('1,250,000 sat')).toBeTruthy();
});
