import { deflateSync } from 'node:zlib';
import { chunks } from '../../chunks.ts';
import { glyphOf } from './outlines.ts';

/** Units of an em, as the drawings of letters have them. */
const EM = 1_000;
/** Glyphs of one font: a text names them by one byte each. */
const MOST_GLYPHS = 255;
const encoder = new TextEncoder();

interface PdfFont {
  /** Characters in the order of their codes, from 1 on. */
  readonly characters: string[];
}

/**
 * One page of a PDF, drawn from the top left corner. Letters are outlines in fonts of the page's own (Type 3), mapped to
 * Unicode, so that a text looks the same everywhere and can be searched and copied.
 * @see ISO 32000-1, 9.6.5 (Type 3 fonts), 9.10.3 (ToUnicode)
 */
export class PdfPage {
  readonly #width: number;
  readonly #height: number;
  readonly #title: string;
  readonly #language: string;
  readonly #drawn: string[] = [];
  readonly #fonts: PdfFont[] = [];
  readonly #codes = new Map<string, { font: number; code: number }>();
  readonly #pictures: { jpeg: Uint8Array; width: number; height: number }[] = [];

  /**
   * @param size in points, as all lengths: 72 are an inch
   * @param about what readers show as the title, and the language that they read the page in
   */
  constructor(size: { width: number; height: number }, about: { title: string; language: string }) {
    this.#width = size.width;
    this.#height = size.height;
    this.#title = about.title;
    this.#language = about.language;
  }

  /** @param line a text without line breaks, its base line starting at x, y; @param colour as `#rrggbb` */
  text(line: string, x: number, y: number, size: number, colour: string): void {
    const runs: { font: number; hex: string }[] = [];
    for (const character of line) {
      const { font, code } = this.#codeOf(character);
      const hex = hexByte(code);
      const last = runs.at(-1);
      if (last?.font === font) last.hex += hex;
      else runs.push({ font, hex });
    }
    const shown = runs.map(({ font, hex }) => `/F${font} ${number(size)} Tf <${hex}> Tj`).join(' ');
    this.#drawn.push(`BT ${fill(colour)} 1 0 0 1 ${number(x)} ${number(this.#height - y)} Tm ${shown} ET`);
  }

