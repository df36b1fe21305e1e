import { type Failure, type TransactionReason, withHint } from '../../contract/index.ts';
import { mendOf } from '../lib/mends.ts';
import { inPageLanguage } from './errors.ts';
import { phraseInPageLanguage } from './phrases.ts';

/** Why something failed, in the language of the page if the reason is one of Planchet's own; null if there is no failure. */
export function reasonOf({ reason, failure }: { reason: string | null; failure: Failure | null }): string | null {
  return failure === null ? reason : withHint(wordsOf(failure));
}

/** What happened and what to do, in the language of the page. */
export function wordsOf(failure: Failure): { message: string; hint: string | undefined } {
  const told = inPageLanguage(failure);
  return { message: told.message, hint: hintOf(told) };
}

/** The command of the terminal that a hint ends with, after the words for what it does. */
const COMMAND = /: ["„]?planchet [a-z].*$/s;

/** What to do about a failure: without the command of the terminal where a button mends it. */
export function hintOf({ id, hint }: Pick<Failure, 'id' | 'hint'>): string | undefined {
  return mendOf({ id }) === undefined ? hint : hint?.replace(COMMAND, '.');
}

/** Why a transaction was not accepted and what to do, in the language of the page. The words of a miner are not translated. */
export function reasonWords({ code, text, advice, id, values, sentence }: TransactionReason): {
  text: string;
  advice: string;
} {
  if (sentence !== undefined)
    return {
      text: phraseInPageLanguage(sentence),
      advice: phraseInPageLanguage({ key: `advice.${code}`, values: {} }),
    };
  if (id === undefined) return { text, advice };
  const translated = inPageLanguage({ code: 'rejected', message: text, hint: advice, id, ...(values && { values }) });
  return { text: values === undefined ? text : translated.message, advice: translated.hint ?? '' };
}
