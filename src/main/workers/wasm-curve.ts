import type { DigestSigner, VerifySignature } from '../../chain/keys/native-verifier.ts';

/**
 * The same curve code as the compiled one, in WebAssembly. It runs everywhere but is less than half as fast and takes 40 MB, so it is loaded only
 * where the compiled one has no binary.
 */
export async function loadWasmVerifier(): Promise<VerifySignature> {
  const curve = await loadCurve();
  return (signature, digest, publicKey) => {
    // the library copies its input into buffers of fixed size without a check
    const fits = signature.length === 64 && digest.length === 32 && [33, 65].includes(publicKey.length);
    return fits && curve.verifySignatureCompactLowS(signature, publicKey, digest);
  };
}

/** Signs as {@link DigestSigner} says, byte for byte. */
export async function loadWasmSigner(): Promise<Pick<DigestSigner, 'sign'>> {
  const curve = await loadCurve();
  return {
    sign: (digest, privateKey) => {
      const signature = curve.signMessageHashDER(privateKey, digest);
      if (typeof signature === 'string') throw new Error(signature);
      return signature;
    },
  };
}

async function loadCurve() {
  const { instantiateSecp256k1 } = await import('@bitauth/libauth');
  return instantiateSecp256k1();
}
