import { type Sentence, sentenceOf, sentenceText } from './sentence.ts';

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
 * The only error class of `src/chain`: a stable code, a plain sentence and the values behind it. Services convert it to their own errors.
 *
 * @example
 * try { parseTx(bytes) } catch (error) { if (error instanceof ChainError && error.code === 'tx-malformed') … }
 */
export class ChainError extends Error {
  override readonly name = 'ChainError';
  readonly code: ChainErrorCode;
  readonly data: Readonly<Record<string, unknown>>;
  /** The message as a text with placeholders and their values, so that it can be translated. */
  readonly sentence: Sentence;

  /** @param text its placeholders are filled from `data` */
  constructor(code: ChainErrorCode, text: string | Sentence, data: Record<string, unknown> = {}) {
    const sentence = sentenceOf(text, data);
    super(sentenceText(sentence));
    this.code = code;
    this.data = data;
    this.sentence = sentence;
  }
}
