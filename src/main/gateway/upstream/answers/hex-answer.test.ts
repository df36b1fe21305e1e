import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../../chain/index.ts';
import type { Asked } from '../http-request.ts';
import { begun, hexPieces, piecesOf, readHexAnswer } from './hex-answer.ts';

/** An answer with this text in pieces that end at the given places. */
function answerOf(text: string, cuts: readonly number[] = []) {
  const ends = [...cuts.map((cut) => cut % (text.length + 1)), 0, text.length].sort((a, b) => a - b);
  const pieces = ends.slice(1).map((end, i) => Buffer.from(text.slice(ends[i], end)));
  let left = false;
  const [bytes = Buffer.alloc(0), ...others] = pieces;
  const following: AsyncIterableIterator<Buffer> = {
    next: async () => {
      const value = others.shift();
      return value === undefined ? { done: true, value } : { done: false, value };
    },
    return: async () => {
      left = true;
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => following,
  };
  const rest = others.length > 0 ? following : undefined;
  return { answer: { status: 200, headers: {}, bytes, rest, latency: 1, origin: 'http://node' }, left: () => left };
}

function read(text: string, cuts: readonly number[] = []): { result: Promise<Uint8Array>; left: () => boolean } {
  const { answer, left } = answerOf(text, cuts);
  return { result: readHexAnswer(answer, 7), left };
}

describe('readHexAnswer', () => {
  it('decodes an answer however it is cut and ordered', async () => {
    const cuts = fc.array(fc.nat(), { maxLength: 5 }).map((all) => all.map((cut) => cut + 11));
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 50 }), cuts, async (bytes, at) => {
        const hex = toHex(bytes);
        expect(await read(`{"result":"${hex}","error":null,"id":7}\n`, at).result).toEqual(bytes);
        expect(await read(`{"id":7,"error":null,"result":"${hex}"}`, at).result).toEqual(bytes);
      }),
    );
  });

  it('refuses what is no hex, is cut off, or answers another call, and lets the connection go', async () => {
    for (const text of [
      '{"result":"abc","error":null,"id":7}',
      '{"result":"zz","error":null,"id":7}',
      '{"result":"ab\\u0030","error":null,"id":7}',
      '{"result":"abcd',
      '{"result":"ab","error":null,"id":8}',
      '{"result":["ab"],"error":null,"id":7}',
    ]) {
      const { result, left } = read(text, [13]);
      await expect(result).rejects.toMatchObject({ code: 'upstream-error' });
      expect(left()).toBe(true);
    }
    await expect(read('{"result":null,"error":{"code":-5,"message":"no"},"id":7}').result).rejects.toMatchObject({
      code: -5,
    });
  });
});

describe('the pieces of an answer', () => {
  const readers = {
    'decoded and begun': async (answer: Asked) => begun(hexPieces(answer, 7)),
    'as they arrive': async (answer: Asked) => piecesOf(answer),
  };

  it.each(Object.entries(readers))(
    'let the connection go where a reader leaves at the first one: %s',
    async (_, open) => {
      const { answer, left } = answerOf('{"result":"abcdef","error":null,"id":7}', [13, 15]);
      for await (const piece of await open(answer)) {
        expect(piece.length).toBeGreaterThan(0);
        expect(left()).toBe(false);
        break;
      }
      expect(left()).toBe(true);
    },
  );
});
