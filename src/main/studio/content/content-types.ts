import { extname } from 'node:path';

/** Bytes from the start of a file that are enough to tell its kind. */
export const SNIFF_BYTES = 64;

const UTF8 = ';charset=utf-8';

/** Kinds by file name. Text carries its charset, because a viewer without one guesses wrongly. */
const byExtension: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.apng': 'image/apng',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.bmp': 'image/bmp',
  '.ico': 'image/x-icon',
  '.tif': 'image/tiff',
  '.tiff': 'image/tiff',
  '.svg': 'image/svg+xml',
  '.html': `text/html${UTF8}`,
  '.htm': `text/html${UTF8}`,
  '.txt': `text/plain${UTF8}`,
  '.md': `text/markdown${UTF8}`,
  '.csv': `text/csv${UTF8}`,
  '.css': `text/css${UTF8}`,
  '.js': `text/javascript${UTF8}`,
  '.mjs': `text/javascript${UTF8}`,
  '.json': 'application/json',
  '.xml': 'application/xml',
  '.wasm': 'application/wasm',
  '.pdf': 'application/pdf',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.ogg': 'audio/ogg',
  '.oga': 'audio/ogg',
  '.opus': 'audio/ogg',
  '.flac': 'audio/flac',
  '.m4a': 'audio/mp4',
  '.mp4': 'video/mp4',
  '.m4v': 'video/mp4',
  '.webm': 'video/webm',
  '.ogv': 'video/ogg',
  '.mov': 'video/quicktime',
  '.glb': 'model/gltf-binary',
  '.gltf': 'model/gltf+json',
  '.stl': 'model/stl',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.otf': 'font/otf',
};

interface Signature {
  readonly type: string;
  /** Latin-1 text to find at each place. */
  readonly at: readonly (readonly [offset: number, text: string])[];
}

/** First bytes of the kinds that have them; the first match counts. */
const signatures: readonly Signature[] = [
  { type: 'image/png', at: [[0, '\x89PNG\r\n\x1a\n']] },
  { type: 'image/jpeg', at: [[0, '\xff\xd8\xff']] },
  { type: 'image/gif', at: [[0, 'GIF87a']] },
  { type: 'image/gif', at: [[0, 'GIF89a']] },
  {
    type: 'image/webp',
    at: [
      [0, 'RIFF'],
      [8, 'WEBP'],
    ],
  },
  {
    type: 'audio/wav',
    at: [
      [0, 'RIFF'],
      [8, 'WAVE'],
    ],
  },
  { type: 'image/avif', at: [[4, 'ftypavif']] },
  { type: 'image/avif', at: [[4, 'ftypavis']] },
  { type: 'audio/mp4', at: [[4, 'ftypM4A ']] },
  { type: 'video/quicktime', at: [[4, 'ftypqt  ']] },
  { type: 'video/mp4', at: [[4, 'ftyp']] },
  { type: 'video/webm', at: [[0, '\x1a\x45\xdf\xa3']] },
  { type: 'audio/ogg', at: [[0, 'OggS']] },
  { type: 'audio/flac', at: [[0, 'fLaC']] },
  { type: 'audio/mpeg', at: [[0, 'ID3']] },
  { type: 'application/pdf', at: [[0, '%PDF-']] },
  { type: 'model/gltf-binary', at: [[0, 'glTF']] },
  { type: 'application/wasm', at: [[0, '\0asm']] },
  { type: 'font/woff', at: [[0, 'wOFF']] },
  { type: 'font/woff2', at: [[0, 'wOF2']] },
  {
    type: 'image/bmp',
    at: [
      [0, 'BM'],
      [6, '\0\0\0\0'],
    ],
  },
  { type: 'image/tiff', at: [[0, 'II*\0']] },
  { type: 'image/tiff', at: [[0, 'MM\0*']] },
];

/** Kinds that share their first bytes with another: here the file name knows better. */
const sameStart: readonly (readonly string[])[] = [
  ['video/mp4', 'audio/mp4', 'video/quicktime', 'image/avif'],
  ['audio/ogg', 'video/ogg'],
  ['image/png', 'image/apng'],
];

/**
 * What a file holds, by its first bytes and, where those do not tell, by its name.
 * @param head the first {@link SNIFF_BYTES} bytes, or all of a shorter file
 * @returns a MIME type, or undefined for a kind that is not known
 */
export function detectContentType(fileName: string, head: Uint8Array): string | undefined {
  const named = byExtension[extname(fileName).toLowerCase()];
  const seen = signatures.find(({ at }) => at.every(([offset, text]) => startsAt(head, offset, text)))?.type;
  if (seen === undefined) return named;
  const family = sameStart.find((types) => types.includes(seen));
  return named !== undefined && family?.includes(named) ? named : seen;
}

function startsAt(head: Uint8Array, offset: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (head[offset + i] !== text.charCodeAt(i)) return false;
  return true;
}

const TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";
const MIME = new RegExp(`^${TOKEN}/${TOKEN}(?:\\s*;\\s*${TOKEN}=(?:${TOKEN}|"[^"\\\\\\x00-\\x1f\\x7f-\\uffff]*"))*$`);

/**
 * Brings a MIME type to one form: type and parameter names in lower case, no blanks around them (RFC 9110, section 8.3.1).
 * @returns undefined for what is not a MIME type
 */
export function normaliseContentType(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > 255 || !MIME.test(trimmed)) return undefined;
  const [essence = '', ...parameters] = splitOutsideQuotes(trimmed);
  return [
    essence.trim().toLowerCase(),
    ...parameters.map((parameter) => {
      const equals = parameter.indexOf('=');
      return parameter.slice(0, equals).trim().toLowerCase() + parameter.slice(equals).trim();
    }),
  ].join(';');
}

function splitOutsideQuotes(text: string): string[] {
  return text.match(/(?:"[^"]*"|[^;"])+/g) ?? [];
}
