/** The meaning of a class of failures outside the program, independent of the text. */
export interface ErrorClass {
  /** HTTP status of such a failure, if the protocol of that server leaves the choice. */
  readonly httpStatus: number;
  /** Exit code of a command that ends with it: 1 failed, 2 wrong usage. */
  readonly exitCode: 1 | 2;
  /** Whether the same request may succeed later without any change. */
  readonly retryable: boolean;
}

const failed = (httpStatus: number): ErrorClass => ({ httpStatus, exitCode: 1, retryable: false });
/** The cause is outside the request and may pass. */
const passing = (httpStatus: number): ErrorClass => ({ ...failed(httpStatus), retryable: true });

/**
 * The codes of failures. Scripts and views depend on the code only, so a code never changes its meaning; messages may be reworded.
 * Many messages share one code: see the catalogue in `en/`.
 */
export const errorClasses = {
  // what the caller sent
  'invalid-input': failed(400),
  'file-empty': failed(400),
  'file-too-large': failed(413),
  'file-not-found': failed(404),
  'content-type-unknown': failed(415),
  'metadata-invalid': failed(400),
  'address-invalid': failed(400),
  'address-wrong-network': failed(400),
  'not-found': failed(404),
  conflict: failed(409),
  usage: { ...failed(400), exitCode: 2 },
  // money
  'funds-insufficient': failed(402),
  'fee-too-high': failed(422),
  'quota-exceeded': failed(429),
  'review-failed': failed(422),
  // keys
  'vault-locked': failed(423),
  'vault-passphrase-wrong': failed(403),
  'vault-damaged': failed(500),
  'wallet-missing': failed(409),
  'wallet-exists': failed(409),
  'api-key-missing': failed(401),
  unauthorized: failed(401),
  forbidden: failed(403),
  // the machine
  'port-in-use': failed(500),
  'bind-refused': failed(500),
  'disk-full': passing(507),
  'store-locked': failed(409),
  'store-failed': passing(500),
  'settings-invalid': failed(400),
  // other parties
  'upstream-unreachable': passing(502),
  'upstream-timeout': passing(504),
  'upstream-error': passing(502),
  rejected: failed(422),
  'proof-invalid': passing(502),
  'merchant-key-changed': failed(502),
  // lifecycle
  cancelled: passing(499),
  timeout: passing(504),
  'not-running': passing(503),
  internal: passing(500),
} as const satisfies Record<string, ErrorClass>;

export type ErrorCode = keyof typeof errorClasses;

export const errorCodes = Object.keys(errorClasses) as [ErrorCode, ...ErrorCode[]];

/** The section of the troubleshooting page that explains a code. */
export function docsAnchorOf(code: ErrorCode): string {
  return `docs/errors.md#${code}`;
}
