import { fillPlaceholders, type Placeholders, type Value } from '../errors/entry.ts';
import { type PhraseKey, phraseTexts } from './en.ts';

/** Value of a placeholder of a phrase: text, a number, another phrase, or a list of them. */
export interface PhraseValues {
  [name: string]: string | number | Phrase | Phrase[];
}

/**
 * A sentence of the host by its key in the catalogue, with its values. It is sent together with the English sentence, so that the page can
 * translate it. The key of a sentence of `src/chain` and `src/token`, which have no catalogue, is its English text.
 */
export interface Phrase {
  key: string;
  values: PhraseValues;
}

/** Why something failed: one of our sentences, or the words of the system or of another program. */
export type Reason = string | Phrase;

/** The phrases of a language, and the sentences of the libraries by their English text. Missing ones stay in English. */
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

/** Joins several sentences. */
export function allOf(sentences: readonly [Phrase, ...Phrase[]]): Phrase {
  return sentences.reduce((first, second) => ({ key: 'sentence.both', values: { first, second } }));
}

/**
 * The text of a phrase.
 * @param texts of the language, English unless given
 * @param show formats a value; `name` is that of its placeholder
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

/** The text of a placeholder's value. */
export function wordText(
  value: PhraseValues[string],
  texts?: PhraseTexts,
  show: (value: Value) => string = String,
): string {
  if (Array.isArray(value)) return value.map((part) => phraseText(part, texts, show)).join('; ');
  return typeof value === 'object' ? phraseText(value, texts, show) : show(value);
}
