import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { renderPart } from '../../../test-support/render.tsx';
import { type CallFilter, noFilter } from './call-filter.ts';
import { FilterChips } from './filter-chips.tsx';

function draw(methods: number, filter: CallFilter = noFilter) {
  const method = Array.from({ length: methods }, (_, n) => ({ value: `method${n}`, count: 1 }));
  const chips = { errors: 1, own: 2, source: [], caller: [{ value: 'cookie', count: 3 }], method };
  return renderPart(<FilterChips chips={chips} filter={filter} onChange={() => {}} />);
}

const buttons = () => screen.getAllByRole('button').map(({ textContent }) => textContent);

describe('the chips that filter calls', () => {
  it('leave out a group with one value, unless it is chosen', () => {
    draw(2);
    expect(buttons()).toEqual(['Errors1', 'Planchet’s own2', 'method01', 'method11']);
    draw(0, { ...noFilter, caller: ['cookie'] });
    expect(buttons()).toContain('cookie3');
  });

  it('show the first four of a group, and a fifth instead of a button for it', async () => {
    const user = draw(6);
    expect(buttons().slice(2)).toEqual(['method01', 'method11', 'method21', 'method31', '2 more']);
    await user.click(screen.getByRole('button', { name: '2 more' }));
    expect(buttons()).toHaveLength(8);
    draw(5);
    expect(buttons().slice(-5).at(-1)).toBe('method41');
  });
});
