import { type Failure, withHint } from '../../contract/index.ts';
import { inPageLanguage } from './errors.ts';

/** Why something failed, in the language of the page where Planchet wrote it; null where nothing did. */
export function reasonOf({ reason, failure }: { reason: string | null; failure: Failure | null }): string | null {
  return failure === null ? reason : withHint(inPageLanguage(failure));
}
