import { fillPlaceholders, type Placeholders, type Value } from '../errors/entry.ts';
import { type PhraseKey, phraseTexts } from './en.ts';

/** What stands for the placeholders of a phrase: text, a number, another phrase, or a list of them. */
export interface PhraseValues {
  [name: string]: string | number | Phrase | Phrase[];
}

/**
 * A sentence of the host by its key in the catalogue, and what it was filled with. It is sent beside the English sentence, so that the page can
 * say it in its own language. The key of a sentence of `src/chain` and `src/token`, which know no catalogue, is its English text.
 */
export interface Phrase {
  key: string;
  values: PhraseValues;
}

/** Why something failed: a sentence of ours, or the words of the system or of another program. */
export type Reason = string | Phrase;

/** The phrases of a language, and the sentences of the libraries by their English text. What it lacks stays in English. */
export type PhraseTexts = { readonly [Key in PhraseKey]?: string };

type PlaceholdersOf<Key extends PhraseKey> = Placeholders<(typeof phraseTexts)[Key]>;

/** The values that a phrase needs: one for each placeholder of its English text. */
type ValuesOf<Key extends PhraseKey> = string extends (typeof phraseTexts)[Key]
  ? PhraseValues
  : Record<PlaceholdersOf<Key>, PhraseValues[string]>;

/** Keys of phrases without a placeholder. */
export type PlainKey = { [Key in PhraseKey]: [PlaceholdersOf<Key>] extends [never] ? Key : never }[PhraseKey];

/** A phrase with a value for each of its placeholders. */
export function phrase(key: PlainKey): { key: string; values: Record<never, never> };
export function phrase<Key extends PhraseKey, Values extends ValuesOf<Key>>(
  key: Key,
  values: Values,
): { key: string; values: Values };
export function phrase(key: PhraseKey, values: PhraseValues = {}): Phrase {
  return { key, values };
}

/** Several sentences as one. */
export function allOf(sentences: readonly [Phrase, ...Phrase[]]): Phrase {
  return sentences.reduce((first, second) => ({ key: 'sentence.both', values: { first, second } }));
}

/**
 * A phrase in words.
 * @param texts of the language, English unless given
 * @param show how a value is written; `name` is that of its placeholder
 */
export function phraseText(
  { key, values }: Phrase,
  texts: PhraseTexts = phraseTexts,
  show: (value: Value, name?: string) => string = String,
): string {
  const text = texts[key as PhraseKey] ?? phraseTexts[key as PhraseKey] ?? key;
  const shown = Object.entries(values).map(([name, value]): [string, string] => [
    name,
    wordText(value, texts, (shown) => show(shown, name)),
  ]);
  return fillPlaceholders(text, Object.fromEntries(shown));
}

/** A phrase in English, with whole numbers as English writes them. */
export function englishText(sentence: Phrase): string {
  return phraseText(sentence, phraseTexts, (value) =>
    Number.isInteger(value) ? value.toLocaleString('en') : `${value}`,
  );
}

/** Why something failed, in English. */
export function reasonText(reason: Reason): string {
  return typeof reason === 'string' ? reason : englishText(reason);
}

/** What stands for a placeholder, in words. */
export function wordText(
  value: PhraseValues[string],
  texts?: PhraseTexts,
  show: (value: Value) => string = String,
): string {
  if (Array.isArray(value)) return value.map((part) => phraseText(part, texts, show)).join('; ');
  return typeof value === 'object' ? phraseText(value, texts, show) : show(value);
}
