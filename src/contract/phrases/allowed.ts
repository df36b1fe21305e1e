import type { Value } from '../errors/entry.ts';
import { englishText, type Phrase } from './phrase.ts';
import type { ruleTexts } from './rules.ts';

const rules = new Map<string, Phrase>();

/** What is allowed, in the words that a schema refuses a value with. */
export function allowed(rule: keyof typeof ruleTexts, values: Record<string, Value> = {}): string {
  const sentence = { key: rule, values };
  const text = englishText(sentence);
  rules.set(text, sentence);
  return text;
}

/** What is allowed, by the words that a value was refused with; undefined where they are of the schema library. */
export function ruleOf(refusal: string): Phrase | undefined {
  return rules.get(refusal);
}
