import { QueryClient } from '@tanstack/react-query';
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPart } from '../../../test-support/render.tsx';
import { item } from '../../../test-support/samples.ts';
import { removeDrafts } from './remove-items.tsx';

it('the removal of items removes all at once, and takes back what the host did last', async () => {
  const asked: unknown[] = [];
  const user = renderPart(null, {
    host: {
      items: {
        remove: ({ ids }) => void asked.push(ids.length),
        undo: (input) => {
          asked.push(input);
          return { what: 'removed', items: 2_001, at: 1 };
        },
      },
    },
  });
  const items = Array.from({ length: 2_001 }, (_, n) => ({ ...item, id: `i${n}` }));
  await removeDrafts(new QueryClient(), items);

  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(await screen.findByText('Undone: 2,001 drafts removed.')).toBeTruthy();
  expect(asked).toEqual([2_001, { projectUid: item.projectUid }]);
});
