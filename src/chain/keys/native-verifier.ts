/** Checks an ECDSA signature over a 32-byte digest. The signature is r and s, 32 bytes each. The key is compressed or uncompressed. */
export type VerifySignature = (signature: Uint8Array, digest: Uint8Array, publicKey: Uint8Array) => boolean;

/** Signs a 32-byte digest with a 32-byte private key, and derives public keys. */
export interface DigestSigner {
  /** @returns DER with a low S; deterministic (RFC 6979) */
  sign(digest: Uint8Array, privateKey: Uint8Array): Uint8Array;
  /** @returns the compressed public key */
  publicKeyOf(privateKey: Uint8Array): Uint8Array;
  /** @returns the compressed key of the point plus the generator times `tweak` (32 bytes) @throws Error if there is none */
  addToPublicKey(publicKey: Uint8Array, tweak: Uint8Array): Uint8Array;
}

type Library = Pick<
  typeof import('secp256k1'),
  'ecdsaVerify' | 'ecdsaSign' | 'signatureExport' | 'publicKeyCreate' | 'publicKeyTweakAdd'
>;

/**
 * The compiled verifier, about 35 times faster than the SDK's. Undefined in a browser, and if the package has no binary for this
 * machine. It affects speed only: it confirms signatures that the SDK's interpreter would accept as well.
 */
export const verifyNatively: VerifySignature | undefined = /* @__PURE__ */ loadVerifier();

/** The compiled signer, available wherever {@link verifyNatively} is. Its signatures equal the SDK's, byte for byte. */
export const nativeSigner: DigestSigner | undefined = /* @__PURE__ */ loadSigner();

function load(): Library | undefined {
  // looked up at run time instead of imported, so that the module also loads without Node
  const { createRequire } = globalThis.process?.getBuiltinModule?.('node:module') ?? {};
  if (createRequire === undefined) return undefined;
  try {
    // not the package's main file, which would silently fall back to a slow JavaScript implementation
    return createRequire(import.meta.url)('secp256k1/bindings') as Library;
  } catch {
    return undefined;
  }
}

function loadVerifier(): VerifySignature | undefined {
  const library = load();
  if (library === undefined) return undefined;
  return (signature, digest, publicKey) => {
    try {
      return library.ecdsaVerify(signature, digest, publicKey);
    } catch {
      // numbers out of range, or the key is not a point of the curve
      return false;
    }
  };
}

function loadSigner(): DigestSigner | undefined {
  const library = load();
  if (library === undefined) return undefined;
  return {
    sign: (digest, privateKey) => library.signatureExport(library.ecdsaSign(digest, privateKey).signature),
    publicKeyOf: (privateKey) => library.publicKeyCreate(privateKey, true),
    addToPublicKey: (publicKey, tweak) => library.publicKeyTweakAdd(publicKey, tweak, true),
  };
}
