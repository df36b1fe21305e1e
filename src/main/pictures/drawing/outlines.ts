import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { create, type Font } from 'fontkit';
import { LRUCache } from 'lru-cache';

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

interface Glyph {
  /** SVG path data in thousandths of an em; its origin is the start of the base line, y goes down. */
  readonly path: string;
  /** In ems. */
  readonly advance: number;
}

const glyphs = new LRUCache<string, Glyph>({ max: 2_000 });

/** Units of an em in the drawing of a letter. */
const EM = 1_000;

/** The outline of one character and its advance. */
export function glyphOf(character: string): Glyph {
  const known = glyphs.get(character);
  if (known !== undefined) return known;
  const made = makeGlyph(character);
  glyphs.set(character, made);
  return made;
}

function makeGlyph(character: string): Glyph {
  const code = character.codePointAt(0) ?? 0x20;
  const font = fonts().find((one) => one.hasGlyphForCodePoint(code));
  if (font === undefined) return codeBox(character, code);
  const glyph = font.glyphForCodePoint(code);
  const scale = EM / font.unitsPerEm;
  return { path: glyph.path.scale(scale, -scale).toSVG(), advance: glyph.advanceWidth / font.unitsPerEm };
}

/** The digits in a code box, and the place that each of them has, in thousandths of an em. */
const DIGIT = { size: 420, width: 300, rows: [-440, -50] };

/**
 * Stands for a character that the fonts do not have: a box with its code point in two rows, so that different names look different. Characters
 * that only join or vary others, and show nothing by themselves, are left out.
 */
function codeBox(character: string, code: number): Glyph {
  if (/\p{Default_Ignorable_Code_Point}/u.test(character)) return { path: '', advance: 0 };
  const [font] = fonts();
  const digits = code
    .toString(16)
    .toUpperCase()
    .padStart(code > 0xffff ? 6 : 4, '0');
  const across = digits.length / 2;
  const right = 160 + across * DIGIT.width;
  const box = `M60 60V-840H${right + 40}V60zM100 20H${right}V-800H100z`;
  const drawn = [...digits].map((digit, index) => {
    const glyph = font?.glyphForCodePoint(digit.charCodeAt(0));
    if (font === undefined || glyph === undefined) return '';
    const scale = DIGIT.size / font.unitsPerEm;
    const x = 130 + (index % across) * DIGIT.width + (DIGIT.width - glyph.advanceWidth * scale) / 2;
    return glyph.path
      .scale(scale, -scale)
      .translate(x, DIGIT.rows[index < across ? 0 : 1] ?? 0)
      .toSVG();
  });
  return { path: [box, ...drawn].join(''), advance: (right + 100) / EM };
}

/** @param size height of the letters */
export function widthOf(text: string, size: number): number {
  let width = 0;
  for (const character of text) width += glyphOf(character).advance * size;
  return width;
}

/** Most letters of a text that are laid out: more than fit anywhere on a page. The name of a foreign token may be a megabyte long. */
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
    if (widthOf(longer, size) <= width) {
      line = longer;
      continue;
    }
    lines.push(line);
    line = word;
    if (lines.length === most) return [...lines.slice(0, -1), `${lines.at(-1)}…`];
  }
  return line === '' ? lines : [...lines, line];
}

/** Splits a word that is longer than a line into parts of about equal length that fit: the last line of a hash is not a few characters. */
function pieces(word: string, size: number, width: number): string[] {
  const characters = [...word];
  const least = Math.ceil(widthOf(word, size) / width);
  for (let count = Math.max(1, least); count < characters.length; count++) {
    const parts = Array.from({ length: count }, (_, at) =>
      characters
        .slice(Math.round((at * characters.length) / count), Math.round(((at + 1) * characters.length) / count))
        .join(''),
    );
    if (parts.every((part) => widthOf(part, size) <= width)) return parts;
  }
  return characters;
}
