import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { CertificatePage } from '../../ports/pictures.ts';
import { readPdf } from '../test-support/read-pdf.ts';
import { drawCertificate } from './certificate.ts';
import { glyphOf, widthOf, wrap } from './outlines.ts';

const page: CertificatePage = {
  heading: 'Certificate',
  name: 'Copper moon',
  line: 'No. 3 of 9 · Moons',
  traits: [['Metal', 'Copper', '20%']],
  facts: [['Block', '7']],
  note: 'A note.',
  code: 'ab_0',
  language: 'en',
  art: null,
};
const read = async (changes: Partial<CertificatePage>) => readPdf(await drawCertificate({ ...page, ...changes }));

/** The colour in the middle of the picture; undefined where there is none. */
async function middleOf(art: Uint8Array): Promise<number[] | undefined> {
  const [picture] = (await read({ art })).pictures;
  if (picture === undefined) return undefined;
  const { data, info } = await sharp(picture).raw().toBuffer({ resolveWithObject: true });
  const middle = (Math.floor(info.height / 2) * info.width + Math.floor(info.width / 2)) * 3;
  // JPEG is a little off
  return [...data.subarray(middle, middle + 3)].map((value) => Math.round(value / 16) * 16);
}

describe('a certificate', () => {
  it('shows a bitmap, an SVG drawing, and no picture for other bytes', async () => {
    const red = { width: 8, height: 8, channels: 3 as const, background: '#f00' };
    expect(await middleOf(await sharp({ create: red }).png().toBuffer())).toEqual([256, 0, 0]);
    const drawing =
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="#00f"/></svg>';
    expect(await middleOf(Buffer.from(drawing))).toEqual([0, 0, 256]);
    expect(await middleOf(Buffer.from('no picture'))).toBeUndefined();
  });

  it('shows a text in its own lines, and no more of it than there is room for', async () => {
    const work = async (art: string): Promise<readonly string[]> => {
      const { lines } = await read({ art });
      return lines.slice(lines.indexOf('Certificate') + 1, lines.indexOf('Copper moon'));
    };
    expect(await work('The disc is blank.\r\n\nA strike.\n')).toEqual(['The disc is blank.', '', 'A strike.']);
    const long = await work('line\n'.repeat(1_000));
    expect(long).toHaveLength(16);
    expect(long.at(-1)).toBe('…');
  });

  it('reads no file that a drawing names', async () => {
    const own = new URL('../../../../resources/samples/copper-moon.png', import.meta.url).pathname;
    const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file://${own}" width="9" height="9"/></svg>`;
    expect(await middleOf(Buffer.from(drawing))).toEqual([256, 256, 256]);
  });

  it('contains its text in any script as searchable text', async () => {
    const { lines, title } = await read({ name: 'Mond 月 🌙 é', line: 'Nr. 3 von 9', note: 'Žluťoučký kůň' });
    expect(title).toBe('Mond 月 🌙 é');
    expect(lines).toEqual([
      'Certificate',
      'Mond 月 🌙 é',
      'Nr. 3 von 9',
      'Metal',
      '20%',
      'Copper',
      'Block',
      '7',
      'Žluťoučký kůň',
    ]);
  });

  it.each([
    'A hill with a very long name that somebody wrote because the table allowed it, at the edge of a day in November #7',
    'W'.repeat(120),
    '月'.repeat(120),
  ])('shows the longest names of a mint here whole: %.20s', async (name) => {
    const { lines } = await read({ name });
    const shown = lines.slice(lines.indexOf('Certificate') + 1, lines.indexOf('No. 3 of 9 · Moons'));
    expect(shown.join(name.includes(' ') ? ' ' : '')).toBe(name);
  });

  it('breaks a hash into halves, never with a lone tail', async () => {
    const outpoint = `${'0123456789abcdef'.repeat(4)}_12`;
    const { lines } = await read({ facts: [['Inscription', outpoint]] });
    const shown = lines.slice(lines.indexOf('Inscription') + 1, -1);
    expect(shown.join('')).toBe(outpoint);
    for (const width of [400, 300, 210, 120]) {
      const parts = wrap(outpoint, 9, width, 9);
      expect(parts.join('')).toBe(outpoint);
      const lengths = parts.map(({ length }) => length);
      expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1);
      expect(parts.every((part) => widthOf(part, 9) <= width)).toBe(true);
    }
  });

  it('is a valid PDF for any foreign text, also one with PDF syntax', async () => {
    const hostile = ') Tj ET endstream endobj <</JS (app.alert(1))>>';
    const many = Array.from({ length: 300 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('');
    const file = await drawCertificate({
      ...page,
      name: hostile,
      line: many,
      traits: Array.from({ length: 64 }, () => [hostile, 'x'.repeat(100_000), '1%'] as const),
      facts: [
        ['a', '\u202egnp.exe'],
        ['b', '\ud800'],
      ],
    });
    expect(Buffer.from(file).toString('latin1')).not.toMatch(/\/JS|app\.alert/);
    const { lines, title } = readPdf(file);
    expect(title).toBe(hostile);
    // more characters than one font of the format names
    expect(lines.join('')).toContain(many.slice(0, 20));
    expect(lines.filter((line) => line === '1%')).toHaveLength(8);
  });
});

it('a certificate breaks long words and texts into lines that fit, and ends the last with an ellipsis', () => {
  const lines = wrap(`${'ab'.repeat(40)} and more words than fit`, 20, 300, 3);
  expect(lines).toHaveLength(3);
  expect(lines.at(-1)).toMatch(/…$/);
  expect(lines.slice(0, -1).every((line) => widthOf(line, 20) <= 300)).toBe(true);
  expect(wrap('', 20, 300, 3)).toEqual([]);
});

it('a certificate lays out no more of a long text than a page can hold', () => {
  expect(wrap('moon'.repeat(10_000), 1, 1e9, 1)).toEqual(['moon'.repeat(500)]);
});

it('a certificate draws what the font lacks as its code point, and nothing for what only joins letters', () => {
  expect(glyphOf('日').path).not.toBe(glyphOf('月').path);
  expect(widthOf('🌙', 20)).toBeGreaterThan(widthOf('日', 20));
  expect(widthOf('👩\u200d🚀\ufe0f', 20)).toBe(widthOf('👩🚀', 20));
  expect(wrap('日'.repeat(100), 20, 300, 2)).toHaveLength(2);
});
