import { expect, it } from 'vitest';
import { saveBlob } from '../lib/save-blob.ts';

it('a download leaves the page that the tests of other files share where it is', async () => {
  const before = location.href;
  saveBlob('x.txt', new Blob(['x']));
  await new Promise((resolve) => setTimeout(resolve));
  expect(location.href).toBe(before);
});
