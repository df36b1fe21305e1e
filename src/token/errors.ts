/** The figures behind an error, by name: amounts in satoshis, counts, lengths. */
export type TokenErrorNumbers = Readonly<Record<string, number>>;

/**
 * What every error of the library is: a stable code, a plain sentence, the parameter it is about and the numbers involved. Which class
 * it is tells what the parameter is.
 *
 * @example
 * try { split(params) } catch (error) { if (error instanceof AmountError && error.code === 'sum-mismatch') error.numbers.given }
 */
export abstract class TokenError<Code extends string = TokenErrorCode> extends Error {
  readonly code: Code;
  /** The parameter at fault, as the caller names it, e.g. `destinations[1].satoshis`. */
  readonly field: string;
  readonly numbers: TokenErrorNumbers;

  constructor(code: Code, field: string, message: string, numbers: TokenErrorNumbers = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.field = field;
    this.numbers = numbers;
  }
}

/** A parameter that is missing, or of a kind that its function cannot use. */
export class ParameterError extends TokenError<'parameter-missing' | 'parameter-invalid'> {
  override readonly name = 'ParameterError';
}

/** A key that is missing or is none. */
export class KeyError extends TokenError<'key-missing' | 'key-invalid'> {
  override readonly name = 'KeyError';
}

/** An output to be spent that is missing, unusable, or not what the function spends. */
export class UtxoError extends TokenError<
  'utxo-invalid' | 'payment-incomplete' | 'not-a-token' | 'not-a-contract' | 'merge-invalid'
> {
  override readonly name = 'UtxoError';
}

/** A schema, or a supply it does not allow. */
export class SchemaError extends TokenError<'schema-invalid' | 'supply-invalid'> {
  override readonly name = 'SchemaError';
}

export class SymbolError extends TokenError<'symbol-invalid' | 'symbol-mismatch'> {
  override readonly name = 'SymbolError';
}

/** To whom, how and with which data tokens are issued. */
export class IssueInfoError extends TokenError<'issue-invalid' | 'data-invalid'> {
  override readonly name = 'IssueInfoError';
}

/** A token that only moves whole was to be divided or merged. */
export class SplittableError extends TokenError<'not-splittable'> {
  override readonly name = 'SplittableError';
}

export class AddressError extends TokenError<'address-invalid' | 'issuer-address'> {
  override readonly name = 'AddressError';
}

/** Amounts that are none, that do not add up, or that the fee is more than. */
export class AmountError extends TokenError<'amount-invalid' | 'sum-mismatch' | 'fee-invalid' | 'funds-insufficient'> {
  override readonly name = 'AmountError';
}

/** A redemption of nothing, or to another key than the token's. */
export class RedemptionError extends TokenError<'redemption-invalid'> {
  override readonly name = 'RedemptionError';
}

/**
 * Signatures, or an unsigned transaction, that do not belong together; `signing-failed` has what a signing callback threw as its
 * cause.
 */
export class SignatureError extends TokenError<'signature-invalid' | 'unsigned-invalid' | 'signing-failed'> {
  override readonly name = 'SignatureError';
}

/**
 * A history that does not lead back to the issuer's contract (`trace-invalid`; the field is the transaction where it breaks), or that
 * could not be followed to its end: a transaction could not be fetched (`trace-unavailable`, with the cause), a limit of the trace was
 * used up (`trace-limit`; the field is the limit), or the caller stopped it (`trace-aborted`).
 */
export class TraceError extends TokenError<'trace-invalid' | 'trace-unavailable' | 'trace-limit' | 'trace-aborted'> {
  override readonly name = 'TraceError';
}

export class ConfigError extends TokenError<'config-missing' | 'config-invalid'> {
  override readonly name = 'ConfigError';
}

/** A service did not take a transaction or could not be asked; the numbers hold the HTTP status where it answered. */
export class BroadcastError extends TokenError<'broadcast-refused' | 'broadcast-unreachable'> {
  override readonly name = 'BroadcastError';
}

/** What the library can refuse. A code never changes its meaning. */
export type TokenErrorCode = (
  | ParameterError
  | KeyError
  | UtxoError
  | SchemaError
  | SymbolError
  | IssueInfoError
  | SplittableError
  | AddressError
  | AmountError
  | RedemptionError
  | SignatureError
  | TraceError
  | ConfigError
  | BroadcastError
)['code'];
