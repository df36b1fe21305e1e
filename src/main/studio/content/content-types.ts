import { type ContentType, contentTypeOfName, contentTypes } from '../../../contract/index.ts';

/** Bytes at the start of a file that are enough to recognise its kind. */
export const SNIFF_BYTES = 64;

/** Kinds that begin alike: the file name decides between them. */
const sameStart: readonly (readonly string[])[] = [
  ['video/mp4', 'audio/mp4', 'video/quicktime', 'image/avif'],
  ['image/heif', 'image/avif', 'image/heic'],
  ['audio/ogg', 'video/ogg'],
  ['image/png', 'image/apng'],
];

/**
 * The content type of a file by its first bytes or, if those do not say, by its name.
 *
 * Measured against the libraries: file-type needs 53 µs a file instead of 1.1 µs, does not recognise a PNG, WebM or GLB by its first 64 bytes,
 * and knows no text kinds; mime gives no charset. Together they add 0.7 MB and would still need the table for previews.
 * @param head the first {@link SNIFF_BYTES} bytes, or all of a shorter file
 * @returns a MIME type, or undefined for an unknown kind
 */
export function detectContentType(fileName: string, head: Uint8Array): string | undefined {
  const named = contentTypeOfName(fileName);
  const found = contentTypes.find(({ signatures }) =>
    signatures?.some((parts) => parts.every(([offset, text]) => startsAt(head, offset, text))),
  );
  if (found === undefined) return named && mimeType(named);
  const family = sameStart.find((types) => types.includes(found.type));
  return mimeType(named !== undefined && family?.includes(named.type) ? named : found);
}

function mimeType({ type, isUtf8 }: ContentType): string {
  return isUtf8 ? `${type};charset=utf-8` : type;
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
