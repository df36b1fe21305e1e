/** Error codes of `src/chain`. The meaning of a code never changes. */
export type ChainErrorCode =
  | 'amount-invalid'
  | 'hex-invalid'
  | 'bytes-malformed'
  | 'outpoint-invalid'
  | 'address-invalid'
  | 'script-invalid'
  | 'tx-malformed'
  | 'tx-invalid'
  | 'signing-failed'
  | 'block-malformed'
  | 'header-malformed'
  | 'merkle-invalid'
  | 'proof-malformed'
  | 'proof-unsupported'
  | 'inscription-invalid'
  | 'bundle-invalid'
  | 'txobj-malformed'
  | 'fee-invalid';

/**
 * The only error class of `src/chain`: a stable code, a plain sentence and the values behind it. Services convert it to their own
 * errors; these messages are not translated.
 *
 * @example
 * try { parseTx(bytes) } catch (error) { if (error instanceof ChainError && error.code === 'tx-malformed') … }
 */
export class ChainError extends Error {
  override readonly name = 'ChainError';
  readonly code: ChainErrorCode;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: ChainErrorCode, message: string, data: Record<string, unknown> = {}) {
    super(message);
    this.code = code;
    this.data = data;
  }
}
