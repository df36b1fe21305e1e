/** Checks an ECDSA signature over a 32-byte digest: r and s as 32 bytes each, the key in its compressed or plain form. */
export type VerifySignature = (signature: Uint8Array, digest: Uint8Array, publicKey: Uint8Array) => boolean;

/** Signs a 32-byte digest with a key of 32 bytes, and names the key's public half. */
export interface DigestSigner {
  /** @returns DER with a low S; the same digest always gets the same signature (RFC 6979) */
  sign(digest: Uint8Array, privateKey: Uint8Array): Uint8Array;
  /** @returns the compressed public key */
  publicKeyOf(privateKey: Uint8Array): Uint8Array;
}

type Library = Pick<typeof import('secp256k1'), 'ecdsaVerify' | 'ecdsaSign' | 'signatureExport' | 'publicKeyCreate'>;

/**
 * The compiled verifier, about 35 times as fast as the SDK's. Undefined in a browser and where the package has no binary for this
 * machine; nothing but speed depends on it, because it is only ever asked to confirm what the SDK's interpreter would confirm.
 */
export const verifyNatively: VerifySignature | undefined = /* @__PURE__ */ loadVerifier();

/** The compiled signer, there where {@link verifyNatively} is. Its signatures are those of the SDK, byte by byte. */
export const nativeSigner: DigestSigner | undefined = /* @__PURE__ */ loadSigner();

function load(): Library | undefined {
  // asked of the process and not imported, so that the module loads where there is no Node
  const { createRequire } = globalThis.process?.getBuiltinModule?.('node:module') ?? {};
  if (createRequire === undefined) return undefined;
  try {
    // not the package's main file: that would fall back to a slow implementation of its own without a word
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
      // numbers out of range, or no point of the curve
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
  };
}
