/** What the library can refuse. A code never changes its meaning. */
export type TokenErrorCode =
  | 'key-missing'
  | 'key-invalid'
  | 'utxo-invalid'
  | 'payment-incomplete'
  | 'not-a-token'
  | 'not-a-contract'
  | 'schema-invalid'
  | 'symbol-invalid'
  | 'symbol-mismatch'
  | 'supply-invalid'
  | 'issue-invalid'
  | 'data-invalid'
  | 'address-invalid'
  | 'issuer-address'
  | 'amount-invalid'
  | 'sum-mismatch'
  | 'not-splittable'
  | 'merge-invalid'
  | 'redemption-invalid'
  | 'fee-invalid'
  | 'funds-insufficient'
  | 'signature-invalid'
  | 'unsigned-invalid'
  | 'trace-invalid'
  | 'config-missing'
  | 'config-invalid';

/** The figures behind an error, by name: amounts in satoshis, counts, lengths. */
export type TokenErrorNumbers = Readonly<Record<string, number>>;

/**
 * The one error class of the library: a stable code, a plain sentence, the parameter it is about and the numbers involved.
 *
 * @example
 * try { split(params) } catch (error) { if (error instanceof TokenError && error.code === 'sum-mismatch') error.numbers.given }
 */
export class TokenError extends Error {
  override readonly name = 'TokenError';
  readonly code: TokenErrorCode;
  /** The parameter at fault, as the caller names it, e.g. `destinations[1].satoshis`. */
  readonly field: string;
  readonly numbers: TokenErrorNumbers;

  constructor(
    code: TokenErrorCode,
    field: string,
    message: string,
    numbers: TokenErrorNumbers = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.code = code;
    this.field = field;
    this.numbers = numbers;
  }
}
