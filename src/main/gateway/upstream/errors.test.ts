import { expect, it } from 'vitest';
import { explain } from './errors.ts';

it.each(['CERT_HAS_EXPIRED', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY'])(
  'a node whose certificate fails with %s is not called unreachable',
  (code) => {
    const error = Object.assign(new Error('refused'), { code });
    expect(explain(error, 'https://node.example', 1_000)).toMatchObject({ id: 'upstream.certificate-untrusted' });
  },
);
