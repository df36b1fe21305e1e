import { fireEvent, screen } from '@testing-library/react';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { renderPart } from '../../test-support/render.tsx';
import { useSteady } from './use-steady.ts';

function Rows() {
  const [count, setCount] = useState(1);
  const { shown, isHeld, handlers } = useSteady(count);
  return (
    <>
      <button type="button" onClick={() => setCount(count + 1)}>
        more
      </button>
      <div {...handlers}>
        <div role="toolbar">bar</div>
        {/* biome-ignore lint/a11y/useSemanticElements: like the rows of a list. */}
        {/* biome-ignore lint/a11y/useFocusableInteractive: the list has the focus. */}
        <div role="gridcell">
          {shown}
          {isHeld && ' held'}
        </div>
      </div>
    </>
  );
}

it('a list keeps its rows unchanged while the pointer is over one', () => {
  renderPart(<Rows />);
  const more = screen.getByRole('button', { name: 'more' });
  const row = screen.getByRole('gridcell');
  fireEvent.mouseOver(row);
  fireEvent.click(more);
  expect(row.textContent).toBe('1 held');
  fireEvent.mouseOver(screen.getByRole('toolbar'));
  expect(row.textContent).toBe('2');
  fireEvent.mouseOver(row);
  fireEvent.click(more);
  fireEvent.mouseOut(row, { relatedTarget: document.body });
  expect(row.textContent).toBe('3');
});
