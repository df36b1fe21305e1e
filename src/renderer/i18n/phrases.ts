import {
  DEFAULT_MINER_NAME,
  type Phrase,
  type PhraseTexts,
  phrase,
  phraseText,
  type ReviewCheck,
} from '../../contract/index.ts';
import { formatInteger } from '../lib/format.ts';
import { i18n } from './index.ts';

const catalogues = new Map<string, PhraseTexts>();

/** Adds the host's phrases in a language. @param language as i18next names it: `de` */
export function addPhrases(language: string, texts: PhraseTexts): void {
  catalogues.set(language, texts);
}

export function phraseInPageLanguage(phrase: Phrase): string {
  return phraseText(phrase, catalogues.get(i18n.language), (value) =>
    Number.isInteger(value) ? formatInteger(value as number, i18n.language) : shownMinerName(String(value)),
  );
}

/** What a check of a review found, in the language of the page. Reviews of older versions hold the English sentence alone, which is shown. */
export function checkInPageLanguage({ sentences, text }: ReviewCheck): string {
  return sentences === undefined ? text : sentences.map(phraseInPageLanguage).join(' ');
}

/** A miner's name as the page shows it: the built-in one is called in the language of the page, others as a person named them. */
export function shownMinerName(name: string): string {
  return name === DEFAULT_MINER_NAME ? phraseInPageLanguage(phrase('miner.default')) : name;
}
