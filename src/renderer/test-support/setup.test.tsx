import { expect, it } from 'vitest';
import { saveBlob } from '../lib/save-blob.ts';

it('a download does not navigate the page that tests of other files share', async () => {
  const before = location.href;
  saveBlob('x.txt', new Blob(['x']));
  await new Promise((resolve) => setTimeout(resolve));
  expect(location.href).toBe(before);
});
