import { ChainError, concatBytes, fromHex } from '../../../chain/index.ts';
import { foreignBounds, parseForeign } from '../../foreign-json.ts';
import { notJsonRpc, tooLarge } from './errors.ts';
import type { Asked } from './http-request.ts';
import { resultOf } from './parse-result.ts';

/** Larger answers are not read into memory as a whole. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** How a node begins its answer if the result is text. */
const HEAD = '{"result":"';
const QUOTE = '"';

/**
 * Reads an answer whose result is hex, and decodes it while it arrives: a block takes the memory of its bytes, not that of several texts.
 * @param id id of the call
 * @throws as {@link resultOf}; PlanchetError `upstream-error` if the result is not hex, or too large
 */
export async function readHexAnswer({ bytes, rest, status, origin }: Asked, id: number): Promise<Uint8Array> {
  const isText = bytes.toString('latin1', 0, HEAD.length) === HEAD;
  const parts: Uint8Array[] = [];
  let received = 0;
  /** What is not decoded: a digit whose pair is missing, the end of the answer, or all of it. */
  let text = '';
  let isDecoding = isText;
  const take = (piece: Buffer): void => {
    received += piece.length;
    if (received > MAX_ANSWER_BYTES) throw tooLarge(origin, MAX_ANSWER_BYTES);
    const end = isDecoding ? piece.indexOf(QUOTE) : 0;
    if (isDecoding) {
      const digits = text + piece.toString('latin1', 0, end < 0 ? piece.length : end);
      const whole = digits.length - (digits.length % 2);
      parts.push(fromHex(digits.slice(0, whole)));
      text = digits.slice(whole);
    }
    if (end < 0) return;
    isDecoding = false;
    text += piece.toString('latin1', end);
  };
  try {
    take(isText ? bytes.subarray(HEAD.length) : bytes);
    if (rest !== undefined) for await (const piece of rest) take(piece);
    const result = resultOf<unknown>(
      parseForeign(isText ? HEAD + text : text, foreignBounds.nodeAnswer),
      id,
      status,
      origin,
    );
    // a digit may be left over
    if (typeof result !== 'string' || (isText && result !== '')) throw notJsonRpc(origin, status);
    return isText ? concatBytes(...parts) : fromHex(result);
  } catch (error) {
    await rest?.return?.();
    throw error instanceof ChainError ? notJsonRpc(origin, status) : error;
  }
}
