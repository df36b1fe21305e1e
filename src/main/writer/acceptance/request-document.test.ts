import { expect, it } from 'vitest';
import { HALF, longestShare } from '../../test-support/longest-turn.ts';
import { DataCipher } from './data-cipher.ts';
import { readDocument, readHead } from './request-document.ts';

const cipher = new DataCipher(
  { locked: false, get: () => undefined, set: async () => undefined, delete: async () => undefined },
  'sandbox',
);

it.each([
  ['members', `{${'"n":1,'.repeat(3_000_000)}`],
  ['zeros', `[${'0,'.repeat(10_000_000)}`],
  ['levels', '['.repeat(20_000_000)],
])('the writer checks 20 MB of %s without blocking the event loop', async (_, text) => {
  const head = readHead({ 'content-type': 'application/json' }, { anyContentType: false });
  const body = Buffer.from(text);
  const share = await longestShare(() =>
    expect(readDocument(head, body, 'key', cipher)).rejects.toMatchObject({
      status: 400,
      message: 'the body is not JSON',
    }),
  );
  expect(share).toBeLessThan(HALF);
});
