import { type Phrase, type PhraseTexts, phraseText } from '../../contract/index.ts';
import { formatInteger } from '../lib/format.ts';
import { i18n } from './index.ts';
import { shownMinerName } from './miner-name.ts';

const catalogues = new Map<string, PhraseTexts>();

/** Adds the host's phrases in a language. @param language as i18next names it: `de` */
export function addPhrases(language: string, texts: PhraseTexts): void {
  catalogues.set(language, texts);
}

/** A phrase of the host in the language of the page. */
export function phraseInPageLanguage(phrase: Phrase): string {
  return phraseText(phrase, catalogues.get(i18n.language), (value) =>
    Number.isInteger(value) ? formatInteger(value as number, i18n.language) : shownMinerName(String(value)),
  );
}
