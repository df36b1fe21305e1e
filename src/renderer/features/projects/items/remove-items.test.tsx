import { QueryClient } from '@tanstack/react-query';
import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPart } from '../../../test-support/render.tsx';
import { item } from '../../../test-support/samples.ts';
import { removeDrafts } from './remove-items.tsx';

it('removes thousands a few at a time, and puts back as many at once as the host takes', async () => {
  let running = 0;
  let most = 0;
  const restored: number[] = [];
  const user = renderPart(null, {
    host: {
      items: {
        remove: async () => {
          running += 1;
          most = Math.max(most, running);
          await new Promise((resolve) => setImmediate(resolve));
          running -= 1;
        },
        restore: ({ ids }) => {
          restored.push(ids.length);
        },
      },
    },
  });
  const items = Array.from({ length: 2_001 }, (_, n) => ({ ...item, id: `i${n}` }));
  await removeDrafts(new QueryClient(), items);

  expect(most).toBeLessThanOrEqual(50);
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(await screen.findByText('Undone.')).toBeTruthy();
  expect(restored).toEqual([2_000, 1]);
});
