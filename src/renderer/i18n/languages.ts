import type { Catalogue } from '../../contract/languages/catalogue.ts';
import { addErrorTexts } from './errors.ts';
import { addTexts } from './index.ts';
import { addPhrases, phraseInPageLanguage } from './phrases.ts';

/** Adds all texts of a language to the page. @param language as i18next names it: `de` */
export function addLanguage(language: string, { page, errors, codes, phrases }: Catalogue): void {
  addTexts(page, language);
  addPhrases(language, phrases);
  addErrorTexts(language, errors, codes, phraseInPageLanguage);
}
