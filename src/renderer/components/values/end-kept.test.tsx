import { render } from '@testing-library/react';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EndKept, endOf } from './end-kept.tsx';

const end = (text: string): string => text.slice(endOf(text));

it('a name truncated in the middle keeps its number, or its last characters, and a short one is not truncated', () => {
  expect(end('Three hundred moons #217')).toBe(' #217');
  expect(end('The long way home, part (12) ')).toBe(' (12) ');
  expect(end('IMG_20261128_evening_0042.png')).toBe('42.png');
  expect(end('Moons of an extraordinarily')).toBe('narily');
  expect(end('Copper moon')).toBe('');
  expect(end('The harbour in which the gull had never been before')).toBe('');
});

it('a name truncated in the middle neither loses nor repeats a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
      const { container, unmount } = render(<EndKept text={text} />);
      const shown = container.textContent;
      unmount();
      expect(shown).toBe(text);
      const at = endOf(text);
      expect([...text.slice(0, at), ...text.slice(at)].join('')).toBe(text);
      expect([...text.slice(0, at)].length + [...text.slice(at)].length).toBe([...text].length);
    }),
  );
});
