import type { Failure, Phrase } from '../../../contract/index.ts';
import { inPageLanguage } from '../../i18n/errors.ts';
import { phraseInPageLanguage } from '../../i18n/phrases.ts';
import layout from '../styles/layout.module.css';

interface StepTextProps {
  message: string;
  sentence: Phrase | null;
  failure: Failure | null;
}

/** The result of a step of a test, and the fix if it failed. */
export function StepText({ message, sentence, failure }: StepTextProps) {
  const failed = failure === null ? undefined : inPageLanguage(failure);
  return (
    <span className={layout.value}>
      {failed?.message ?? (sentence === null ? message : phraseInPageLanguage(sentence))}
      {failed?.hint !== undefined && <div className={layout.dim}>{failed.hint}</div>}
    </span>
  );
}
