import { useTranslation } from 'react-i18next';
import type { Failure, Phrase } from '../../../contract/index.ts';
import { phraseInPageLanguage } from '../../i18n/phrases.ts';
import { wordsOf } from '../../i18n/reason.ts';
import { mendButton } from '../callouts/failure-action.tsx';
import layout from '../styles/layout.module.css';

interface StepTextProps {
  message: string;
  sentence: Phrase | null;
  failure: Failure | null;
}

/** The result of a step of a test, and the fix if it failed. */
export function StepText({ message, sentence, failure }: StepTextProps) {
  // Rendered again in another language.
  useTranslation();
  const failed = failure === null ? undefined : wordsOf(failure);
  return (
    <span className={layout.value}>
      {failed?.message ?? (sentence === null ? message : phraseInPageLanguage(sentence))}
      {failed?.hint !== undefined && <div className={layout.dim}>{failed.hint}</div>}
      {failure && mendButton(failure)}
    </span>
  );
}
