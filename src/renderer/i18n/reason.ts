import {
  type Failure,
  type PhraseKey,
  phraseTexts,
  readPhrase,
  type TransactionReason,
  withHint,
} from '../../contract/index.ts';
import { inPageLanguage, sentenceInPageLanguage } from './errors.ts';
import { phraseInPageLanguage } from './phrases.ts';

const ofChecks = (Object.keys(phraseTexts) as PhraseKey[]).filter((key) => /^(?:check|advice)\./.test(key));

/** Why something failed, in the language of the page where Planchet wrote it; null where nothing did. */
export function reasonOf({ reason, failure }: { reason: string | null; failure: Failure | null }): string | null {
  if (failure !== null) return withHint(inPageLanguage(failure));
  return reason && sentenceInPageLanguage(reason);
}

/** Why a transaction is not on its way and what to do, in the language of the page. What a miner said stays in its words. */
export function reasonWords({ text, advice, id, values }: TransactionReason): { text: string; advice: string } {
  if (id === undefined) return { text: checkWords(text), advice: checkWords(advice) };
  const translated = inPageLanguage({ code: 'rejected', message: text, hint: advice, id, ...(values && { values }) });
  return { text: values === undefined ? text : translated.message, advice: translated.hint ?? '' };
}

/** The host's sentence about a check that kept a transaction back. */
function checkWords(sentence: string): string {
  const phrase = readPhrase(sentence, ofChecks);
  // Several checks are several sentences.
  return phrase === null ? sentenceInPageLanguage(sentence) : phraseInPageLanguage(phrase);
}
