import { ErrorNote } from './failure-note.tsx';

/** Why requests failed, where they did. @param of always the same requests, in the same order */
export function Failures({ of }: { of: readonly { error: Error | null }[] }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the requests keep their places.
  return of.map(({ error }, index) => <ErrorNote key={index} error={error} />);
}
