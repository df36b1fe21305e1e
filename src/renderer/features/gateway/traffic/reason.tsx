import { type Failure, type GatewayCall, withHint } from '../../../../contract/index.ts';
import { inPageLanguage } from '../../../i18n/errors.ts';

/** Why a call failed or was refused, in the language of the page where Planchet wrote it; null where it succeeded. */
export function reasonOf({ reason, failure }: Pick<GatewayCall, 'reason' | 'failure'>): string | null {
  return failure === null ? reason : withHint(inPageLanguage(failure));
}

/** Words of a failure. Those of a node or of the protocol stay as they are. */
export function Words({ className, failure, text }: { className?: string; failure: Failure | null; text: string }) {
  const foreign = failure === null ? { lang: 'en', 'data-untranslated': true } : {};
  return (
    <span className={className} title={text} {...foreign}>
      {text}
    </span>
  );
}
