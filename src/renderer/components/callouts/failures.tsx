import { failureOf } from '../../api/failure.ts';
import { FailureNote } from './failure-note.tsx';

/** Why requests failed, where they did. @param of always the same requests, in the same order */
export function Failures({ of }: { of: readonly { error: Error | null }[] }) {
  return of.map(({ error }, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the requests keep their places.
    error === null ? null : <FailureNote key={index} failure={failureOf(error)} />,
  );
}
