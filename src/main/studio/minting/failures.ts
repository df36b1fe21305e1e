import { type Failure, PlanchetError, toFailure } from '../../../contract/index.ts';

const passing = new Set<Failure['code']>([
  'upstream-unreachable',
  'upstream-timeout',
  'upstream-error',
  'timeout',
  // A neighbour inside this program that can be started again, as the sandbox.
  'not-running',
  'proof-invalid',
  'disk-full',
  'store-failed',
  // A person accepts the key, and the step goes on.
  'merchant-key-changed',
  // Unlocking it is all that is missing.
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

/** How long the party that failed asked to be left alone, in milliseconds. */
export function askedToWaitMs(error: unknown): number {
  const asked = error instanceof PlanchetError ? error.detail?.retryAfterMs : undefined;
  return typeof asked === 'number' ? asked : 0;
}

/** Anything a step threw, as a failure a person can read. */
export function failureOf(error: unknown): PlanchetError {
  return error instanceof PlanchetError ? error : new PlanchetError(toFailure(error), { cause: error });
}
