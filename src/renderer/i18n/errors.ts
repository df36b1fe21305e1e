import {
  codeTexts,
  type ErrorCode,
  type ErrorTexts,
  type Failure,
  type Say,
  translateFailure,
} from '../../contract/index.ts';
import { i18n } from './index.ts';

type CodeTexts = typeof codeTexts;

interface Catalogue {
  readonly texts: ErrorTexts;
  readonly codes: CodeTexts;
  readonly say: Say | undefined;
}

const catalogues = new Map<string, Catalogue>();

/**
 * Adds the error messages of a language.
 * @param language as i18next names it: `de`
 * @param texts messages and hints by id; what it lacks stays in English
 * @param codes what each code means
 * @param say a sentence of the host in the language
 */
export function addErrorTexts(language: string, texts: ErrorTexts, codes: CodeTexts = codeTexts, say?: Say): void {
  catalogues.set(language, { texts, codes, say });
}

/** A failure as the host sent it, with message and hint in the language of the page. */
export function inPageLanguage(failure: Failure): Failure {
  const { texts, say } = catalogues.get(i18n.language) ?? { texts: {}, say: undefined };
  return translateFailure(failure, texts, say);
}

/** What a code means, and what to do about it, in the language of the page. */
export function textsOfCode(code: ErrorCode): CodeTexts[ErrorCode] {
  return (catalogues.get(i18n.language)?.codes ?? codeTexts)[code];
}
