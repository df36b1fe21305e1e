import { type Phrase, PlanchetError, phrase, type Reason } from '../../../contract/index.ts';

/** An operator without an answer, and why it has none. */
export interface Silent {
  readonly name: string;
  readonly reason: Reason;
}

/** The error where nobody answered, which names each one's reason. */
export function noneAnswered(silent: readonly Silent[]): PlanchetError<'chain.sources-unavailable'> {
  return new PlanchetError('chain.sources-unavailable', { reasons: reasonsOf(silent) });
}

/** Each one's reason, with its name. */
export function reasonsOf(silent: readonly Silent[]): Phrase {
  const each = silent.map(({ name, reason }) => phrase('reason.of-source', { name, reason }));
  return phrase('reason.of-sources', { each });
}
