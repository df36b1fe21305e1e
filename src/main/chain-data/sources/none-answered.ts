import { PlanchetError, phrase, type Reason } from '../../../contract/index.ts';

/** An operator without an answer, and why it has none. */
export interface Silent {
  readonly name: string;
  readonly reason: Reason;
}

/** The error where nobody answered, which names each one's reason. */
export function noneAnswered(silent: readonly Silent[]): PlanchetError<'chain.sources-unavailable'> {
  const each = silent.map(({ name, reason }) => phrase('reason.of-source', { name, reason }));
  return new PlanchetError('chain.sources-unavailable', { reasons: phrase('reason.of-sources', { each }) });
}
