import { pause } from '../pause.ts';

/** A streamed result, because it may be too large for memory: the chunks of its JSON. */
export class RpcStream {
  readonly pieces: () => AsyncIterable<string>;
  constructor(pieces: () => AsyncIterable<string>) {
    this.pieces = pieces;
  }
}

/** Target length of a chunk in characters, so that none is too small to be worth sending. */
export const PIECE = 65_536;

/** Joins chunks into fewer, larger ones and yields to the event loop. */
export async function* gathered(pieces: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  let text = '';
  for await (const piece of pieces) {
    await pause();
    text += piece;
    if (text.length < PIECE) continue;
    yield text;
    text = '';
  }
  yield text;
}
