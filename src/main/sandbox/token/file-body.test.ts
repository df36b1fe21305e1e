import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFileBody } from './file-body.ts';

/** Reads a body that arrives in pieces of these sizes, over and over. */
async function readIn(pieces: readonly number[], text: string | Buffer, maxRest = 1_000_000) {
  const bytes = Buffer.from(text);
  const chunks: Buffer[] = [];
  for (let at = 0, n = 0; at < bytes.length; n++) {
    const end = at + (pieces[n % pieces.length] as number);
    chunks.push(bytes.subarray(at, end));
    at = end;
  }
  const parts: Uint8Array[] = [];
  const write = async (piece: Uint8Array): Promise<void> => void parts.push(piece.slice());
  const read = await readFileBody(Readable.from(chunks), write, maxRest);
  return { ...read, file: Buffer.concat(parts) };
}

const pieces = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 });

describe('a body with a file', () => {
  it('gives the same value and bytes as parsing it at once, for any chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 6 }),
        fc.uint8Array({ maxLength: 300 }),
        fc.boolean(),
        fc.constantFrom(undefined, 2),
        pieces,
        async (others, content, first, indent, sizes) => {
          const b64File = Buffer.from(content).toString('base64');
          const { b64File: _, ...rest } = others as Record<string, unknown>;
          const body = first ? { b64File, ...rest } : { ...rest, b64File };
          const read = await readIn(sizes, JSON.stringify(body, null, indent));
          expect(read.file).toEqual(Buffer.from(content));
          expect(read).toMatchObject({ hasFile: true });
          expect(read.body).toEqual(JSON.parse(JSON.stringify({ ...body, b64File: '' })));
        },
      ),
    );
  });

  it('is parsed like any other JSON if the field is nested or not text', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.jsonValue(),
          fc.jsonValue().map((inner) => ({ a: { b64File: 'QQ==' }, b: [{ b64File: inner }] })),
          fc.jsonValue().map((inner) => ['b64File', 'QQ==', inner]),
          fc.integer().map((b64File) => ({ b64File })),
        ),
        pieces,
        async (value, sizes) => {
          const text = JSON.stringify(value);
          fc.pre(typeof (value as { b64File?: unknown } | null)?.b64File !== 'string');
          expect(await readIn(sizes, text)).toEqual({ body: JSON.parse(text), hasFile: false, file: Buffer.alloc(0) });
        },
      ),
    );
  });

  it('may use any JSON escape', async () => {
    const text = String.raw`{"b64\u0046ile":"\/\/8\u003D","x":"\"b64File\":\"?\""}`;
    for (const size of [1, 2, 3, 100]) {
      const { file, body } = await readIn([size], text);
      expect(file).toEqual(Buffer.from([0xff, 0xff]));
      expect(body).toEqual({ b64File: '', x: '"b64File":"?"' });
    }
  });

  it.each([
    ['{"b64File":"QUI"}', 'base64-invalid'],
    ['{"b64File":"QR=="}', 'base64-invalid'],
    ['{"b64File":"QQ==QQ=="}', 'base64-invalid'],
    ['{"b64File":"QUJ-"}', 'base64-invalid'],
    ['{"b64File":"QUJ\\n"}', 'base64-invalid'],
    ['{"b64File":"QUJ\\u00e9"}', 'base64-invalid'],
    ['{"b64File":"QUJD\u00e9"}', 'base64-invalid'],
    ['{"b64File":"QUJD","b64File":"QUJD"}', 'invalid-request'],
    ['{"b64File":"QUJD"', 'invalid-request'],
    ['{"b64File":"QUJD', 'invalid-request'],
    ['{"b64File" "QUJD"}', 'invalid-request'],
    ['', 'invalid-request'],
    [`{"b64File":"QUJD","x":"${'y'.repeat(200)}"}`, 'too-large'],
  ])('is refused where it is wrong: %s', async (text, code) => {
    for (const size of [1, 3, 1_000]) await expect(readIn([size], text, 150)).rejects.toMatchObject({ code });
  });

  it('is read to its end even if it is refused, so that the client can read the response', async () => {
    let sent = 0;
    const body = Readable.from(
      (function* () {
        yield Buffer.from('{"b64File":"!');
        for (; sent < 50; sent++) yield Buffer.alloc(1_000, 'A');
      })(),
    );
    await expect(readFileBody(body, async () => undefined, 100)).rejects.toMatchObject({
      code: 'base64-invalid',
    });
    await expect.poll(() => sent).toBe(50);
  });
});
