import { type ErrorTexts, type Failure, translateFailure } from '../../contract/index.ts';
import { i18n } from './index.ts';

const catalogues = new Map<string, ErrorTexts>();

/** Adds the error messages of a language. What it lacks stays in English. @param language as i18next names it: `de` */
export function addErrorTexts(language: string, texts: ErrorTexts): void {
  catalogues.set(language, texts);
}

/** A failure as the host sent it, with message and hint in the language of the page. */
export function inPageLanguage(failure: Failure): Failure {
  return translateFailure(failure, catalogues.get(i18n.language) ?? {});
}
