import type { Finding } from '../model.ts';

/** Parts of a content that may surprise a viewer of the token: scripts and references in an SVG. */
export function contentFindings(contentType: string | undefined, bytes: Uint8Array): Finding[] {
  if (contentType?.split(';')[0] !== 'image/svg+xml') return [];
  const text = new TextDecoder().decode(bytes);
  const findings: Finding[] = [];
  // element names may have a prefix, and an entity could stand for any of this
  if (/<(?:[\w-]+:)?(?:script|foreignObject|iframe)\b|\son[a-z]+\s*=|javascript\s*:|<!ENTITY/i.test(text)) {
    findings.push({ code: 'svg-script' });
  }
  // One class for blanks and quotation marks: two repetitions in a row would take a time that grows with the square of the blanks.
  if (/(?:href|src)\s*=[\s"']*(?:https?:)?\/\/|url\([\s"']*(?:https?:)?\/\/|@import/i.test(text)) {
    findings.push({ code: 'svg-external' });
  }
  return findings;
}
