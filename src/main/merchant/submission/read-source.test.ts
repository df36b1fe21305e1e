import { expect, it } from 'vitest';
import { readSource } from './read-source.ts';

it('refuses a list that is too large to be read as one, and cuts none into lines', async () => {
  const list = (bytes: number) => `["${'ab'.repeat(bytes / 2)}"]`;
  await expect(readSource(list(24 * 1_048_576))).rejects.toMatchObject({ id: 'merchant.upload-too-large' });
  const { transactions, unreadable } = await readSource(list(1_000));
  expect([transactions.length, unreadable.length]).toEqual([0, 1]);
});
