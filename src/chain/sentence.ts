/** The names between braces in a text: `Placeholders<'{a} of {b}'>` is `'a' | 'b'`. */
type Placeholders<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Placeholders<Rest> : never;

/** Value of a placeholder: text, a number, or a nested sentence. */
type SentenceValue = string | number | Sentence;

/** A sentence for a person. Its English text is its id, under which a translation of it is found. */
export interface Sentence {
  /** The English text; `{name}` is a placeholder. */
  readonly key: string;
  readonly values: Readonly<Record<string, SentenceValue>>;
}

type Values<Text> = [Placeholders<Text>] extends [never] ? [] : [Readonly<Record<Placeholders<Text>, SentenceValue>>];

/**
 * A sentence with the values of its placeholders.
 *
 * @example sentence('{field} is not an address: {why}', { field: 'destination', why: error.sentence })
 */
export function sentence<const Text extends string>(key: Text, ...[values]: Values<Text>): Sentence {
  return { key, values: values ?? {} };
}

/** A sentence whose placeholders are filled with those of the values that it names. */
export function sentenceOf(text: string | Sentence, values: Readonly<Record<string, unknown>>): Sentence {
  if (typeof text !== 'string') return text;
  const named = [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, values[name] as SentenceValue]);
  return { key: text, values: Object.fromEntries(named) };
}

/** The English words of a sentence. A placeholder without a value stays as it is. */
export function sentenceText({ key, values }: Sentence): string {
  return key.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = values[name] ?? placeholder;
    return typeof value === 'object' ? sentenceText(value) : String(value);
  });
}
