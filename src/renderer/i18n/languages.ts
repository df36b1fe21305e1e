import type { Catalogue } from '../../contract/languages/catalogue.ts';
import { phraseTexts } from '../../contract/phrases/en.ts';
import { phraseText } from '../../contract/phrases/phrase.ts';
import { sentenceReader } from '../../contract/phrases/sentences.ts';
import { formatInteger } from '../lib/format.ts';
import { addErrorTexts } from './errors.ts';
import { addTexts } from './index.ts';
import { addPhrases } from './phrases.ts';

/** Adds all texts of a language to the page. @param language as i18next names it: `de` */
export function addLanguage(language: string, { page, errors, codes, phrases, sentences }: Catalogue): void {
  addTexts(page, language);
  // A part of a sentence that starts with a placeholder fits too much.
  const ofPhrases = Object.entries(phraseTexts)
    .filter(([key, english]) => !key.startsWith('review.word.') || !english.startsWith('{'))
    .map(([key, english]) => [english, phrases[key as keyof typeof phrases] ?? english]);
  const say = sentenceReader({ ...sentences, ...Object.fromEntries(ofPhrases) }, (value) =>
    formatInteger(value, language),
  );
  const show = (value: string | number): string =>
    Number.isInteger(value) ? formatInteger(value as number, language) : String(value);
  addErrorTexts(language, errors, codes, (sentence) =>
    typeof sentence === 'string' ? say(sentence) : phraseText(sentence, phrases, show),
  );
  addPhrases(language, phrases);
}
