import {
  codeTexts,
  type ErrorCode,
  type ErrorTexts,
  type Failure,
  type Say,
  translateFailure,
} from '../../contract/index.ts';
import { formatInteger } from '../lib/format.ts';
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
 * @param texts messages and hints by id; missing ones stay in English
 * @param codes the meaning of each code
 * @param say translates a sentence of the host
 */
export function addErrorTexts(language: string, texts: ErrorTexts, codes: CodeTexts = codeTexts, say?: Say): void {
  catalogues.set(language, { texts, codes, say });
}

/** A failure of the host, with message and hint in the language of the page. */
export function inPageLanguage(failure: Failure): Failure {
  const { texts, say } = catalogues.get(i18n.language) ?? { texts: {}, say: undefined };
  return translateFailure(failure, texts, say, (number) => formatInteger(number, i18n.language));
}

/** The meaning of a code and its fix, in the language of the page. */
export function textsOfCode(code: ErrorCode): CodeTexts[ErrorCode] {
  return (catalogues.get(i18n.language)?.codes ?? codeTexts)[code];
}
