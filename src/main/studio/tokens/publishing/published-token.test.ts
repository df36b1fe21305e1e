import { expect, it } from 'vitest';
import type { ProvenPlace } from '../proof/bundler.ts';
import { publishedToken } from './published-token.ts';

const pictures = {
  resized: () => {
    throw new Error('a model is no picture');
  },
};

it('the page of a token keeps the bytes of a model in a script of their own, up to a length that a page can draw', async () => {
  const origin = `${'ab'.repeat(32)}_0`;
  const place = { outpoints: [origin], block: { height: 1, hash: 'cd'.repeat(32), time: 1 } };
  const publish = (content: Uint8Array) =>
    publishedToken({
      token: { content, contentType: 'model/gltf-binary', sha256: '', metadata: {}, origin } as never,
      place: place as unknown as ProvenPlace,
      ...{ stem: '1', page: 'token/1.html', pictures },
    });
  const { token, files } = await publish(Buffer.from('a model'));
  expect(token.model).toBe('art/1.js');
  expect(files.find(({ path }) => path === 'art/1.js')?.content).toBe("models['art/1.js']='YSBtb2RlbA==';\n");
  const large = await publish(new Uint8Array(20_000_001));
  expect(large.token.model).toBeNull();
  expect(large.files.map(({ path }) => path)).toEqual(['art/1.glb']);
});
