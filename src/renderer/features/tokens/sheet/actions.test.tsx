import { screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { TXID } from '../../../test-support/samples.ts';
import { draw, HASH, moon, saving } from '../test-tokens.tsx';

// It draws with WebGL.
vi.mock('../../../components/preview/model/draw-model.ts', () => ({
  modelPoster: async () => new Blob(['still']),
  showModel: async () => ({ press: () => false, close: () => {} }),
}));

it.each([
  ['model/gltf-binary', true, ['still']],
  // Models of others are drawn on request alone.
  ['model/gltf-binary', false, [undefined]],
  ['audio/mpeg', true, [undefined]],
])('the certificate of %s, minted here: %s, gets a picture of models', async (contentType, stored, pictures) => {
  const asked: { picture?: Blob | undefined }[] = [];
  await saving(async (saved) => {
    const content = { sha256: HASH, contentType, bytes: 100, stored, fileName: 'moon' };
    const user = draw([moon(0, { content })], {
      at: `/tokens/${TXID}_0`,
      files: { read: () => new Blob(['glTF']) },
      tokens: {
        certificate: (input) => {
          asked.push(input);
          return new Blob(['pdf']);
        },
      },
    });
    await user.click(await screen.findByRole('button', { name: 'Certificate' }));
    await expect.poll(() => saved).toHaveLength(1);
  });
  expect(await Promise.all(asked.map(({ picture }) => picture?.text()))).toEqual(pictures);
});
