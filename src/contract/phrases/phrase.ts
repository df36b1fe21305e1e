import { z } from 'zod';
import { fillPlaceholders, type Value } from '../errors/entry.ts';
import { type PhraseKey, phraseTexts } from './en.ts';
import { patternOf } from './sentences.ts';

const partSchema = z.object({ key: z.string(), values: z.record(z.string(), z.union([z.string(), z.number()])) });

/** What stands for the placeholders of a phrase: text, a number, or another phrase. */
export const phraseValuesSchema = z.record(z.string(), z.union([z.string(), z.number(), partSchema]));
export type PhraseValues = z.infer<typeof phraseValuesSchema>;

/**
 * A sentence of the host by its key in the catalogue, and what it was filled with. It is sent beside the English sentence, so that the page can
 * say it in its own language.
 */
export const phraseSchema = z.object({ key: z.string(), values: phraseValuesSchema });
export type Phrase = z.infer<typeof phraseSchema>;

/** The phrases of a language. What it lacks stays in English. */
export type PhraseTexts = { readonly [Key in PhraseKey]?: string };

export function phrase<Values extends PhraseValues = Record<never, never>>(key: PhraseKey, values?: Values) {
  return { key, values: values ?? ({} as Values) };
}

/**
 * A phrase in words.
 * @param texts of the language, English unless given
 * @param show how a number is written
 */
export function phraseText(
  { key, values }: Phrase,
  texts: PhraseTexts = phraseTexts,
  show: (value: Value) => string = String,
): string {
  const text = texts[key as PhraseKey] ?? phraseTexts[key as PhraseKey];
  const shown = Object.entries(values).map(([name, value]): [string, string] => [name, wordText(value, texts, show)]);
  return fillPlaceholders(text, Object.fromEntries(shown));
}

/** What stands for a placeholder, in words. */
export function wordText(
  value: PhraseValues[string],
  texts?: PhraseTexts,
  show: (value: Value) => string = String,
): string {
  return typeof value === 'object' ? phraseText(value, texts, show) : show(value);
}

/** The phrase among `keys` that a sentence was made of; null where it was made of none. */
export function readPhrase(sentence: string, keys: readonly PhraseKey[]): Phrase | null {
  for (const key of keys) {
    const match = patternOf(phraseTexts[key]).exec(sentence);
    if (match !== null) return { key, values: { ...match.groups } };
  }
  return null;
}
