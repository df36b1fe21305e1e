import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { create, type Font } from 'fontkit';

/** Scripts that the font covers, the most frequent first. */
const SUBSETS = ['latin', 'latin-ext', 'greek', 'cyrillic', 'vietnamese'];

let loaded: readonly Font[] | undefined;

function fonts(): readonly Font[] {
  const { resolve } = createRequire(import.meta.url);
  loaded ??= SUBSETS.map((subset) => {
    const path = resolve(`@fontsource-variable/inter/files/inter-${subset}-wght-normal.woff2`);
    return create(readFileSync(path)) as Font;
  });
  return loaded;
}

/** One line of text as the outlines of its letters, so that it looks the same on a machine without fonts. */
interface Line {
  /** SVG path data; its origin is the start of the base line. */
  readonly path: string;
  readonly width: number;
}

interface Glyph {
  readonly path: string;
  readonly advance: number;
}

function glyphOf(character: string): Glyph {
  const code = character.codePointAt(0) ?? 0x20;
  const font = fonts().find((one) => one.hasGlyphForCodePoint(code));
  if (font === undefined) return codeBox(character, code);
  const glyph = font.glyphForCodePoint(code);
  const scale = 1 / font.unitsPerEm;
  return { path: glyph.path.scale(scale, -scale).toSVG(), advance: glyph.advanceWidth * scale };
}

/** Em: the digits in a code box, and the place that each of them has. */
const DIGIT = { size: 0.42, width: 0.3, rows: [-0.44, -0.05] };

/**
 * Drawn for a letter that the fonts do not have: a box with its code point in two rows, so that names that differ look different. What joins
 * or varies letters, and shows nothing by itself, is left out.
 */
function codeBox(character: string, code: number): Glyph {
  if (/\p{Default_Ignorable_Code_Point}/u.test(character)) return { path: '', advance: 0 };
  const [font] = fonts();
  const digits = code
    .toString(16)
    .toUpperCase()
    .padStart(code > 0xffff ? 6 : 4, '0');
  const across = digits.length / 2;
  const right = 0.16 + across * DIGIT.width;
  const box = `M.06 .06V-.84H${right + 0.04}V.06zM.1 .02H${right}V-.8H.1z`;
  const drawn = [...digits].map((digit, index) => {
    const glyph = font?.glyphForCodePoint(digit.charCodeAt(0));
    if (font === undefined || glyph === undefined) return '';
    const scale = DIGIT.size / font.unitsPerEm;
    const x = 0.13 + (index % across) * DIGIT.width + (DIGIT.width - glyph.advanceWidth * scale) / 2;
    return glyph.path
      .scale(scale, -scale)
      .translate(x, DIGIT.rows[index < across ? 0 : 1] ?? 0)
      .toSVG();
  });
  return { path: [box, ...drawn].join(''), advance: right + 0.1 };
}

/** @param size height of the letters in pixels */
export function outline(text: string, size: number): Line {
  let width = 0;
  const parts: string[] = [];
  for (const character of text) {
    const { path, advance } = glyphOf(character);
    if (path !== '') parts.push(`<path transform="translate(${width.toFixed(2)} 0) scale(${size})" d="${path}"/>`);
    width += advance * size;
  }
  return { path: parts.join(''), width };
}

/** Letters of a text that are looked at: more than any place on a page holds. Whoever inscribed a token wrote its name, perhaps a megabyte of it. */
const MOST_LETTERS = 2_000;

/**
 * Breaks a text into lines; what does not fit the last one is cut with an ellipsis.
 * @param most lines at most
 */
export function wrap(text: string, size: number, width: number, most: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text
    .slice(0, MOST_LETTERS)
    .split(/\s+/)
    .filter(Boolean)
    .flatMap((part) => pieces(part, size, width))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (outline(longer, size).width <= width) {
      line = longer;
      continue;
    }
    lines.push(line);
    line = word;
    if (lines.length === most) return [...lines.slice(0, -1), `${lines.at(-1)}…`];
  }
  return line === '' ? lines : [...lines, line];
}

/** A word that is longer than a line, in parts that fit one. */
function pieces(word: string, size: number, width: number): string[] {
  if (outline(word, size).width <= width) return [word];
  const parts: string[] = [''];
  for (const character of word) {
    const last = parts.at(-1) ?? '';
    if (outline(last + character, size).width <= width) parts[parts.length - 1] = last + character;
    else parts.push(character);
  }
  return parts;
}
