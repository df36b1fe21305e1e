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

/** The result of a check of a review, in the language of the page. Reviews of older versions contain the English sentence only, which is shown. */
export function checkInPageLanguage({ sentences, text }: ReviewCheck): string {
  return sentences === undefined ? text : sentences.map(phraseInPageLanguage).join(' ');
}

/** A miner's name on the page: the built-in one has a translated name, others have the name that a person gave them. */
export function shownMinerName(name: string): string {
  return name === DEFAULT_MINER_NAME ? phraseInPageLanguage(phrase('miner.default')) : name;
}
