import type { Finding } from '../model.ts';
import { decodeText } from './text.ts';

/** Parts of a content that may surprise a viewer of the token: scripts and references in an SVG. */
export function contentFindings(contentType: string | undefined, bytes: Uint8Array): Finding[] {
  if (contentType?.split(';')[0] !== 'image/svg+xml') return [];
  const text = textOf(bytes);
  // An address may have tabs and line breaks anywhere.
  const addresses = text.replace(/[\t\n\r]+/g, '');
  const findings: Finding[] = [];
  // element names may have a prefix, and an entity could stand for any of this
  if (
    /<(?:[\w-]+:)?(?:script|foreignObject|iframe)\b|\son[a-z]+\s*=|<!ENTITY/i.test(text) ||
    /javascript\s*:/i.test(addresses)
  ) {
    findings.push({ code: 'svg-script' });
  }
  // One class for blanks and quotation marks: two repetitions in a row would take a time that grows with the square of the blanks.
  if (/(?:href|src)\s*=[\s"']*(?:https?:)?\/\/|url\([\s"']*(?:https?:)?\/\/|@import/i.test(addresses)) {
    findings.push({ code: 'svg-external' });
  }
  return findings;
}

/** The text of an SVG with its numbered characters read. */
function textOf(bytes: Uint8Array): string {
  let text: string;
  try {
    text = decodeText(bytes);
  } catch {
    text = new TextDecoder().decode(bytes);
  }
  return text.replace(/&#(?:x([0-9a-f]{1,6})|(\d{1,7}));/gi, (written, hex?: string, decimal?: string) => {
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0x10ffff ? written : String.fromCodePoint(code);
  });
}
