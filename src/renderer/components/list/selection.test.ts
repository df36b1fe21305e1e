import { describe, expect, it } from 'vitest';
import { noSelection, type Order, pressKey, type Selection, toggle, toggleAll } from './selection.ts';

const ids = ['a', 'b', 'c', 'd', 'e'];
const order: Order = { count: ids.length, idAt: (index) => ids[index] as string, indexOf: (id) => ids.indexOf(id) };

function press(selection: Selection, ...keys: string[]): Selection {
  return keys.reduce((before, text) => {
    const [key = '', ...held] = text.split('+').reverse();
    const name = key === 'Space' ? ' ' : key;
    return (
      pressKey(before, order, { key: name, shift: held.includes('Shift'), command: held.includes('Ctrl') }, 2) ?? before
    );
  }, selection);
}

const chosen = ({ chosen: set }: Selection): string => [...set].sort().join('');

describe('the keyboard in a list', () => {
  it('moves, and stops at the ends', () => {
    expect(press(noSelection, 'ArrowDown').active).toBe('a');
    expect(press(noSelection, 'ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowUp').active).toBe('a');
    expect(press(noSelection, 'End', 'ArrowDown').active).toBe('e');
    expect(press(noSelection, 'Home', 'PageDown').active).toBe('c');
    expect(chosen(press(noSelection, 'End'))).toBe('');
  });

  it('selects with Space, and with Shift all rows that it passes', () => {
    expect(chosen(press(noSelection, 'ArrowDown', 'Space'))).toBe('a');
    expect(chosen(press(noSelection, 'ArrowDown', 'Space', 'Space'))).toBe('');
    expect(chosen(press(noSelection, 'Home', 'Shift+ArrowDown', 'Shift+ArrowDown'))).toBe('abc');
    expect(chosen(press(noSelection, 'Home', 'Shift+End', 'Shift+ArrowUp'))).toBe('abcd');
  });

  it('selects all and deselects all', () => {
    expect(chosen(press(noSelection, 'Ctrl+a'))).toBe('abcde');
    expect(chosen(press(noSelection, 'Ctrl+a', 'Escape'))).toBe('');
    expect(pressKey(noSelection, order, { key: 'x', shift: false, command: false }, 2)).toBeUndefined();
    expect(pressKey(noSelection, order, { key: 'Escape', shift: false, command: false }, 2)).toBeUndefined();
  });
});

describe('the mouse in a list', () => {
  it('selects one row, or with Shift everything up to it', () => {
    const one = toggle(noSelection, order, 'b', false);
    expect(chosen(one)).toBe('b');
    expect(chosen(toggle(one, order, 'd', true))).toBe('bcd');
    expect(chosen(toggle(one, order, 'b', false))).toBe('');
  });

  it('selects all rows, and none if all are selected', () => {
    const all = toggleAll(noSelection, order);
    expect(chosen(all)).toBe('abcde');
    expect(chosen(toggleAll(all, order))).toBe('');
  });
});
