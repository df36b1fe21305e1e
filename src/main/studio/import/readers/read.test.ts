import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { png } from '../test-support/import-files.ts';
import { readEntries } from './read.ts';

it('an import that is cancelled waits for no picture', async () => {
  const entries = Array.from({ length: 40 }, (_, n) => {
    const bytes = png(`${n}`);
    return { path: `${n}.png`, bytes: bytes.length, origin: null, read: async () => bytes };
  });
  const cancel = new AbortController();
  const asked = Promise.withResolvers<void>();
  let count = 0;
  const reading = readEntries(entries, {
    store: async (contents) => contents.map(({ bytes }) => createHash('sha256').update(bytes).digest('hex')),
    metadata: async () => [],
    keep: async () => {},
    isUnreadable: () => {
      count += 1;
      asked.resolve();
      return new Promise(() => {});
    },
    maxBytes: 100_000,
    onProgress: () => {},
    signal: cancel.signal,
  });
  await asked.promise;
  cancel.abort();
  await expect(reading).rejects.toBe(cancel.signal.reason);
  expect(count).toBe(16);
});
