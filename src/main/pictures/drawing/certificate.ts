import { encode } from 'uqr';
import type { CertificatePage } from '../../ports/pictures.ts';
import { decode } from './decoder.ts';
import { widthOf, wrap } from './outlines.ts';
import { PdfPage } from './pdf.ts';

/** A4 in points. */
const PAGE = { width: 595.28, height: 841.89 };
const MARGIN = 50;
const INNER = PAGE.width - 2 * MARGIN;
const ART = { top: 76, height: 330 };
/** The work, where it is a text. */
const TEXT = { size: 13, line: 20, width: 380 };
/** How a name is set, in points: one of more than two lines smaller, so that the longest name of a mint here stands whole. */
const NAME = { size: 26, line: 31, most: 2 };
const LONG_NAME = { size: 17, line: 22, most: 5 };
/** From the name's last line to the line below it, in points. */
const LINE_BELOW = 23;
/** Height in points. The picture gets smaller for a second line of the name, and for a second row of traits. */
const PLATE_ROW = 46;
/** Pixels of the picture for each point: 200 dots per inch. */
const DENSITY = 200 / 72;
const CODE = { side: 92, top: PAGE.height - MARGIN - 92 };
const PLATES = { columns: 4, most: 8, gap: 6, height: PLATE_ROW - 6 };
const LABELS = 86;
const INK = '#26221f';
const QUIET = '#6f6862';
const LINE = '#ded8d1';
const COPPER = '#9c5220';

/** A page with a token's picture, its label, its facts and a code, as PDF. */
export async function drawCertificate(certificate: CertificatePage): Promise<Uint8Array> {
  const { name, heading, line, facts, note, code, language, art } = certificate;
  const page = new PdfPage(PAGE, { title: name.slice(0, 200), language });
  page.text(heading, MARGIN, 56, 10, COPPER);
  const set = wrap(name, NAME.size, INNER, NAME.most + 1).length > NAME.most ? LONG_NAME : NAME;
  const names = wrap(name, set.size, INNER, set.most);
  const rows = Math.ceil(Math.min(certificate.traits.length, PLATES.most) / PLATES.columns);
  const height = ART.height - Math.max(0, names.length - 1) * set.line - Math.max(0, rows - 1) * PLATE_ROW;
  const shown = art instanceof Uint8Array ? await picture(art, height) : undefined;
  let y = 110;
  if (typeof art === 'string') {
    writeText(page, art, height);
    y = ART.top + height + 44;
  }
  if (shown !== undefined) {
    const size = { width: shown.width / DENSITY, height: shown.height / DENSITY };
    const place = { x: (PAGE.width - size.width) / 2, y: ART.top + (height - size.height) / 2, ...size };
    page.picture(shown.jpeg, shown, place);
    y = ART.top + height + 44;
  }
  for (const words of names) {
    page.text(words, MARGIN, y, set.size, INK);
    y += set.line;
  }
  y += LINE_BELOW - set.line;
  for (const words of wrap(line, 11, INNER, 2)) {
    page.text(words, MARGIN, y, 11, QUIET);
    y += 16;
  }
  y = plates(page, certificate.traits, y + 2);
  page.box(MARGIN, y, INNER, 0.7, LINE);
  y += 20;
  for (const [label, value] of facts) {
    page.text(label, MARGIN, y, 9, QUIET);
    // Beside the code there is less room for the facts.
    const width = y > CODE.top - 10 ? INNER - LABELS - CODE.side - 16 : INNER - LABELS;
    for (const words of wrap(value, 9, width, 2)) {
      page.text(words, MARGIN + LABELS, y, 9, INK);
      y += 13;
    }
    y += 2;
  }
  squares(page, code);
  const notes = wrap(note, 8, INNER - CODE.side - 40, 6);
  for (const [at, words] of notes.entries()) {
    page.text(words, MARGIN, PAGE.height - MARGIN - (notes.length - 1 - at) * 12, 8, QUIET);
  }
  return page.finish();
}

/** Writes a text in the place of the picture, in its own lines; what there is no room for is cut. */
function writeText(page: PdfPage, text: string, height: number): void {
  const most = Math.floor(height / TEXT.line);
  const lines: string[] = [];
  for (const line of text.trim().split(/\r?\n/, most + 1)) {
    // An empty line parts verses.
    lines.push(...(line.trim() === '' ? [''] : wrap(line, TEXT.size, TEXT.width, most)));
  }
  const shown = lines.length > most ? [...lines.slice(0, most - 1), '…'] : lines;
  const left = (PAGE.width - shown.reduce((widest, line) => Math.max(widest, widthOf(line, TEXT.size)), 0)) / 2;
  const top = ART.top + (height - shown.length * TEXT.line) / 2 + TEXT.size;
  for (const [at, line] of shown.entries()) page.text(line, left, top + at * TEXT.line, TEXT.size, INK);
}

/** @returns where the page goes on */
function plates(page: PdfPage, traits: CertificatePage['traits'], top: number): number {
  const { columns, most, gap, height } = PLATES;
  const width = (INNER - (columns - 1) * gap) / columns;
  const shown = traits.slice(0, most);
  for (const [at, [name, value, share]] of shown.entries()) {
    const x = MARGIN + (at % columns) * (width + gap);
    const y = top + Math.floor(at / columns) * (height + gap);
    page.box(x, y, width, height, LINE, 0.7);
    page.text(wrap(name, 7.5, width - 28 - widthOf(share, 7.5), 1)[0] ?? '', x + 8, y + 14, 7.5, QUIET);
    page.text(share, x + width - 8 - widthOf(share, 7.5), y + 14, 7.5, QUIET);
    page.text(wrap(value, 10.5, width - 20, 1)[0] ?? '', x + 8, y + 30, 10.5, INK);
  }
  return top + Math.ceil(shown.length / columns) * (height + gap) + (shown.length > 0 ? 12 : 4);
}

/** The first frame on white, scaled to fit its place; undefined if the bytes cannot be read as a picture. */
async function picture(
  bytes: Uint8Array,
  height: number,
): Promise<{ jpeg: Uint8Array; width: number; height: number } | undefined> {
  try {
    const { data, info } = await decode(bytes)
      .resize({
        width: Math.round(INNER * DENSITY),
        height: Math.round(height * DENSITY),
        fit: 'inside',
        kernel: 'lanczos3',
      })
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .jpeg({ quality: 92, chromaSubsampling: '4:4:4' })
      .toBuffer({ resolveWithObject: true });
    return { jpeg: new Uint8Array(data), width: info.width, height: info.height };
  } catch {
    return undefined;
  }
}

function squares(page: PdfPage, code: string): void {
  const { data, size } = encode(code, { ecc: 'M', border: 0 });
  const side = CODE.side / size;
  const left = PAGE.width - MARGIN - CODE.side;
  const places = data.flatMap((row, line) =>
    row.flatMap((dark, column) => (dark ? [[left + column * side, CODE.top + line * side] as const] : [])),
  );
  page.squares(places, side);
}
