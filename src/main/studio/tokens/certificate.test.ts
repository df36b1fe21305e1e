import { expect, it } from 'vitest';
import type { TokenDetail } from '../../../contract/index.ts';
import type { CertificatePage } from '../../ports/pictures.ts';
import { certificateOf } from './certificate.ts';

const outpoint = `${'ab'.repeat(32)}_0`;
const content = new TextEncoder().encode('words');
const still = Uint8Array.of(1);

it.each([
  ['image/png', content],
  ['text/plain', 'words'],
  ['video/mp4', still],
  ['model/gltf-binary', still],
  ['audio/mpeg', null],
])(
  'the certificate of %s shows what it is, and a given picture of films and models alone',
  async (contentType, art) => {
    const pages: CertificatePage[] = [];
    const subject = {
      token: { outpoint, name: 'Moon', projectName: null, content: { contentType, sha256: '' } },
      provenance: [{ outpoint, blockHash: 'cd', blockHeight: 7, at: null, address: null }],
      claims: { number: null, quantity: null, artist: null, royalties: [], collection: null, traits: [] },
    } as unknown as Pick<TokenDetail, 'token' | 'provenance' | 'claims'>;
    const pictures = {
      certificate: async (page: CertificatePage) => {
        pages.push(page);
        return new Uint8Array();
      },
    };
    await certificateOf({ ...subject, content, still, network: 'main', language: 'en', pictures });
    expect(pages).toMatchObject([{ art }]);
  },
);
