import { act, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPart } from '../../test-support/render.tsx';
import { appInfo } from '../../test-support/samples.ts';
import { openSearch } from './open-search.ts';
import { Search } from './search.tsx';

it('the search keeps typed text and an Enter while its code is being loaded', async () => {
  const user = renderPart(<Search />, {
    host: { search: { find: () => ({ hits: [], tried: [] }) } },
    live: { app: appInfo },
  });
  act(openSearch);
  expect(screen.queryByRole('listbox')).toBeNull();
  await user.keyboard('documents that were given up{Enter}');
  await expect.poll(() => location.hash).toBe('#/writer/dead');
});
