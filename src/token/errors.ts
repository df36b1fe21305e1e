import { type Sentence, sentenceOf, sentenceText } from '../chain/index.ts';

/** Numeric details of an error, by name: amounts in satoshis, counts, lengths. */
export type TokenErrorNumbers = Readonly<Record<string, number>>;

/**
 * Base class of the library's errors: a stable code, a plain sentence, the parameter concerned and the numbers involved. The subclass
 * shows which kind of parameter it is.
 *
 * @example
 * try { split(params) } catch (error) { if (error instanceof AmountError && error.code === 'sum-mismatch') error.numbers.given }
 */
export abstract class TokenError<Code extends string = TokenErrorCode> extends Error {
  readonly code: Code;
  /** Path of the invalid parameter in the caller's terms, e.g. `destinations[1].satoshis`. */
  readonly field: string;
  readonly numbers: TokenErrorNumbers;
  /** The message as a text with placeholders and their values, so that it can be translated. */
  readonly sentence: Sentence;

  /** @param text its placeholders are filled with `field` and `numbers` */
  constructor(
    code: Code,
    field: string,
    text: string | Sentence,
    numbers: TokenErrorNumbers = {},
    options?: ErrorOptions,
  ) {
    const sentence = sentenceOf(text, { ...numbers, field });
    super(sentenceText(sentence), options);
    this.sentence = sentence;
    this.code = code;
    this.field = field;
    this.numbers = numbers;
  }
}

/** A missing parameter, or one of an unsupported type. */
export class ParameterError extends TokenError<'parameter-missing' | 'parameter-invalid'> {
  override readonly name = 'ParameterError';
}

export class KeyError extends TokenError<'key-missing' | 'key-invalid'> {
  override readonly name = 'KeyError';
}

/** An output to spend that is missing, unusable, or of the wrong kind for the function. */
export class UtxoError extends TokenError<
  'utxo-invalid' | 'payment-incomplete' | 'not-a-token' | 'not-a-contract' | 'merge-invalid'
> {
  override readonly name = 'UtxoError';
}

/** An invalid schema, or a supply that contradicts it. */
export class SchemaError extends TokenError<'schema-invalid' | 'supply-invalid'> {
  override readonly name = 'SchemaError';
}

export class SymbolError extends TokenError<'symbol-invalid' | 'symbol-mismatch'> {
  override readonly name = 'SymbolError';
}

/** Invalid owners, options or data of an issue. */
export class IssueInfoError extends TokenError<'issue-invalid' | 'data-invalid'> {
  override readonly name = 'IssueInfoError';
}

/** An attempt to split or merge an unsplittable token. */
export class SplittableError extends TokenError<'not-splittable'> {
  override readonly name = 'SplittableError';
}

export class AddressError extends TokenError<'address-invalid' | 'issuer-address'> {
  override readonly name = 'AddressError';
}

/** Amounts that are invalid, do not add up, or do not cover the fee. */
export class AmountError extends TokenError<'amount-invalid' | 'sum-mismatch' | 'fee-invalid' | 'funds-insufficient'> {
  override readonly name = 'AmountError';
}

/** A redemption of nothing, or to a key other than the token's redemption key. */
export class RedemptionError extends TokenError<'redemption-invalid'> {
  override readonly name = 'RedemptionError';
}

/**
 * Signatures or an unsigned transaction that do not match. For `signing-failed`, the cause is the error that the signing callback threw.
 */
export class SignatureError extends TokenError<'signature-invalid' | 'unsigned-invalid' | 'signing-failed'> {
  override readonly name = 'SignatureError';
}

/**
 * A history that does not lead back to the issuer's contract (`trace-invalid`; the field is the transaction at fault), or that could not
 * be traced completely: a transaction could not be fetched (`trace-unavailable`, with the cause), a limit was exceeded (`trace-limit`;
 * the field is the limit), or the caller aborted the trace (`trace-aborted`).
 */
export class TraceError extends TokenError<'trace-invalid' | 'trace-unavailable' | 'trace-limit' | 'trace-aborted'> {
  override readonly name = 'TraceError';
}

export class ConfigError extends TokenError<'config-missing' | 'config-invalid'> {
  override readonly name = 'ConfigError';
}

/** A service refused a transaction or is unreachable. If it answered, the numbers contain the HTTP status. */
export class BroadcastError extends TokenError<'broadcast-refused' | 'broadcast-unreachable'> {
  override readonly name = 'BroadcastError';
}

/** Error codes of the library. The meaning of a code never changes. */
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
