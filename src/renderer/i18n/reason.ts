import { type Failure, type TransactionReason, withHint } from '../../contract/index.ts';
import { mendOf } from '../lib/mends.ts';
import { inPageLanguage } from './errors.ts';
import { i18n } from './index.ts';
import { phraseInPageLanguage } from './phrases.ts';

/** Why something failed, in the language of the page if the reason is one of Planchet's own; null if there is no failure. */
export function reasonOf({ reason, failure }: { reason: string | null; failure: Failure | null }): string | null {
  if (failure === null) return reason;
  const told = inPageLanguage(failure);
  return withHint({ message: told.message, hint: hintOf(told) });
}

/** What to do about a failure, in the language of the page: beside the button that mends it, that one's own words. */
export function hintOf({ id, hint }: Pick<Failure, 'id' | 'hint'>): string | undefined {
  const mend = mendOf({ id });
  return mend === undefined ? hint : i18n.t(`common.mend.${mend}.hint`);
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
