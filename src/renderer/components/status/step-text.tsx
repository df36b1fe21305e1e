import { useTranslation } from 'react-i18next';
import type { Failure, Phrase } from '../../../contract/index.ts';
import { inPageLanguage } from '../../i18n/errors.ts';
import { phraseInPageLanguage } from '../../i18n/phrases.ts';
import { hintOf } from '../../i18n/reason.ts';
import { mendOf } from '../../lib/mends.ts';
import { MendButton } from '../callouts/failure-action.tsx';
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
  const failed = failure === null ? undefined : inPageLanguage(failure);
  const mend = failed && mendOf(failed);
  const hint = failed && hintOf(failed);
  return (
    <span className={layout.value}>
      {failed?.message ?? (sentence === null ? message : phraseInPageLanguage(sentence))}
      {hint !== undefined && <div className={layout.dim}>{hint}</div>}
      {failed && mend && <MendButton mend={mend} failure={failed} />}
    </span>
  );
}
