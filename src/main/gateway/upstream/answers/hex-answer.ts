import { ChainError, concatBytes, fromHex } from '../../../../chain/index.ts';
import { foreignBounds, parseForeign } from '../../../foreign-json.ts';
import { notJsonRpc, tooLarge } from '../errors.ts';
import type { Asked } from '../http-request.ts';
import { resultOf } from './parse-result.ts';

/** Larger answers are not read into memory as a whole. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;

/** How a node begins its answer if the result is text. */
const HEAD = '{"result":"';
const QUOTE = '"';

/**
 * The bytes of an answer whose result is hex, decoded while they arrive. They are the result only once all were read without an error.
 * @param id id of the call
 * @throws as {@link resultOf}; PlanchetError `upstream-error` if the result is not hex, or what is not decoded too large
 */
export async function* hexPieces({ bytes, rest, status, origin }: Asked, id: number): AsyncGenerator<Uint8Array, void> {
  let isDecoding = bytes.toString('latin1', 0, HEAD.length) === HEAD;
  const isText = isDecoding;
  /** What is not decoded: what stands around the digits, or all of the answer. */
  let text = isText ? HEAD : '';
  /** A digit whose pair is missing. */
  let odd = '';
  try {
    let piece: Buffer | undefined = isText ? bytes.subarray(HEAD.length) : bytes;
    for (; piece !== undefined; piece = (await rest?.next())?.value) {
      if (isDecoding) {
        const end = piece.indexOf(QUOTE);
        const digits: string = odd + piece.toString('latin1', 0, end < 0 ? piece.length : end);
        odd = digits.length % 2 === 0 ? '' : digits.slice(-1);
        yield fromHex(odd === '' ? digits : digits.slice(0, -1));
        if (end < 0) continue;
        isDecoding = false;
        piece = piece.subarray(end);
      }
      text += piece.toString('latin1');
      if (text.length > MAX_ANSWER_BYTES) throw tooLarge(origin, MAX_ANSWER_BYTES);
    }
    const result = resultOf<unknown>(parseForeign(text, foreignBounds.nodeAnswer), id, status, origin);
    if (typeof result !== 'string' || odd !== '' || (isText && result !== '')) throw notJsonRpc(origin, status);
    if (!isText) yield fromHex(result);
  } catch (error) {
    throw error instanceof ChainError ? notJsonRpc(origin, status) : error;
  } finally {
    await rest?.return?.();
  }
}

/** All bytes of {@link hexPieces}. @throws as that, and where they are too many */
export async function readHexAnswer(answer: Asked, id: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of hexPieces(answer, id)) {
    length += piece.length;
    if (2 * length > MAX_ANSWER_BYTES) throw tooLarge(answer.origin, MAX_ANSWER_BYTES);
    pieces.push(piece);
  }
  return concatBytes(...pieces);
}

/** Pieces after the first of them arrived. @throws what it fails with */
export async function begun(pieces: AsyncGenerator<Uint8Array, void>): Promise<AsyncIterable<Uint8Array>> {
  const first = await pieces.next();
  return (async function* () {
    try {
      if (first.done !== true) yield first.value;
      yield* pieces;
    } finally {
      // a reader may leave at the first piece
      await pieces.return();
    }
  })();
}

/** The body of an answer as it arrives. */
export async function* piecesOf({ bytes, rest }: Asked): AsyncGenerator<Uint8Array> {
  try {
    yield bytes;
    for await (const piece of rest ?? []) {
      // The bytes of a piece are outside the heap, so 64 MB of read pieces would wait for a collection. A string fills the heap as fast.
      piece.toString('latin1');
      yield piece;
    }
  } finally {
    // a reader may leave at the first piece
    await rest?.return?.();
  }
}
