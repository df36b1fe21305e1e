import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { SandboxFault } from '../../../contract/index.ts';
import { renderPart } from '../../test-support/render.tsx';
import { Faults } from './faults.tsx';

it('one button restores faults that were turned off together', async () => {
  const on: SandboxFault[] = [
    { name: 'http-error', value: 429, times: 3, area: 'mapi' },
    { name: 'latency', value: 700, times: null, area: 'all' },
  ];
  const asked: unknown[] = [];
  const faults = {
    clear: (input: unknown) => {
      asked.push(input);
      return [];
    },
    set: (input: unknown) => {
      asked.push(input);
      return [];
    },
  };
  const user = renderPart(<Faults faults={on} />, { host: { sandbox: { faults } } });
  await user.click(screen.getByRole('button', { name: 'Turn all off' }));
  expect(await screen.findByText('2 faults were turned off.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  expect(await screen.findByText('Undone.')).toBeTruthy();
  expect(asked).toEqual([{}, ...on]);
});
