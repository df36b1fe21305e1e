import { act, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPart } from '../../test-support/render.tsx';
import { appInfo } from '../../test-support/samples.ts';
import { openSearch } from './open-search.ts';
import { Search } from './search.tsx';

it('the search keeps what is typed, and an Enter, while it is still being fetched', async () => {
  const user = renderPart(<Search />, {
    host: { search: { find: () => ({ hits: [], tried: [] }) } },
    live: { app: appInfo },
  });
  act(openSearch);
  expect(screen.queryByRole('listbox')).toBeNull();
  await user.keyboard('documents that were given up{Enter}');
  await expect.poll(() => location.hash).toBe('#/writer/dead');
});
