import { type Failure, PlanchetError, toFailure } from '../../../contract/index.ts';

const passing = new Set<Failure['code']>([
  'upstream-unreachable',
  'upstream-timeout',
  'upstream-error',
  'timeout',
  // A service of this program that can be started again, such as the sandbox.
  'not-running',
  'proof-invalid',
  'disk-full',
  'store-failed',
  // The step goes on once a person accepts the key.
  'merchant-key-changed',
  // The step goes on once it is unlocked.
  'vault-locked',
]);
/** Whether a failure says nothing about the request itself, so that the same step may be tried again without a person. */
export function passesByItself(code: Failure['code']): boolean {
  return passing.has(code);
}

/** Whether a signed transaction was refused because a mempool is full: the same bytes are taken once it has room. */
export function isForLackOfRoom({ code, detail }: Failure): boolean {
  return code === 'rejected' && detail?.refusal === 'no-room';
}

/** How long the other party asked to wait, in milliseconds. */
export function askedToWaitMs(error: unknown): number {
  const asked = error instanceof PlanchetError ? error.detail?.retryAfterMs : undefined;
  return typeof asked === 'number' ? asked : 0;
}

/** Turns anything that a step threw into an error with a text for people. */
export function failureOf(error: unknown): PlanchetError {
  return error instanceof PlanchetError ? error : new PlanchetError(toFailure(error), { cause: error });
}
