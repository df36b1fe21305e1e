import type { VerifySignature } from '../../chain/keys/native-verifier.ts';

/**
 * The same curve code as the compiled verifier, compiled to WebAssembly: less than half as fast, and there on every machine. It is
 * loaded where the compiled one has no binary, because it takes 40 MB.
 */
export async function loadWasmVerifier(): Promise<VerifySignature> {
  const { instantiateSecp256k1 } = await import('@bitauth/libauth');
  const curve = await instantiateSecp256k1();
  return (signature, digest, publicKey) => {
    // the library copies whatever it gets into buffers of fixed size
    const fits = signature.length === 64 && digest.length === 32 && [33, 65].includes(publicKey.length);
    return fits && curve.verifySignatureCompactLowS(signature, publicKey, digest);
  };
}
