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

/** Drawn for a letter that the font does not have: an empty box. */
const MISSING: Glyph = { path: 'M.1 0V-.7H.6V0zM.15-.05H.55V-.65H.15z', advance: 0.7 };

function glyphOf(character: string): Glyph {
  const code = character.codePointAt(0) ?? 0x20;
  const font = fonts().find((one) => one.hasGlyphForCodePoint(code));
  if (font === undefined) return MISSING;
  const glyph = font.glyphForCodePoint(code);
  const scale = 1 / font.unitsPerEm;
  return { path: glyph.path.scale(scale, -scale).toSVG(), advance: glyph.advanceWidth * scale };
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

/**
 * Breaks a text into lines; what does not fit the last one is cut with an ellipsis.
 * @param most lines at most
 */
export function wrap(text: string, size: number, width: number, most: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text
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
