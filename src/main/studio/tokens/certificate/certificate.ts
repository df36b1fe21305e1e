import sharp from 'sharp';
import { encode } from 'uqr';
import { outline, wrap } from './outlines.ts';

/** A4 at 150 dots per inch. */
const WIDTH = 1_240;
const HEIGHT = 1_754;
const MARGIN = 110;
const INNER = WIDTH - 2 * MARGIN;
const ART = { top: 250, height: 700 };
const QR = { side: 250, top: HEIGHT - MARGIN - 250 };
const INK = '#26221f';
const QUIET = '#6f6862';
const COPPER = '#b4692e';
/** Pixels of a picture at most: a small file may say that it is millions of pixels wide. */
const MAX_PIXELS = 100_000_000;
const MAX_SECONDS = 15;

export interface CertificateFacts {
  readonly name: string;
  /** Above the name, in small letters. */
  readonly heading: string;
  /** What is printed below the picture, in order. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Printed beside the code: what this page is and is not. */
  readonly note: string;
  /** What the code says. */
  readonly code: string;
  /** The inscribed bytes; whatever is no picture is left out. */
  readonly art: Uint8Array | null;
}

/** A page with a token's picture, its facts and a code, as PNG. Text is drawn as outlines, so that it needs no font of the machine. */
export async function drawCertificate(certificate: CertificateFacts): Promise<Uint8Array> {
  allowLoaders();
  const art = certificate.art === null ? undefined : await picture(certificate.art);
  const page = sharp(Buffer.from(svgOf(certificate, art !== undefined)), { limitInputPixels: MAX_PIXELS });
  if (art !== undefined) {
    const left = Math.round((WIDTH - art.info.width) / 2);
    const top = Math.round(ART.top + (ART.height - art.info.height) / 2);
    const raw = { width: art.info.width, height: art.info.height, channels: 4 as const };
    page.composite([{ input: art.data, raw, left, top }]);
  }
  return page.png().toBuffer();
}

/** The thread that makes thumbnails allows pictures in files alone, for the whole process; this page is drawn from memory. */
function allowLoaders(): void {
  const formats = ['Svg', 'Png', 'Jpeg', 'Nsgif', 'Webp', 'Heif', 'Tiff'];
  sharp.unblock({ operation: formats.map((format) => `VipsForeignLoad${format}Buffer`) });
}

/** The first frame, as large as its place; undefined where the bytes are no picture that can be read. */
async function picture(bytes: Uint8Array) {
  try {
    return await sharp(bytes, { limitInputPixels: MAX_PIXELS, failOn: 'truncated', pages: 1 })
      .timeout({ seconds: MAX_SECONDS })
      .rotate()
      .resize({ width: INNER, height: ART.height, fit: 'inside', kernel: 'lanczos3' })
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
  } catch {
    return undefined;
  }
}

function svgOf({ name, heading, facts, note, code }: CertificateFacts, hasArt: boolean): string {
  const parts = [
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    `<rect x="40" y="40" width="${WIDTH - 80}" height="${HEIGHT - 80}" fill="none" stroke="${COPPER}" stroke-width="3"/>`,
    text(heading, MARGIN, 135, 26, COPPER),
    ...wrap(name, 54, INNER, 1).map((line) => text(line, MARGIN, 205, 54, INK)),
  ];
  let y = hasArt ? ART.top + ART.height + 60 : ART.top + 40;
  for (const [label, value] of facts) {
    const lines = wrap(value, 22, INNER - 240, 2);
    parts.push(text(label, MARGIN, y, 22, QUIET));
    for (const line of lines) {
      parts.push(text(line, MARGIN + 240, y, 22, INK));
      y += 34;
    }
    if (lines.length === 0) y += 34;
  }
  parts.push(codeAt(code, WIDTH - MARGIN - QR.side, QR.top, QR.side));
  wrap(note, 20, INNER - QR.side - 60, 8).forEach((line, index) => {
    parts.push(text(line, MARGIN, QR.top + 40 + index * 31, 20, QUIET));
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">${parts.join('')}</svg>`;
}

function text(line: string, x: number, y: number, size: number, colour: string): string {
  return `<g transform="translate(${x} ${y})" fill="${colour}">${outline(line, size).path}</g>`;
}

function codeAt(code: string, x: number, y: number, side: number): string {
  const { data, size } = encode(code, { ecc: 'M', border: 0 });
  const cells = data.flatMap((row, line) => row.flatMap((dark, column) => (dark ? `M${column} ${line}h1v1h-1z` : [])));
  const scale = side / size;
  return `<path transform="translate(${x} ${y}) scale(${scale})" d="${cells.join('')}" fill="#000" shape-rendering="crispEdges"/>`;
}
