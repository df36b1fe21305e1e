import type { Display, Rectangle } from 'electron';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { minimumSize, placeWindow } from './window-state.ts';

const screen = (x: number, y: number, width: number, height: number): Display =>
  ({ workArea: { x, y, width, height } }) as Display;
const main = screen(0, 0, 1920, 1040);
const left = screen(-2560, -200, 2560, 1400);
const saved: Rectangle = { x: -2400, y: 0, width: 1400, height: 900 };

describe('placeWindow', () => {
  it('puts the window back where it was, on a second screen too', () => {
    expect(placeWindow(saved, [main, left])).toEqual(saved);
  });

  it('puts a window of an unplugged screen in the middle of the main one, as large as it was', () => {
    expect(placeWindow(saved, [main])).toEqual({ x: 260, y: 70, width: 1400, height: 900 });
  });

  it.each([
    ['above the screen', { x: 100, y: -400, width: 1280, height: 800 }],
    ['below it', { x: 100, y: 1030, width: 1280, height: 800 }],
    ['beside it but for a strip', { x: 1850, y: 10, width: 1280, height: 800 }],
  ])('brings back a window whose title bar is %s', (_where, bounds) => {
    expect(placeWindow(bounds, [main])).toEqual({ x: 320, y: 120, width: 1280, height: 800 });
  });

  it('makes a window smaller that its screen cannot hold any more', () => {
    expect(placeWindow({ x: 0, y: 0, width: 3000, height: 2000 }, [main])).toEqual({
      x: 0,
      y: 0,
      width: 1920,
      height: 1040,
    });
  });

  it('opens in the middle of the main screen at first', () => {
    expect(placeWindow(null, [main, left])).toEqual({ x: 320, y: 120, width: 1280, height: 800 });
  });

  it('leaves the place to the system where no screen is known', () => {
    expect(placeWindow(saved, [])).toEqual({ width: 1280, height: 800 });
  });

  it('always leaves something to take hold of, never smaller than the least size', () => {
    const length = fc.integer({ min: 1, max: 8_000 });
    const place = fc.integer({ min: -9_000, max: 9_000 });
    const area = fc.record({
      x: place,
      y: place,
      width: fc.integer({ min: 640, max: 5_000 }),
      height: fc.integer({ min: 480, max: 3_000 }),
    });
    fc.assert(
      fc.property(
        fc.record({ x: place, y: place, width: length, height: length }),
        fc.array(area, { minLength: 1, maxLength: 4 }),
        (bounds, areas) => {
          const {
            x = 0,
            y = 0,
            width = 0,
            height = 0,
          } = placeWindow(
            bounds,
            areas.map((each) => screen(each.x, each.y, each.width, each.height)),
          );
          expect(width).toBeGreaterThanOrEqual(minimumSize.width);
          expect(height).toBeGreaterThanOrEqual(minimumSize.height);
          const seen = areas.some(
            (each) =>
              Math.min(x + width, each.x + each.width) - Math.max(x, each.x) >= 120 &&
              y + 32 <= each.y + each.height &&
              y >= each.y,
          );
          expect(seen).toBe(true);
        },
      ),
    );
  });
});
