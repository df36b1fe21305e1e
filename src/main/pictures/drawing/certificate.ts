import sharp from 'sharp';
import { encode } from 'uqr';
import type { CertificatePage } from '../../ports/pictures.ts';
import { decode, MAX_PIXELS } from './decoder.ts';
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

/** A page with a token's picture, its facts and a code, as PNG. Text is drawn as outlines, so that it needs no font of the machine. */
export async function drawCertificate(certificate: CertificatePage): Promise<Uint8Array> {
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

/** The first frame, as large as its place; undefined where the bytes are no picture that can be read. */
async function picture(bytes: Uint8Array) {
  try {
    return await decode(bytes)
      .resize({ width: INNER, height: ART.height, fit: 'inside', kernel: 'lanczos3' })
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
  } catch {
    return undefined;
  }
}

function svgOf({ name, heading, facts, note, code }: CertificatePage, hasArt: boolean): string {
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
