import { expect, it, vi } from 'vitest';
import { decode } from './decoder.ts';
import { makeThumbnail } from './thumbnail.ts';

vi.mock('./decoder.ts', { spy: true });

it.each([
  ['takes too long', 'timeout: 16% complete\nVipsImage: killed for image "temp-96"', 'too-slow'],
  ['cannot be decoded', 'pngload_buffer: libspng read error', null],
])('a picture that %s is told from others', async (_, message, drawn) => {
  vi.mocked(decode).mockImplementationOnce(() => {
    throw new Error(message);
  });
  expect(await makeThumbnail(new Uint8Array(8))).toBe(drawn);
});
