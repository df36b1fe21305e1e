import type { Language } from '../../../contract/index.ts';
import { de } from './de.ts';
import { en, type Texts } from './en.ts';

export type { Texts } from './en.ts';

const byLanguage: Record<Language, Texts> = { en, de };

export function textsIn(language: Language): Texts {
  return byLanguage[language];
}

/** Fills the places in braces. @param values by the names in braces */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
}
