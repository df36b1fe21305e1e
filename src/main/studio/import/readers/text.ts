import { phrase } from '../../../../contract/index.ts';
import { UnreadableFile } from '../model.ts';

/**
 * Text of a file as spreadsheets and editors save it: UTF-8 with or without byte order mark, UTF-16 with one.
 * @throws UnreadableFile where the bytes are none of these
 */
export function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);
  } catch {
    throw new UnreadableFile(phrase('import.word.not-unicode'));
  }
}

/** Whether the text is in UTF-8, as far as its first bytes tell. */
export function isUtf8(bytes: Uint8Array): boolean {
  return encodingOf(bytes) === 'utf-8';
}

function encodingOf(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  // without a mark, zero bytes reveal UTF-16 text in Latin letters
  if (bytes.length >= 4 && bytes[1] === 0 && bytes[3] === 0 && bytes[0] !== 0) return 'utf-16le';
  if (bytes.length >= 4 && bytes[0] === 0 && bytes[2] === 0 && bytes[1] !== 0) return 'utf-16be';
  return 'utf-8';
}
