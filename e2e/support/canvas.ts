import type { Locator } from '@playwright/test';

/** The colour in the middle of a canvas: empty, the orange of the test's triangle, or another one. */
export function middleOf(canvas: Locator): Promise<string> {
  return canvas.evaluate((drawing: HTMLCanvasElement) => {
    const [r = 0, g = 0, b = 0, a = 0] =
      drawing.getContext('2d')?.getImageData(drawing.width / 2, drawing.height / 2, 1, 1).data ?? [];
    if (a === 0) return 'nothing';
    return r > 180 && g > 80 && g < 190 && b < 140 && a === 255 ? 'orange' : `${r} ${g} ${b} ${a}`;
  });
}
