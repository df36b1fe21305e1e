import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPart } from '../../../../test-support/render.tsx';
import { item } from '../../../../test-support/samples.ts';
import { openMakeEdition } from './make-edition.tsx';

it('the dialog of an edition makes as many numbered drafts of a file as are asked for, and offers to take them back', async () => {
  const asked: unknown[] = [];
  const makeEdition = (input: unknown) => {
    asked.push(input);
    return [item];
  };
  const user = renderPart(null, { host: { items: { makeEdition } } });
  openMakeEdition({ ...item, metadata: { ...item.metadata, name: 'Moon #1' } });
  const count = await screen.findByRole('textbox', { name: 'Copies in all' });
  await user.clear(count);
  await user.type(count, '1');
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Make the edition' }).disabled).toBe(true);
  await user.type(count, '2');
  expect(screen.getByText(/^Moon #1 to Moon #12\./)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Make an edition of 12' }));
  expect(await screen.findByText('Edition of 12 drafts')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Undo' })).toBeTruthy();
  expect(asked).toEqual([{ id: item.id, count: 12 }]);
});
