import { fillPlaceholders } from '../errors/entry.ts';

/** Sentences of another language by the English one, each with the same placeholders: `{"{field} is missing.": "{field} fehlt."}`. */
export type Sentences = Readonly<Record<string, string>>;

interface Pattern {
  readonly pattern: RegExp;
  readonly text: string;
}

/**
 * Says English sentences in another language. Errors hold such sentences as text where the libraries wrote them, which know no catalogue, and
 * where they were stored. The first entry that fits wins; parts of a sentence may be sentences themselves.
 * @param showNumber how a whole number is written
 * @returns a function that leaves unknown sentences as they are
 */
export function sentenceReader(texts: Sentences, showNumber: (value: number) => string): (text: string) => string {
  const exact = new Map(Object.entries(texts).filter(([english]) => !english.includes('{')));
  const patterns = Object.entries(texts).flatMap(([english, text]): Pattern[] =>
    english.includes('{') ? [{ pattern: patternOf(english), text }] : [],
  );

  function whole(sentence: string): string | undefined {
    const same = exact.get(sentence);
    if (same !== undefined) return same;
    for (const { pattern, text } of patterns) {
      const match = pattern.exec(sentence);
      if (match === null) continue;
      const values = Object.entries(match.groups ?? {}).map(([name, part]) => [name, partOf(part)]);
      return fillPlaceholders(text, Object.fromEntries(values));
    }
    return undefined;
  }

  function partOf(part: string): string {
    return /^\d{1,3}(?:,?\d{3})*$/.test(part) ? showNumber(Number(part.replaceAll(',', ''))) : (whole(part) ?? part);
  }

  return (text) =>
    whole(text) ??
    text
      .split(/(?<=[.!?]) (?=[A-Z])/)
      .map((sentence) => whole(sentence) ?? sentence)
      .join(' ');
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** What a text with placeholders matches; its groups are their values. */
export function patternOf(text: string): RegExp {
  const [before = '', ...parts] = text.split(/\{(\w+)\}/);
  const rest = parts.map((part, index) => (index % 2 === 0 ? `(?<${part}>.+?)` : escaped(part)));
  return new RegExp(`^${escaped(before)}${rest.join('')}$`, 's');
}
