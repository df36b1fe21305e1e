import type { Language } from '../../../contract/index.ts';
import { en, type Texts } from './en.ts';

export type { Texts } from './en.ts';

const folder = '../../../contract/languages';
const byFile = import.meta.glob<Texts>('../../../contract/languages/*/shell.json', { eager: true, import: 'default' });

export function textsIn(language: Language): Texts {
  return byFile[`${folder}/${language}/shell.json`] ?? en;
}

/** Fills the places in braces. @param values by the names in braces */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
}
