import { fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { beforeEach, expect, it } from 'vitest';
import { useTileSelection } from './tile-selection.ts';

const COLUMNS = 4;
const places = Array.from({ length: 20 }, (_, index) => index);
const opened: number[] = [];
beforeEach(() => void opened.splice(0));

/** Twenty tiles `t0` to `t19` in rows of four. `t7` cannot be selected. */
function Wall() {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const { active, onClick, onKeyDown } = useTileSelection({
    count: 20,
    columns: COLUMNS,
    page: 2 * COLUMNS,
    idsBetween: async (first, last) =>
      Array.from({ length: last - first + 1 }, (_, n) => `t${first + n}`).filter((id) => id !== 't7'),
    onChosen: setChosen,
    onOpen: (index) => opened.push(index),
    scrollTo: () => undefined,
  });
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: replaces a gallery. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: replaces a gallery. */}
      <div role="group" tabIndex={0} onKeyDown={onKeyDown}>
        {places.map((index) => (
          <button
            key={index}
            type="button"
            onClick={(event) => onClick(index, { extend: event.shiftKey, choose: event.ctrlKey })}
          >
            tile {index}
          </button>
        ))}
      </div>
      <output>
        {active}: {[...chosen].join(' ')}
      </output>
    </>
  );
}

const press = (key: string, more = {}) => fireEvent.keyDown(screen.getByRole('group'), { key, ...more });
const click = (index: number, more = {}) =>
  fireEvent.click(screen.getByRole('button', { name: `tile ${index}` }), more);
const shows = (text: string) => expect.poll(() => screen.getByRole('status').textContent).toBe(text);

it('the selection of tiles opens a tile by a click, and selects it with Ctrl', async () => {
  render(<Wall />);
  click(3);
  expect(opened).toEqual([3]);
  click(5, { ctrlKey: true });
  await shows('5: t5');
  click(5, { ctrlKey: true });
  await shows('5: ');
  expect(opened).toEqual([3]);
});

it('the selection of tiles selects a range with Shift and a click, without tiles that cannot be selected', async () => {
  render(<Wall />);
  click(9, { ctrlKey: true });
  click(5, { shiftKey: true });
  await shows('5: t9 t5 t6 t8');
  click(11, { shiftKey: true });
  await shows('11: t9 t5 t6 t8 t10 t11');
  expect(opened).toEqual([]);
});

it('the selection of tiles moves by rows, and with Shift extends and shrinks a range', async () => {
  render(<Wall />);
  press('ArrowRight');
  press('ArrowDown');
  await shows('4: ');
  press('ArrowDown', { shiftKey: true });
  await shows('8: t4 t5 t6 t8');
  press('ArrowLeft', { shiftKey: true });
  press('ArrowLeft', { shiftKey: true });
  await shows('6: t4 t5 t6');
  press('End');
  press('ArrowUp');
  await shows('15: t4 t5 t6');
});

it('the selection of tiles selects with Space, all with Ctrl+A, none with Escape, and opens with Enter', async () => {
  render(<Wall />);
  press('Home');
  press(' ');
  await shows('0: t0');
  press('a', { ctrlKey: true });
  await expect.poll(() => screen.getByRole('status').textContent?.split(' ')).toHaveLength(20);
  press('Escape');
  await shows('0: ');
  press('Enter');
  expect(opened).toEqual([0]);
});
