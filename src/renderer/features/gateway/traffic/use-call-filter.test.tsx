import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { renderPart } from '../../../test-support/render.tsx';
import { toggleChip } from './call-filter.ts';
import { useCallFilter } from './use-call-filter.ts';

function Filter() {
  const [filter, change] = useCallFilter();
  return (
    <>
      <output>{JSON.stringify(filter)}</output>
      <button type="button" onClick={() => change(toggleChip(filter, 'source', 'stale'))}>
        stale
      </button>
    </>
  );
}
const shown = () => JSON.parse(screen.getByRole('status').textContent ?? '') as unknown;

it('the filter of calls is read from the address and written to it', async () => {
  const at = '/gateway/traffic?errors=1&caller=A%20%26%20B&caller=cookie';
  const user = renderPart(<Filter />, { at });
  const asked = { own: false, errors: true, source: [], caller: ['A & B', 'cookie'], method: [] };
  expect(shown()).toEqual(asked);
  await user.click(screen.getByRole('button', { name: 'stale' }));
  expect(shown()).toEqual({ ...asked, source: ['stale'] });
  expect(location.hash).toBe('#/gateway/traffic?errors=1&source=stale&caller=A+%26+B&caller=cookie');
});
