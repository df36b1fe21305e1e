import { expect, it } from 'vitest';
import type { ProvenPlace } from '../proof/bundler.ts';
import { publishedToken } from './published-token.ts';

it('holds a model in its page only where the folder has room for it', async () => {
  const content = Buffer.from('a model');
  const origin = `${'ab'.repeat(32)}_0`;
  const token = { content, contentType: 'model/gltf-binary', sha256: '', metadata: {}, origin };
  const place = { outpoints: [origin], block: { height: 1, hash: 'cd'.repeat(32), time: 1 } };
  const modelIn = async (roomForModel: number) => {
    const { token: published } = await publishedToken({
      token: token as never,
      place: place as unknown as ProvenPlace,
      ...{ stem: '1', page: 'token/1.html', roomForModel },
      pictures: {
        resized: () => {
          throw new Error('a model is no picture');
        },
      },
    });
    return published.model;
  };
  expect(await modelIn(content.length)).toBe(content.toString('base64'));
  expect(await modelIn(content.length - 1)).toBeNull();
});
