import { z } from 'zod';

/**
 * Every failure a person or a program can meet, as a stable code. A code never changes its meaning; the message may be reworded.
 * The exit code of the command line and the colour of the view depend on the code alone, never on the text.
 */
export const errorCodes = [
  // what the caller sent
  'invalid-input',
  'file-empty',
  'file-too-large',
  'file-not-found',
  'content-type-unknown',
  'metadata-invalid',
  'address-invalid',
  'address-wrong-network',
  'not-found',
  'conflict',
  'usage',
  // money
  'funds-insufficient',
  'fee-too-high',
  'quota-exceeded',
  'review-failed',
  // keys
  'vault-locked',
  'vault-passphrase-wrong',
  'vault-damaged',
  'wallet-missing',
  'wallet-exists',
  'api-key-missing',
  'unauthorized',
  'forbidden',
  // the machine
  'port-in-use',
  'bind-refused',
  'disk-full',
  'store-locked',
  'store-failed',
  'settings-invalid',
  // other parties
  'upstream-unreachable',
  'upstream-timeout',
  'upstream-error',
  'rejected',
  'proof-invalid',
  'merchant-key-changed',
  // lifecycle
  'cancelled',
  'timeout',
  'not-running',
  'internal',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** What crosses a process boundary instead of an exception. `hint` names the fix; `detail` holds figures worth showing. */
export const failureSchema = z.object({
  code: z.enum(errorCodes),
  message: z.string(),
  hint: z.string().optional(),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
});

export type Failure = z.infer<typeof failureSchema>;

/** True where another party gave no answer, or said to come again later: the same request may pass without a change. */
export function isPassing({ code }: Pick<Failure, 'code'>): boolean {
  return code === 'upstream-unreachable' || code === 'upstream-timeout' || code === 'upstream-error';
}

/** The one error class services throw. Handlers turn it into a typed error value; anything else becomes `internal`. */
export class PlanchetError extends Error {
  override readonly name = 'PlanchetError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly detail: Failure['detail'];

  constructor(
    code: ErrorCode,
    message: string,
    options: { hint?: string; detail?: Failure['detail']; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.detail = options.detail;
  }

  toFailure(): Failure {
    return {
      code: this.code,
      message: this.message,
      ...(this.hint === undefined ? {} : { hint: this.hint }),
      ...(this.detail === undefined ? {} : { detail: this.detail }),
    };
  }
}

/** A full disk has one fix wherever it is met: the file system and the database each have a code for it. */
function isDiskFull(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === 'ENOSPC' || code === 'SQLITE_FULL';
}

/** Turns anything thrown into a failure. Texts of unknown exceptions stay inside; the log has them. */
export function toFailure(error: unknown): Failure {
  if (error instanceof PlanchetError) return error.toFailure();
  if (isDiskFull(error)) {
    return {
      code: 'disk-full',
      message: 'The disk is full, so nothing more can be stored.',
      hint: 'Free some room and try again; nothing that was stored is lost.',
    };
  }
  return {
    code: 'internal',
    message: 'Something went wrong inside Planchet.',
    hint: 'Run "planchet doctor" and look at the log in the data folder.',
  };
}