  /** A rectangle: filled, or with a line around it. */
  box(x: number, y: number, width: number, height: number, colour: string, line?: number): void {
    const place = `${number(x)} ${number(this.#height - y - height)} ${number(width)} ${number(height)} re`;
    this.#drawn.push(
      line === undefined ? `${fill(colour)} ${place} f` : `${number(line)} w ${channels(colour)} RG ${place} S`,
    );
  }

  /** Squares of one size, as the modules of a QR code. They are one shape, so that no gap shows between them. */
  squares(places: readonly (readonly [x: number, y: number])[], side: number): void {
    const shapes = places.map(
      ([x, y]) => `${number(x)} ${number(this.#height - y - side)} ${number(side)} ${number(side)} re`,
    );
    this.#drawn.push(`${fill('#000000')} ${shapes.join(' ')} f`);
  }

  /** @param jpeg in three channels; @param pixels its own size */
  picture(
    jpeg: Uint8Array,
    pixels: { width: number; height: number },
    place: { x: number; y: number; width: number; height: number },
  ): void {
    const { x, y, width, height } = place;
    this.#pictures.push({ jpeg, ...pixels });
    this.#drawn.push(
      `q ${number(width)} 0 0 ${number(height)} ${number(x)} ${number(this.#height - y - height)} cm /P${this.#pictures.length - 1} Do Q`,
    );
  }

  finish(): Uint8Array {
    const objects: (string | Uint8Array)[] = [];
    const add = (object: string | Uint8Array): number => objects.push(object);
    const stream = (content: string | Uint8Array, entries = ''): number => {
      const packed = deflateSync(content);
      return add(
        joined(`<< /Length ${packed.length} /Filter /FlateDecode ${entries}>>\nstream\n`, packed, '\nendstream'),
      );
    };
    add(
      '<< /Type /Catalog /Pages 2 0 R /Lang ' +
        pdfText(this.#language) +
        ' /ViewerPreferences << /DisplayDocTitle true >> >>',
    );
    add('<< /Type /Pages /Kids [3 0 R] /Count 1 >>');
    // The page refers to the objects after it, so it is filled in last.
    const page = add('') - 1;
    const contents = stream(this.#drawn.join('\n'));
    const fonts = this.#fonts.map((font, at) => `/F${at} ${this.#fontObject(font, add, stream)} 0 R`);
    const pictures = this.#pictures.map(({ jpeg, width, height }, at) => {
      const entries = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode /Length ${jpeg.length}`;
      return `/P${at} ${add(joined(`<< ${entries} >>\nstream\n`, jpeg, '\nendstream'))} 0 R`;
    });
    objects[page] =
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${number(this.#width)} ${number(this.#height)}] /Contents ${contents} 0 R ` +
      `/Resources << /Font << ${fonts.join(' ')} >> /XObject << ${pictures.join(' ')} >> >> >>`;
    const info = add(`<< /Title ${pdfText(this.#title)} /Producer ${pdfText('Planchet')} >>`);
    return fileOf(objects, info);
  }

  #codeOf(character: string): { font: number; code: number } {
    const known = this.#codes.get(character);
    if (known !== undefined) return known;
    let font = this.#fonts.at(-1);
    if (font === undefined || font.characters.length === MOST_GLYPHS) {
      font = { characters: [] };
      this.#fonts.push(font);
    }
    const place = { font: this.#fonts.length - 1, code: font.characters.push(character) };
    this.#codes.set(character, place);
    return place;
  }

  #fontObject(
    { characters }: PdfFont,
    add: (object: string) => number,
    stream: (content: string, entries?: string) => number,
  ): number {
    const glyphs = characters.map((character) => glyphOf(character));
    const widths = glyphs.map(({ advance }) => number(advance * EM));
    const drawings = glyphs.map(({ path }, at) => {
      // A box larger than any letter: viewers clip what exceeds it.
      const drawn =
        path === '' ? `${widths[at]} 0 d0` : `${widths[at]} 0 -1000 -1000 4000 2000 d1 ${operators(path)} f`;
      return `/g${at + 1} ${stream(drawn)} 0 R`;
    });
    const meanings = characters.map((character, at) => `<${hexByte(at + 1)}> <${utf16(character)}>`);
    const map = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Planchet def /CMapType 2 def
1 begincodespacerange <00> <ff> endcodespacerange
${Array.from(chunks(meanings, 100), (some) => `${some.length} beginbfchar\n${some.join('\n')}\nendbfchar`).join('\n')}
endcmap CMapName currentdict /CMap defineresource pop end end`;
    const names = characters.map((_, at) => `/g${at + 1}`);
    return add(
      `<< /Type /Font /Subtype /Type3 /FontBBox [-1000 -1000 4000 2000] /FontMatrix [0.001 0 0 0.001 0 0] /FirstChar 1 /LastChar ${characters.length} ` +
        `/Widths [${widths.join(' ')}] /Encoding << /Type /Encoding /Differences [1 ${names.join(' ')}] >> ` +
        `/CharProcs << ${drawings.join(' ')} >> /Resources << >> /ToUnicode ${stream(map)} 0 R >>`,
    );
  }
}

function fileOf(objects: readonly (string | Uint8Array)[], info: number): Uint8Array {
  const parts: Uint8Array[] = [encoder.encode('%PDF-1.7\n'), Uint8Array.of(0x25, 0xe2, 0xe3, 0xcf, 0xd3, 0x0a)];
  const offsets: number[] = [];
  let length = parts.reduce((sum, part) => sum + part.length, 0);
  const push = (part: Uint8Array): void => {
    parts.push(part);
    length += part.length;
  };
  for (const [at, object] of objects.entries()) {
    offsets.push(length);
    push(joined(`${at + 1} 0 obj\n`, object, '\nendobj\n'));
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  push(
    encoder.encode(
      `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R /Info ${info} 0 R >>\nstartxref\n${length}\n%%EOF\n`,
    ),
  );
  return new Uint8Array(Buffer.concat(parts));
}

function joined(...parts: readonly (string | Uint8Array)[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts.map((part) => (typeof part === 'string' ? encoder.encode(part) : part))));
}

/** Path data of SVG, y downwards, as the operators of PDF, y upwards. */
function operators(path: string): string {
  const out: string[] = [];
  let [x, y] = [0, 0];
  const point = (px: number, py: number): string => `${number(px)} ${number(-py)}`;
  for (const [, command = '', list = ''] of path.matchAll(/([MLHVQCZz])([^A-Za-z]*)/g)) {
    const n = (list.match(/-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?/g) ?? []).map(Number);
    const at = (index: number): number => n[index] ?? 0;
    if (command === 'M' || command === 'L') {
      [x, y] = [at(0), at(1)];
      out.push(`${point(x, y)} ${command === 'M' ? 'm' : 'l'}`);
    } else if (command === 'H' || command === 'V') {
      if (command === 'H') x = at(0);
      else y = at(0);
      out.push(`${point(x, y)} l`);
    } else if (command === 'Q') {
      // PDF has cubic curves only.
      const [cx, cy, ex, ey] = [at(0), at(1), at(2), at(3)];
      const first = point(x + (2 / 3) * (cx - x), y + (2 / 3) * (cy - y));
      out.push(`${first} ${point(ex + (2 / 3) * (cx - ex), ey + (2 / 3) * (cy - ey))} ${point(ex, ey)} c`);
      [x, y] = [ex, ey];
    } else if (command === 'C') {
      out.push(`${point(at(0), at(1))} ${point(at(2), at(3))} ${point(at(4), at(5))} c`);
      [x, y] = [at(4), at(5)];
    } else out.push('h');
  }
  return out.join(' ');
}

function number(value: number): string {
  return String(Math.round(value * 1_000) / 1_000);
}

function channels(colour: string): string {
  return [1, 3, 5].map((at) => number(Number.parseInt(colour.slice(at, at + 2), 16) / 255)).join(' ');
}

function fill(colour: string): string {
  return `${channels(colour)} rg`;
}

function hexByte(value: number): string {
  return value.toString(16).padStart(2, '0');
}

function utf16(text: string): string {
  return [...text.toWellFormed()]
    .flatMap((character) => character.split(''))
    .map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'))
    .join('');
}

function pdfText(text: string): string {
  return `<feff${utf16(text)}>`;
}
