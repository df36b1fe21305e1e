import type { Value } from '../errors/entry.ts';
import { englishText, type Phrase } from './phrase.ts';
import type { ruleTexts } from './rules.ts';

const rules = new Map<string, Phrase>();

/** Allowed values, as the messages of a schema name them. */
export function allowed(rule: keyof typeof ruleTexts, values: Record<string, Value> = {}): string {
  const sentence = { key: rule, values };
  const text = englishText(sentence);
  rules.set(text, sentence);
  return text;
}

/** Allowed values, by the message of a schema; undefined if the message is the schema library's own. */
export function ruleOf(refusal: string): Phrase | undefined {
  return rules.get(refusal);
}
