import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { renderPart } from '../../../test-support/render.tsx';
import { noFilter } from './call-filter.ts';
import { FilterChips } from './filter-chips.tsx';

function draw(methods: number) {
  const method = Array.from({ length: methods }, (_, n) => ({ value: `method${n}`, count: 1 }));
  const chips = { errors: 1, own: 2, source: [], caller: [], method };
  return renderPart(<FilterChips chips={chips} filter={noFilter} onChange={() => {}} />);
}

const buttons = () => screen.getAllByRole('button').map(({ textContent }) => textContent);

describe('the chips that filter calls', () => {
  it('show the first four of a group, and a fifth instead of a button for it', async () => {
    const user = draw(6);
    expect(buttons().slice(2)).toEqual(['method01', 'method11', 'method21', 'method31', '2 more']);
    await user.click(screen.getByRole('button', { name: '2 more' }));
    expect(buttons()).toHaveLength(8);
    draw(5);
    expect(buttons().slice(-5).at(-1)).toBe('method41');
  });
});
