import sharp from 'sharp';
import { expect, it } from 'vitest';
import { drawCertificate } from './certificate.ts';
import { outline, wrap } from './outlines.ts';

const words = {
  heading: 'Certificate',
  name: 'Copper moon',
  facts: [['Block', '7']] as const,
  note: 'A note.',
  code: 'ab_0',
};

/** The colour in the middle of the picture's place. */
async function middleOf(art: Uint8Array | null): Promise<number[]> {
  const { data, info } = await sharp(await drawCertificate({ ...words, art }))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return [...data.subarray((600 * info.width + 620) * 3, (600 * info.width + 620) * 3 + 3)];
}

it('shows pixels, a drawing, and no picture where the bytes are none', async () => {
  const red = { width: 8, height: 8, channels: 3 as const, background: '#f00' };
  expect(await middleOf(await sharp({ create: red }).png().toBuffer())).toEqual([255, 0, 0]);
  const drawing =
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="#00f"/></svg>';
  expect(await middleOf(Buffer.from(drawing))).toEqual([0, 0, 255]);
  expect(await middleOf(Buffer.from('no picture'))).toEqual([255, 255, 255]);
  expect(await middleOf(null)).toEqual([255, 255, 255]);
});

it('reads no file that a drawing names', async () => {
  const red = { width: 9, height: 9, channels: 3 as const, background: '#f00' };
  const { url } = import.meta;
  const own = new URL('../../../../resources/samples/copper-moon.png', url).pathname;
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file://${own}" width="9" height="9"/></svg>`;
  expect(await middleOf(await sharp({ create: red }).png().toBuffer())).toEqual([255, 0, 0]);
  expect(await middleOf(Buffer.from(drawing))).toEqual([255, 255, 255]);
});

it('breaks long words and texts into lines that fit, and ends the last with an ellipsis', () => {
  const lines = wrap(`${'ab'.repeat(40)} and more words than fit`, 20, 300, 3);
  expect(lines).toHaveLength(3);
  expect(lines.at(-1)).toMatch(/…$/);
  expect(lines.slice(0, -1).every((line) => outline(line, 20).width <= 300)).toBe(true);
  expect(wrap('', 20, 300, 3)).toEqual([]);
});

it('measures no more of a text than a page could hold', () => {
  expect(wrap('moon'.repeat(10_000), 1, 1e9, 1)).toEqual(['moon'.repeat(500)]);
});

it('draws what the font lacks as its code point, and nothing for what only joins letters', () => {
  expect(outline('日', 20).path).not.toBe(outline('月', 20).path);
  expect(outline('日', 20).path).toBe(outline('日', 20).path);
  expect(outline('🌙', 20).width).toBeGreaterThan(outline('日', 20).width);
  expect(outline('👩\u200d🚀\ufe0f', 20).width).toBe(outline('👩🚀', 20).width);
  expect(wrap('日'.repeat(100), 20, 300, 2)).toHaveLength(2);
});
