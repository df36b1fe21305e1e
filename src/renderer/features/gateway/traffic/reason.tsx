import type { Failure } from '../../../../contract/index.ts';

/** Text of a failure. Those of a node or of the protocol are not translated. */
export function Words({ className, failure, text }: { className?: string; failure: Failure | null; text: string }) {
  const foreign = failure === null ? { lang: 'en', 'data-untranslated': true } : {};
  return (
    <span className={className} title={text} {...foreign}>
      {text}
    </span>
  );
}
